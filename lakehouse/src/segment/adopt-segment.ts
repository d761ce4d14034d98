import { type FileHandle, mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import {
  CODEC,
  type FileWriter,
  type Footer,
  fileWriter,
  footerBytes,
  type NamedType,
  type PackedPage,
  ParquetError,
  readFooter,
  readPage,
  TAIL_BYTES,
  writeParts,
} from '@weir/parquet';
import { identifier, literal } from '../duckdb/duckdb-sql.ts';
import type { CopyStats } from '../manifest/stats.ts';
import type { Field, FieldType, TableSchema } from '../schema/types.ts';
import { partitionExpressions } from '../stage/stage-partition.ts';
import type { SegmentRequest } from '../stage/stage-types.ts';
import {
  type DraftFiles,
  draftFiles,
  draftFolder,
  type FiguresRow,
  figuresOf,
  readFigures,
  type Writer,
} from '../stage/stage-write.ts';
import type { FilesFigures } from '../stage/wide-figures.ts';
import { type AdoptedLeaf, type AdoptPlan, adoptPlan } from './adopt-plan.ts';
import { outOfDaySql } from './odd-times.ts';

/** A longer footer is left to others. */
const MAX_FOOTER_BYTES = 4 * 1024 * 1024;
const FILE = 'adopted.parquet';

/** The draft of a data file and what it holds. */
export type Adopted = { readonly draft: DraftFiles; readonly figures: FilesFigures };

/**
 * Makes a data file of the pages of a Parquet file as they are, with the footer, the field ids and the meta columns of the
 * table: where none of its values has to change, nothing is gained by writing them again. Every head of a page is written
 * anew, and the file is read whole before it counts, for its figures and its bounds. Undefined, and nothing is left, when
 * the table asks for anything else of the rows than to be stored, when the file is in no form that `readPage` knows, and
 * when it cannot be read: then it is for `copySegment` to judge.
 */
export async function adoptSegment(writer: Writer, request: SegmentRequest): Promise<Adopted | undefined> {
  const { schema, spec, folder } = request;
  if (spec && partitionExpressions(spec, schema).length > 0) return undefined;
  const { draft, discard } = draftFolder(writer, folder);
  const path = join(draft, FILE);
  let adopted: Adopted | undefined;
  try {
    const written = await withFile(request.source, 'r', async (source) => {
      const footer = await footerOf(source);
      const plan = footer && adoptPlan(footer, schema, request);
      if (footer === undefined || plan === undefined) return undefined;
      await mkdir(draft, { recursive: true });
      return withFile(path, 'wx', (target) => writePages({ source, target, footer, plan, key: keyNames(request) }));
    });
    const read = written && (await readBack(writer, { path, schema, written }));
    const stats = read && statsOf({ path, schema, written, row: read });
    if (stats !== undefined) {
      const drafted = { stats: [stats], schema, folder, spec, partitions: undefined };
      adopted = { draft: draftFiles(writer, drafted, discard), figures: figuresOf(read) };
    }
    return adopted;
  } catch (error) {
    if (error instanceof ParquetError) return undefined;
    throw error;
  } finally {
    if (adopted === undefined) await discard();
  }
}

async function withFile<Result>(
  path: string,
  flags: string,
  use: (file: FileHandle) => Promise<Result>,
): Promise<Result> {
  const file = await open(path, flags);
  try {
    return await use(file);
  } finally {
    await file.close();
  }
}

async function bytesAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(length), 0, length, position);
  if (bytesRead < length) throw new ParquetError('it ends too early');
  return buffer;
}

async function footerOf(source: FileHandle): Promise<(Footer & { readonly end: number }) | undefined> {
  const { size } = await source.stat();
  if (size < TAIL_BYTES) return undefined;
  const length = footerBytes(await bytesAt(source, size - TAIL_BYTES, TAIL_BYTES));
  const end = size - TAIL_BYTES - length;
  if (length > MAX_FOOTER_BYTES || end < 0) return undefined;
  return { ...readFooter(await bytesAt(source, end, length)), end };
}

const keyNames = ({ schema, key = [] }: SegmentRequest): ReadonlySet<string> =>
  new Set(schema.fields.flatMap(({ id, name }) => (key.includes(id) ? [name] : [])));

