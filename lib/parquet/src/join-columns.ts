import { type FileHandle, open } from 'node:fs/promises';
import { footerBytes, TAIL_BYTES } from './file-reader.ts';
import { MAGIC } from './format.ts';
import { ParquetError } from './parquet-error.ts';
import { readStruct, structsOfField, type ThriftStruct } from './read-thrift.ts';
import { groupElement } from './schema-element.ts';
import { type Thrift, thriftBytes } from './write-thrift.ts';

/** A file and which of its columns are taken, by their names at the top. */
export type ColumnsPart = { readonly path: string; readonly columns: ReadonlySet<string> };

/** Fields of the format's structs (https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift). */
const FILE = { elements: 2, groups: 4 };
const ELEMENT = { name: 4, children: 5 };
const GROUP = { chunks: 1, rows: 3 };
const CHUNK = { file: 1, facts: 3 };
const FACTS = { type: 1, encodings: 2, path: 3, codec: 4, values: 5, plain: 6, packed: 7, data: 9, dictionary: 11 };

type Opened = { readonly handle: FileHandle; readonly columns: readonly Column[]; readonly groups: readonly Group[] };
/** A column at the top: the elements that describe it, and the place of its first leaf and how many it has. */
type Column = { readonly elements: readonly Buffer[]; readonly leaf: number; readonly leaves: number };
type Group = { readonly rows: number; readonly chunks: readonly ThriftStruct[] };

/**
 * Puts columns of files side by side into one new file, their pages as they are: in memory is one column of a row group.
 * The files must have the same row groups. Bounds of values are left out. Gives the bytes of the file.
 */
export async function joinColumns(parts: readonly ColumnsPart[], target: string): Promise<number> {
  const opened: Opened[] = [];
  const out = await open(target, 'wx', 0o600);
  try {
    for (const part of parts) opened.push(await openPart(part));
    const [first] = opened;
    const rowsOf = ({ groups }: Opened) => groups.map(({ rows }) => rows).join();
    if (first === undefined || opened.some((one) => rowsOf(one) !== rowsOf(first)))
      throw new ParquetError('the files have other row groups');
    let at = MAGIC.length;
    await out.writeFile(MAGIC);
    const groups: Thrift[] = [];
    for (const [index, { rows }] of first.groups.entries()) {
      const chunks: Thrift[] = [];
      let plain = 0;
      for (const part of opened) {
        for (const chunk of takenChunks(part, index)) {
          const { bytes, facts, offset } = await readChunk(part.handle, chunk);
          await out.writeFile(bytes);
          chunks.push(movedChunk(facts, at - offset));
          plain += numberOf(facts, FACTS.plain);
          at += bytes.length;
        }
      }
      const group: Thrift = {
        struct: [
          [1, { list: chunks }],
          [2, { i64: plain }],
          [3, { i64: rows }],
        ],
      };
      groups.push({ written: thriftBytes(group) });
    }
    const footer = footerOf(opened, groups);
    const length = Buffer.alloc(TAIL_BYTES - MAGIC.length);
    length.writeUInt32LE(footer.length);
    await out.writeFile(Buffer.concat([footer, length, MAGIC]));
    return at + footer.length + TAIL_BYTES;
  } finally {
    for (const { handle } of opened) await handle.close();
    await out.close();
  }
}

