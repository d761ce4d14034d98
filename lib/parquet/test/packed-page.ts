import { constants, zstdCompressSync } from 'node:zlib';
import type { ColumnPage, PackedPage } from '../src/index.ts';
import { LEVEL, pageOf } from '../src/packed-page.ts';

const PACKING = { params: { [constants.ZSTD_c_compressionLevel]: LEVEL } };

/** Packs the values of a column in a group of so many rows at once, as a packer does in the background. */
export function packedPage(rows: number, page: ColumnPage): PackedPage {
  const pack = (values: Buffer) => zstdCompressSync(values, PACKING);
  const { values, dictionary } = page;
  return pageOf(rows, page, { values: pack(values), dictionary: dictionary && pack(dictionary.values) });
}
