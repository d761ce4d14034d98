import { type CODEC, ENCODING, MAGIC, PAGE } from './format.ts';
import { type Thrift, thriftBytes } from './write-thrift.ts';

/** A column without columns below it, as a file has it. */
export type Leaf = {
  /** The names of the elements above it, from the root's, and its own. */
  readonly path: readonly string[];
  readonly physical: number;
};

/** The values of a leaf in a row group, as they lie in the file: one page. */
export type PackedPage = {
  /** How many are NULL, or stand for an empty list. */
  readonly nulls: number;
  /** Levels of repetition, where the leaf is below a list, and of definition. */
  readonly repetition?: Buffer;
  readonly definition: Buffer;
  readonly codec: (typeof CODEC)[keyof typeof CODEC];
  /** In the plain encoding, or places in the dictionary if there is one, packed by the codec. */
  readonly values: Buffer;
  /** Their bytes before they were packed. */
  readonly plainBytes: number;
  readonly dictionary?: PackedDictionary;
};

/** The values of a page that has places instead, each once: in the plain encoding, packed by the codec of the page. */
export type PackedDictionary = { readonly count: number; readonly values: Buffer; readonly plainBytes: number };

/** Writes a file from its beginning to its end. */
export type FileWriter = {
  readonly rows: () => number;
  /** As it lies on the disk. */
  readonly bytes: () => number;
  /** As it is when it is unpacked. */
  readonly plainBytes: () => number;
  /** Adds rows: a page for each leaf. Gives how many bytes each of them takes. */
  readonly add: (rows: number, pages: readonly PackedPage[]) => number[];
  readonly end: () => void;
};

const NONE = Buffer.alloc(0);
const CREATED_BY = 'weir';

type Chunk = {
  readonly offset: number;
  readonly dataOffset: number;
  readonly packed: number;
  readonly plain: number;
  readonly page: PackedPage;
};

/**
 * Begins a file with a schema and its leaves; `put` is given its bytes in their order. One page for each leaf and row group.
 * Format: https://parquet.apache.org/docs/file-format/
 */
export function fileWriter(
  { schema, leaves }: { readonly schema: readonly Thrift[]; readonly leaves: readonly Leaf[] },
  put: (bytes: Buffer) => void,
): FileWriter {
  const groups: Thrift[] = [];
  let [bytes, plainBytes, rows] = [0, 0, 0];
  const write = (part: Buffer) => {
    if (part.length > 0) put(part);
    bytes += part.length;
  };
  write(MAGIC);

  const addPage = (count: number, page: PackedPage): Chunk => {
    const offset = bytes;
    const { dictionary, repetition = NONE, definition, values } = page;
    let plain = 0;
    if (dictionary !== undefined) {
      const head = dictionaryHead(dictionary);
      for (const part of [head, dictionary.values]) write(part);
      plain += head.length + dictionary.plainBytes;
    }
    const dataOffset = bytes;
    const levels = repetition.length + definition.length;
    const unpacked = levels + page.plainBytes;
    const head = dataHead(count, page, { plain: unpacked, packed: levels + values.length });
    for (const part of [head, repetition, definition, values]) write(part);
    return { offset, dataOffset, packed: bytes - offset, plain: plain + head.length + unpacked, page };
  };
  return {
    rows: () => rows,
    bytes: () => bytes,
    plainBytes: () => plainBytes,
    add(count, pages) {
      const chunks = pages.map((page) => addPage(count, page));
      groups.push(groupFacts(leaves, chunks, count));
      rows += count;
      plainBytes += chunks.reduce((sum, { plain }) => sum + plain, 0);
      return chunks.map(({ packed }) => packed);
    },
    end() {
      const footer = thriftBytes({
        struct: [
          [1, { i32: 1 }],
          [2, { list: schema }],
          [3, { i64: rows }],
          [4, { list: groups }],
          [6, CREATED_BY],
        ],
      });
      const length = Buffer.alloc(4);
      length.writeUInt32LE(footer.length);
      for (const part of [footer, length, MAGIC]) write(part);
    },
  };
}

function dataHead(count: number, page: PackedPage, size: { readonly plain: number; readonly packed: number }): Buffer {
  const { nulls, dictionary, definition, repetition = NONE } = page;
  const data: Thrift = {
    struct: [
      [1, { i32: count }],
      [2, { i32: nulls }],
      [3, { i32: count }],
      [4, { i32: dictionary === undefined ? ENCODING.plain : ENCODING.rleDictionary }],
      [5, { i32: definition.length }],
      [6, { i32: repetition.length }],
    ],
  };
  return thriftBytes({
    struct: [
      [1, { i32: PAGE.dataV2 }],
      [2, { i32: size.plain }],
      [3, { i32: size.packed }],
      [8, data],
    ],
  });
}

function dictionaryHead({ count, values, plainBytes }: PackedDictionary): Buffer {
  const dictionary: Thrift = {
    struct: [
      [1, { i32: count }],
      [2, { i32: ENCODING.plain }],
    ],
  };
  return thriftBytes({
    struct: [
      [1, { i32: PAGE.dictionary }],
      [2, { i32: plainBytes }],
      [3, { i32: values.length }],
      [7, dictionary],
    ],
  });
}

function groupFacts(leaves: readonly Leaf[], chunks: readonly Chunk[], count: number): Thrift {
  const list = chunks.map(({ offset, dataOffset, packed, plain, page }, at): Thrift => {
    const { path, physical } = leaves[at] ?? { path: [], physical: 0 };
    const hasDictionary = page.dictionary !== undefined;
    const encodings = [ENCODING.plain, ENCODING.rle, ...(hasDictionary ? [ENCODING.rleDictionary] : [])];
    const facts: Thrift = {
      struct: [
        [1, { i32: physical }],
        [2, { list: encodings.map((i32) => ({ i32 })) }],
        [3, { list: path }],
        [4, { i32: page.codec }],
        [5, { i64: count }],
        [6, { i64: plain }],
        [7, { i64: packed }],
        [9, { i64: dataOffset }],
        [11, hasDictionary ? { i64: offset } : undefined],
        [12, { struct: [[3, { i64: page.nulls }]] }],
      ],
    };
    return {
      struct: [
        [2, { i64: offset }],
        [3, facts],
      ],
    };
  });
  return {
    struct: [
      [1, { list }],
      [2, { i64: chunks.reduce((sum, { plain }) => sum + plain, 0) }],
      [3, { i64: count }],
    ],
  };
}