async function openPart({ path, columns }: ColumnsPart): Promise<Opened> {
  const handle = await open(path);
  try {
    const { size } = await handle.stat();
    const length = footerBytes(await bytesAt(handle, size - TAIL_BYTES, TAIL_BYTES));
    const footer = await bytesAt(handle, size - TAIL_BYTES - length, length);
    const groups = structsOfField(footer, FILE.groups).map((group) => ({
      rows: numberOf(readStruct(group).struct, GROUP.rows),
      chunks: structsOfField(group, GROUP.chunks).map((chunk) => readStruct(chunk).struct),
    }));
    return { handle, columns: columnsOf(structsOfField(footer, FILE.elements), columns), groups };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** The wanted columns among the elements of a file, which stand depth first. */
function columnsOf(elements: readonly Buffer[], wanted: ReadonlySet<string>): Column[] {
  const found: Column[] = [];
  let leaf = 0;
  for (let at = 1; at < elements.length; ) {
    const begin = at;
    const firstLeaf = leaf;
    for (let open = 1; open > 0 && at < elements.length; at += 1) {
      const { struct } = readStruct(elements[at] ?? Buffer.alloc(0));
      const children = struct.get(ELEMENT.children);
      open += (typeof children === 'number' ? children : 0) - 1;
      if (typeof children !== 'number' || children === 0) leaf += 1;
    }
    const name = readStruct(elements[begin] ?? Buffer.alloc(0)).struct.get(ELEMENT.name);
    if (!wanted.has(String(name))) continue;
    found.push({ elements: elements.slice(begin, at), leaf: firstLeaf, leaves: leaf - firstLeaf });
  }
  if (found.length !== wanted.size) throw new ParquetError('a column is missing');
  return found;
}

function takenChunks({ columns, groups }: Opened, group: number): ThriftStruct[] {
  const { chunks } = groups[group] ?? { chunks: [] };
  return columns.flatMap(({ leaf, leaves }) => chunks.slice(leaf, leaf + leaves));
}

async function readChunk(handle: FileHandle, chunk: ThriftStruct) {
  const facts = chunk.get(CHUNK.facts);
  if (!(facts instanceof Map) || chunk.has(CHUNK.file)) throw new ParquetError('a column lies elsewhere');
  const data = numberOf(facts, FACTS.data);
  const dictionary = facts.get(FACTS.dictionary);
  const offset = typeof dictionary === 'number' && dictionary > 0 ? Math.min(dictionary, data) : data;
  return { bytes: await bytesAt(handle, offset, numberOf(facts, FACTS.packed)), facts, offset };
}

/** The facts of a column that lies so many bytes further in its new file. */
function movedChunk(facts: ThriftStruct, by: number): Thrift {
  const [data, dictionary] = [numberOf(facts, FACTS.data), facts.get(FACTS.dictionary)];
  const hasDictionary = typeof dictionary === 'number' && dictionary > 0;
  const list = (field: number) => facts.get(field) as readonly (number | Buffer)[];
  const begin = (hasDictionary ? Math.min(dictionary, data) : data) + by;
  const moved: Thrift = {
    struct: [
      [FACTS.type, { i32: numberOf(facts, FACTS.type) }],
      [FACTS.encodings, { list: list(FACTS.encodings).map((encoding) => ({ i32: Number(encoding) })) }],
      [FACTS.path, { list: list(FACTS.path).map(String) }],
      [FACTS.codec, { i32: numberOf(facts, FACTS.codec) }],
      [FACTS.values, { i64: numberOf(facts, FACTS.values) }],
      [FACTS.plain, { i64: numberOf(facts, FACTS.plain) }],
      [FACTS.packed, { i64: numberOf(facts, FACTS.packed) }],
      [FACTS.data, { i64: data + by }],
      [FACTS.dictionary, hasDictionary ? { i64: dictionary + by } : undefined],
    ],
  };
  return {
    struct: [
      [2, { i64: begin }],
      [CHUNK.facts, moved],
    ],
  };
}

function footerOf(opened: readonly Opened[], groups: readonly Thrift[]): Buffer {
  const columns = opened.flatMap((part) => part.columns);
  const elements = columns.flatMap((column) => column.elements.map((written): Thrift => ({ written })));
  const rows = opened[0]?.groups.reduce((sum, group) => sum + group.rows, 0) ?? 0;
  return thriftBytes({
    struct: [
      [1, { i32: 1 }],
      [FILE.elements, { list: [groupElement({ name: 'schema', children: columns.length }), ...elements] }],
      [3, { i64: rows }],
      [FILE.groups, { list: groups }],
      [6, 'weir'],
    ],
  });
}

async function bytesAt(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  if (position < 0) throw new ParquetError('it ends too early');
  const bytes = Buffer.alloc(length);
  const { bytesRead } = await handle.read(bytes, 0, length, position);
  if (bytesRead < length) throw new ParquetError('it ends too early');
  return bytes;
}

function numberOf(struct: ThriftStruct, field: number): number {
  const value = struct.get(field);
  if (typeof value !== 'number' || value < 0) throw new ParquetError('a count is missing');
  return value;
}
