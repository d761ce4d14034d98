import { isDeepStrictEqual } from 'node:util';
import { MAX_DICTIONARY_VALUES, placesPageBytes } from './dictionary.ts';
import type { Leaf, PackedDictionary, PackedPage } from './file-writer.ts';
import { CODEC, ENCODING, MAGIC, PAGE, PHYSICAL } from './format.ts';
import { nullsOf } from './levels.ts';
import { ParquetError } from './parquet-error.ts';
import { readStruct, type ThriftStruct, type ThriftValue } from './read-thrift.ts';
import { leafElement, type NamedType } from './schema-element.ts';
import { thriftBytes } from './write-thrift.ts';

/** Bytes behind the footer: its length, and how every file ends. */
export const TAIL_BYTES = 8;
const FIELD_ID = 9;

/** Where the values of a column of a row group lie, behind their dictionary if they have one. */
export type StoredChunk = {
  readonly name: string;
  readonly codec: number;
  readonly offset: number;
  readonly bytes: number;
};

/** What stands in a footer of a file without nested columns. */
export type Footer = {
  /** The name of each column, with its element as it was read. */
  readonly columns: ReadonlyMap<string, ThriftStruct>;
  readonly groups: readonly { readonly rows: number; readonly chunks: readonly StoredChunk[] }[];
};

/** How many bytes before the tail are the footer. Throws `ParquetError` when a file does not end so. */
export function footerBytes(tail: Buffer): number {
  if (tail.length !== TAIL_BYTES || !tail.subarray(4).equals(MAGIC))
    throw new ParquetError('it does not end as a file does');
  return tail.readUInt32LE(0);
}

/** Reads a footer. Throws `ParquetError` when it is none, when it names a column twice or one with others below it. */
export function readFooter(bytes: Buffer): Footer {
  const { struct } = readStruct(bytes);
  const [, ...elements] = structs(struct.get(2));
  const columns = new Map(elements.map((element) => [text(element.get(4)), element]));
  if (columns.size !== elements.length || elements.some((element) => element.has(5))) {
    throw new ParquetError('it has other than plain columns');
  }
  const groups = structs(struct.get(4)).map((group) => ({
    rows: count(group.get(3)),
    chunks: structs(group.get(1)).map((chunk): StoredChunk => {
      const facts = structOf(chunk.get(3));
      const [name, ...below] = list(facts.get(3));
      // A chunk may also name another file.
      if (below.length > 0 || chunk.has(1)) throw new ParquetError('it has other than plain columns');
      const offset = count(facts.get(11) ?? facts.get(9));
      return { name: text(name), codec: count(facts.get(4)), offset, bytes: count(facts.get(7)) };
    }),
  }));
  return { columns, groups };
}

/** Whether an element that was read is that of a column, whatever its field id. */
export function isElementOf(element: ThriftStruct, column: NamedType): boolean {
  const { struct } = readStruct(thriftBytes(leafElement(column)));
  const without = (fields: ThriftStruct) => new Map([...fields].filter(([id]) => id !== FIELD_ID));
  return isDeepStrictEqual(without(element), without(struct));
}

type PageOf = { readonly rows: number; readonly type: NamedType['type'] };

/**
 * The page that some bytes are, if they are one page of so many rows in the form that `fileWriter` gives it, packed by
 * Zstandard, behind its dictionary if it has one, and nothing else; then its levels say what the page says, and its values
 * have the bytes that their type asks for. What the packed values are is not looked at. Undefined for any other form; throws
 * `ParquetError` for what is none.
 */
export function readPage(bytes: Buffer, page: PageOf): PackedPage | undefined {
  const first = headed(bytes);
  if (first.head.get(1) !== PAGE.dictionary) return dataPage(first, page, undefined);
  const found = dictionaryPage(first, page.type);
  return found && dataPage(headed(found.rest), page, found.dictionary);
}

/** A page behind its head, and all that comes after it. */
type Headed = { readonly head: ThriftStruct; readonly body: Buffer };