/** What was written of each leaf, under the name that statistics give it. */
type WrittenLeaves = {
  readonly rows: number;
  readonly bytes: number;
  readonly leaves: ReadonlyMap<string, WrittenLeaf>;
};

type WrittenLeaf = {
  /** Whether its pages are the segment's own. */
  readonly isAdopted: boolean;
  /** The value of all rows where they are made here, as a text that `encodeBound` takes; null where there is none. */
  readonly value: string | null;
  readonly nulls: number;
  readonly bytes: number;
};

/** What is known of a leaf that is in no file. */
const NO_LEAF: WrittenLeaf = { isAdopted: false, value: null, nulls: 0, bytes: 0 };

const heldOf = (from: AdoptedLeaf['from']): Pick<WrittenLeaf, 'isAdopted' | 'value'> =>
  'column' in from ? { isAdopted: true, value: null } : { isAdopted: false, value: from.value ?? null };

type Writing = {
  readonly source: FileHandle;
  readonly target: FileHandle;
  readonly footer: Footer & { readonly end: number };
  readonly plan: AdoptPlan;
  /** Names of columns that may not be NULL. */
  readonly key: ReadonlySet<string>;
};

async function writePages({ source, target, footer, plan, key }: Writing): Promise<WrittenLeaves | undefined> {
  const ready: Buffer[] = [];
  const flush = () => writeParts(target, ready.splice(0));
  const writer: FileWriter = fileWriter(plan, (part) => void ready.push(part));
  const sums = plan.leaves.map(({ from }) => ({ ...heldOf(from), nulls: 0, bytes: 0 }));
  for (const group of footer.groups) {
    const stored = await storedGroup(source, footer, group);
    if (stored === undefined) return undefined;
    const pages: PackedPage[] = [];
    for (const { from } of plan.leaves) {
      const page = 'page' in from ? from.page(group.rows) : pageOf(stored, from.column);
      if (page === undefined || ('column' in from && key.has(from.column.name) && page.nulls > 0)) return undefined;
      pages.push(page);
    }
    const sizes = writer.add(group.rows, pages);
    for (const [at, sum] of sums.entries()) {
      sum.nulls += pages[at]?.nulls ?? 0;
      sum.bytes += sizes[at] ?? 0;
    }
    await flush();
  }
  writer.end();
  await flush();
  const isKeyThere = [...key].every((name) => footer.columns.has(name));
  if (writer.rows() === 0 || !isKeyThere) return undefined;
  const leaves = new Map(plan.leaves.map((leaf, at) => [leaf.key, sums[at] ?? NO_LEAF]));
  return { rows: writer.rows(), bytes: writer.bytes(), leaves };
}

type Group = Footer['groups'][number];
type StoredGroup = Group & { readonly bytes: Buffer; readonly from: number };

/** A row group with its bytes, read at once, if its chunks lie before the footer and fill them: a read for each costs more. */
async function storedGroup(
  source: FileHandle,
  footer: Writing['footer'],
  group: Group,
): Promise<StoredGroup | undefined> {
  const [first] = group.chunks;
  if (first === undefined || group.rows === 0) return undefined;
  let from = first.offset;
  let end = 0;
  let size = 0;
  for (const { offset, bytes } of group.chunks) {
    from = Math.min(from, offset);
    end = Math.max(end, offset + bytes);
    size += bytes;
  }
  if (end > footer.end || end - from !== size) return undefined;
  return { ...group, from, bytes: await bytesAt(source, from, size) };
}

/** The page of a column in a row group, if the group has it once. */
function pageOf({ chunks, rows, from, bytes }: StoredGroup, { name, type }: NamedType): PackedPage | undefined {
  const [chunk, another] = chunks.filter((candidate) => candidate.name === name);
  if (chunk === undefined || another !== undefined || chunk.codec !== CODEC.zstd) return undefined;
  const at = chunk.offset - from;
  return readPage(bytes.subarray(at, at + chunk.bytes), { rows, type });
}

type Bounded = Field & { readonly type: Extract<FieldType, string> };

const isBounded = (field: Field): field is Bounded => typeof field.type === 'string';
const MOMENTS: ReadonlySet<FieldType> = new Set(['date', 'time', 'timestamp', 'timestamptz']);

