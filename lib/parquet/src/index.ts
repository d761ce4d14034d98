/** Door of the Parquet package: the file format, as far as files are written or taken apart without reading their values. */
export { type Dictionary, MAX_DICTIONARY_VALUES, placesPage } from './dictionary.ts';
export {
  type Footer,
  footerBytes,
  isElementOf,
  leafOf,
  readFooter,
  readPage,
  type StoredChunk,
  TAIL_BYTES,
} from './file-reader.ts';
export { type FileWriter, fileWriter, type Leaf, type PackedPage } from './file-writer.ts';
export { CODEC, REPETITION } from './format.ts';
export { joinColumns } from './join-columns.ts';
export { type ColumnPage, constantPage, emptyListPage, nullPage } from './packed-page.ts';
export { type PagePacker, pagePacker } from './page-packer.ts';
export { ParquetError } from './parquet-error.ts';
export { flatSchema, groupElement, leafElement, type NamedType } from './schema-element.ts';
export { decimalShape, INT32_DIGITS, INT64_DIGITS, type StoredType, storedType, WIDE_BYTES } from './stored-type.ts';
export { writeParts } from './write-parts.ts';
export type { Thrift } from './write-thrift.ts';