function headed(bytes: Buffer): Headed {
  const { struct, end } = readStruct(bytes);
  return { head: struct, body: bytes.subarray(end) };
}

function dictionaryPage(
  { head, body }: Headed,
  type: NamedType['type'],
): { readonly dictionary: PackedDictionary; readonly rest: Buffer } | undefined {
  const facts = structOf(head.get(7));
  const [plainBytes, packed, values] = [count(head.get(2)), count(head.get(3)), count(facts.get(1))];
  const isOurs =
    isDeepStrictEqual([...head.keys()], [1, 2, 3, 7]) &&
    isDeepStrictEqual([...facts.keys()], [1, 2]) &&
    facts.get(2) === ENCODING.plain &&
    values > 0 &&
    values <= MAX_DICTIONARY_VALUES &&
    isLengthOf(plainBytes, values, type) &&
    packed < body.length;
  if (!isOurs) return undefined;
  const dictionary = { count: values, values: body.subarray(0, packed), plainBytes };
  return { dictionary, rest: body.subarray(packed) };
}

function dataPage(
  { head, body }: Headed,
  { rows, type }: PageOf,
  dictionary: PackedDictionary | undefined,
): PackedPage | undefined {
  const data = structOf(head.get(8));
  const [plain, packed] = [count(head.get(2)), count(head.get(3))];
  const levels = count(data.get(5));
  const isOurs =
    isDeepStrictEqual([...head.keys()], [1, 2, 3, 8]) &&
    isDeepStrictEqual([...data.keys()], [1, 2, 3, 4, 5, 6]) &&
    head.get(1) === PAGE.dataV2 &&
    data.get(1) === rows &&
    data.get(3) === rows &&
    data.get(4) === (dictionary === undefined ? ENCODING.plain : ENCODING.rleDictionary) &&
    data.get(6) === 0 &&
    levels <= Math.min(plain, packed) &&
    packed === body.length;
  if (!isOurs) return undefined;
  const definition = body.subarray(0, levels);
  const nulls = nullsOf(definition, rows);
  const plainBytes = plain - levels;
  if (nulls === undefined || nulls !== data.get(2)) return undefined;
  const isWhole =
    dictionary === undefined
      ? isLengthOf(plainBytes, rows - nulls, type)
      : plainBytes === placesPageBytes(rows - nulls);
  if (!isWhole) return undefined;
  const page = { nulls, definition, codec: CODEC.zstd, values: body.subarray(levels), plainBytes };
  return dictionary === undefined ? page : { ...page, dictionary };
}

const WIDTHS: ReadonlyMap<number, number> = new Map([
  [PHYSICAL.int32, 4],
  [PHYSICAL.int64, 8],
  [PHYSICAL.float, 4],
  [PHYSICAL.double, 8],
]);
const LENGTH_BYTES = 4;

function isLengthOf(bytes: number, values: number, { physical, length }: NamedType['type']): boolean {
  if (physical === PHYSICAL.boolean) return bytes === Math.ceil(values / 8);
  if (physical === PHYSICAL.bytes) return bytes >= LENGTH_BYTES * values;
  return bytes === values * (WIDTHS.get(physical) ?? length ?? Number.NaN);
}

/** The leaf that a column without columns below it is. */
export const leafOf = ({ name, type }: NamedType): Leaf => ({ path: [name], physical: type.physical });

function list(value: ThriftValue | undefined): readonly ThriftValue[] {
  if (!Array.isArray(value)) throw new ParquetError('a list is missing');
  return value;
}

function structOf(value: ThriftValue | undefined): ThriftStruct {
  if (!(value instanceof Map)) throw new ParquetError('a struct is missing');
  return value;
}

const structs = (value: ThriftValue | undefined): ThriftStruct[] => list(value).map(structOf);

function count(value: ThriftValue | undefined): number {
  if (typeof value !== 'number' || value < 0) throw new ParquetError('a count is missing');
  return value;
}

function text(value: ThriftValue | undefined): string {
  if (!Buffer.isBuffer(value)) throw new ParquetError('a name is missing');
  return value.toString('utf8');
}