/** A value as a text that `encodeBound` takes; `infinity` for a moment that is none. */
function boundSql(value: string, type: string): string {
  if (type === 'binary') return `hex(${value})`;
  if (type === 'time') return `if(${outOfDaySql(value)}, 'infinity', ${value}::VARCHAR)`;
  if (type !== 'timestamptz') return `${value}::VARCHAR`;
  return `if(NOT isfinite(${value}), 'infinity', make_timestamp(epoch_us(${value}))::VARCHAR)`;
}

type Drafted = { readonly path: string; readonly schema: TableSchema; readonly written: WrittenLeaves };

/**
 * Reads the columns of a draft whose pages are the segment's whole, for its figures and their bounds; undefined when they
 * cannot be read. What the pages that are made here hold is known: to read the empty lists of marks alone takes a tenth of
 * the time, and what is no value, or one of no account, adds nothing to a checksum.
 */
async function readBack({ session }: Writer, { path, schema, written }: Drafted): Promise<FiguresRow | undefined> {
  const leafOf = ({ name }: Field) => written.leaves.get(identifier(name));
  const fields = schema.fields.filter((field) => leafOf(field)?.isAdopted);
  const whole = new Set(fields.flatMap((field) => (leafOf(field)?.nulls === 0 ? [field.id] : [])));
  const bounds = fields.flatMap((field) => {
    if (!isBounded(field)) return [];
    const { id, type } = field;
    const name = identifier(field.name);
    return [
      `${boundSql(`min(${name})`, type)} AS l${id}`,
      `${boundSql(`max(${name})`, type)} AS u${id}`,
      `count(${name}) AS v${id}`,
    ];
  });
  try {
    return await readFigures(session, {
      paths: `[${literal(path)}]`,
      schema: { fields },
      whole,
      asked: `, ${bounds.join(', ')}`,
    });
  } catch {
    // Whatever it is, the other way will meet it again and say what it is.
    return undefined;
  }
}

type Judged = Drafted & { readonly row: FiguresRow };

/**
 * The figures of an adopted file, in the form of those of a written one; undefined when what was read is not what the pages
 * say, or when a moment is none, which no column takes.
 */
function statsOf({ path, schema, written, row }: Judged): CopyStats | undefined {
  const { rows, bytes, leaves } = written;
  if (Number(row.n) !== rows) return undefined;
  const boundsByKey = new Map<string, readonly Statistic[]>();
  for (const field of schema.fields.filter(isBounded)) {
    const key = identifier(field.name);
    const bounds = boundsOf(field, leaves.get(key) ?? NO_LEAF, { row, rows });
    if (bounds === undefined) return undefined;
    boundsByKey.set(key, bounds);
  }
  const statistics = [...leaves].map(([key, leaf]) => ({
    key,
    value: [
      { key: 'column_size_bytes', value: String(leaf.bytes) },
      { key: 'num_values', value: String(rows) },
      { key: 'null_count', value: String(leaf.nulls) },
      ...(boundsByKey.get(key) ?? []),
    ],
  }));
  return { filename: path, count: String(rows), file_size_bytes: String(bytes), column_statistics: statistics };
}

type Statistic = { readonly key: string; readonly value: string | null };

/** The least and the greatest value of a column: as they were read, where its pages are the segment's, and else as they are made. */
function boundsOf(
  { id, type }: Bounded,
  { isAdopted, value, nulls }: WrittenLeaf,
  { row, rows }: { row: FiguresRow; rows: number },
): readonly Statistic[] | undefined {
  if (isAdopted && Number(row[`v${id}`]) !== rows - nulls) return undefined;
  const least = isAdopted ? (row[`l${id}`] ?? null) : value;
  const most = isAdopted ? (row[`u${id}`] ?? null) : value;
  if (MOMENTS.has(type) && (least?.includes('infinity') || most?.includes('infinity'))) return undefined;
  const isFloating = type === 'float' || type === 'double';
  return [
    { key: 'min', value: least },
    { key: 'max', value: most },
    ...(isFloating ? [{ key: 'has_nan', value: String(most === 'nan') }] : []),
  ];
}
