import { randomUUID } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { NO_ROWS_CHECKSUM } from '../duckdb/checksum.ts';
import type { RunMode } from '../duckdb/duckdb-session.ts';
import { literal } from '../duckdb/duckdb-sql.ts';
import { duckdbError } from '../error/duckdb-error.ts';
import { LakehouseError } from '../error/error.ts';
import {
  type BareLines,
  dataFields,
  keylessRowsSql,
  NOTICED,
  REFUSALS,
  type Reading,
  rowsSql,
} from '../stage/stage-sql.ts';
import type { CopyRequest, CopyResult, RejectedLines } from '../stage/stage-types.ts';
import {
  type DraftFiles,
  draftFiles,
  draftFolder,
  filesFigures,
  type Writer,
  writeFiles,
} from '../stage/stage-write.ts';
import { WIDE_FIELDS } from '../stage/wide-figures.ts';
import { hasLongNumbers } from './long-numbers.ts';
import { firstLine, longestLine } from './spool-lines.ts';
import { headRoom, writeHead } from './stage-head.ts';
import { memberNames, REWRITTEN } from './stage-line.ts';
import { envelopeLines, MAX_LINE_BYTES, type Rewriting, rewriteSpool } from './stage-rewrite.ts';
import { joinSlices, slicedSql, withSlices } from './stage-slices.ts';
import { bareWitness, strictRowsSql, witnessLine } from './stage-strict.ts';
import { unknownMembers } from './stage-unknown.ts';

/** Lines up to this length are read by all threads at once. */
const USUAL_LINE_BYTES = 4 * 1024 * 1024;
/** Of tables with more columns few rows are in memory at once. */
const WIDE_COLUMNS = 300;
/** Where memory is short, lines up to this length. */
const SMALL_LINE_BYTES = 256 * 1024;
/** Rows of a row group when memory is short: the vectors of a thousand columns then still fit. */
const SMALL_ROW_GROUP = 2048;
const LINE_TOO_LONG = /maximum_object_size/;
const OUT_OF_MEMORY = /^Out of Memory Error/;
/** What makes DuckDB refuse every spool of a stream strictly, as long as its columns are the same. */
const LOOSE = /unknown key|Failed to cast|weir: doubtful/;
const REFUSED = /^(Invalid Input|Conversion|Out of Range) Error/;

/** Fields whose last spool could not be read strictly, or had unknown members: the next one is read so at once. */
export type Drifting = { readonly loose: Set<string>; readonly extra: Set<string> };

type Input = Pick<Reading, 'source' | 'shape' | 'extra' | 'bare'> & { readonly rewriting?: Rewriting };
type Work = {
  readonly writer: Writer;
  readonly request: CopyRequest;
  readonly folder: string;
  readonly drifting: Drifting;
};

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : '');

function reading({ request }: Work, input: Input, keepExtra: boolean): Omit<Reading, 'usual' | 'maxLineBytes'> {
  const { schema, runId, key = [], json = [] } = request;
  return { ...input, schema, json, runId, keepExtra: keepExtra && !input.rewriting, key };
}

function attempt({ request, writer }: Work, query: string, mode: RunMode, rowGroupRows?: number): Promise<DraftFiles> {
  return writeFiles(writer, {
    query,
    schema: request.schema,
    // Rows of several partitions would have no order among each other any more.
    ...(request.spec && !request.ordered ? { spec: request.spec } : {}),
    folder: request.folder,
    // Several threads keep no order of rows where files are ended by their size or by partition.
    mode: { ordered: request.ordered ?? false, alone: request.ordered ?? false, ...mode },
    ...(rowGroupRows === undefined ? {} : { rowGroupRows }),
  });
}

// Buffers for the longest line, and the vectors of a thousand columns, are too large to have them once per thread.
async function write(work: Work, input: Input, keepExtra: boolean): Promise<DraftFiles> {
  const { request } = work;
  const names = memberNames(await firstLine(input.source), input.shape);
  const usual = names.length === new Set(names).size ? names : [];
  const typing = (maxLineBytes: number): Reading => ({ ...reading(work, input, keepExtra), usual, maxLineBytes });
  if (isSliced(request)) {
    const longest = await longestLine(input.source, 2 * MAX_LINE_BYTES);
    return sliced(work, typing(Math.max(longest + 1, SMALL_LINE_BYTES)));
  }
  try {
    if (!isWide(request)) return await attempt(work, rowsSql(typing(USUAL_LINE_BYTES)), {});
  } catch (error) {
    if (!isShort(error) || (keepExtra && !input.rewriting)) throw error;
  }
  // DuckDB takes as many lines at once as its buffer holds, so a small buffer makes for few rows in memory.
  const longest = await longestLine(input.source, 2 * MAX_LINE_BYTES);
  const small = typing(Math.max(longest + 1, SMALL_LINE_BYTES));
  try {
    return await attempt(work, rowsSql(small), { alone: true }, SMALL_ROW_GROUP);
  } catch (error) {
    if (!OUT_OF_MEMORY.test(messageOf(error))) throw error;
  }
  return sliced(work, small);
}

/** Types the columns of a spool a slice at a time, and puts them together in one file. */
async function sliced(work: Work, reading: Reading): Promise<DraftFiles> {
  const { request, writer, folder } = work;
  const { schema } = request;
  return withSlices(writer.session, { reading, folder: join(folder, 'slices') }, async (slices) => {
    const spec = request.ordered ? undefined : request.spec;
    if (spec !== undefined && spec.fields.length > 0) {
      return attempt(work, slicedSql(slices, schema), { alone: true, ordered: true }, SMALL_ROW_GROUP);
    }
    const { draft, discard } = draftFolder(writer, request.folder);
    try {
      await mkdir(draft, { recursive: true });
      const stats = await joinSlices(writer.session, slices, { schema, path: join(draft, 'data.parquet') });
      const written = Number(stats.count) > 0 ? [stats] : [];
      const drafted = { stats: written, schema, folder: request.folder, spec, partitions: undefined };
      return draftFiles(writer, drafted, discard);
    } catch (error) {
      await discard();
      throw error;
    }
  });
}

/** Whether a line did not fit, in its buffer or in memory. */
const isShort = (error: unknown): boolean =>
  LINE_TOO_LONG.test(messageOf(error)) || OUT_OF_MEMORY.test(messageOf(error));
const isWide = ({ schema }: CopyRequest): boolean => dataFields(schema).length > WIDE_COLUMNS;
/** Whether a table has so many columns that no other way is tried. */
const isSliced = ({ schema }: CopyRequest): boolean => schema.fields.length > WIDE_FIELDS;
const namesOf = ({ schema }: CopyRequest): Set<string> => new Set(dataFields(schema).map(({ name }) => name));
const fieldsOf = ({ schema }: CopyRequest): string => JSON.stringify(schema.fields);

// Undefined where this is no way to read the spool; what DuckDB refuses is then read the other way.
async function writeStrictly(work: Work, input: Input): Promise<DraftFiles | undefined> {
  const { request, drifting } = work;
  const room = isWide(request) || drifting.loose.has(fieldsOf(request)) ? 0 : await headRoom(input.source);
  const first = room ? parsed(await firstLine(input.source)) : undefined;
  if (first === undefined) return undefined;
  const { schema } = request;
  const line = input.bare === undefined ? witnessLine(schema, input.shape, first) : bareWitness(schema);
  if (line === undefined || Buffer.byteLength(line) > room) return undefined;
  await writeHead(input.source, room, line);
  try {
    const strict = { ...reading(work, input, false), usual: [], maxLineBytes: USUAL_LINE_BYTES };
    const draft = await attempt(work, strictRowsSql(strict, first), {});
    if (draft.rows === (request.lines ?? draft.rows)) return draft;
    // A line with a value that tells the witness was left out with it.
    await draft.discard();
    return undefined;
  } catch (error) {
    const message = messageOf(error);
    if (LOOSE.test(message)) drifting.loose.add(fieldsOf(request));
    else if (REFUSED.test(message) && !LINE_TOO_LONG.test(message)) throw error;
    return undefined;
  } finally {
    await writeHead(input.source, room);
  }
}

function parsed(line: Buffer): unknown {
  try {
    return JSON.parse(line.toString());
  } catch {
    return undefined;
  }
}

function rewrite({ request, folder }: Work, source: string, keyless?: ReadonlySet<number>): Promise<Rewriting> {
  return rewriteSpool({
    source,
    shape: request.shape,
    columns: namesOf(request),
    target: join(folder, 'rewritten.ndjson'),
    rejects: rejectsPath({ request, folder }),
    position: request.position,
    ...(keyless ? { keyless } : {}),
  });
}

// Beside the folder of the work, as it outlives it.
const rejectsPath = ({ folder }: Pick<Work, 'folder' | 'request'>): string => `${folder}.rejected.ndjson`;

async function rewritten(work: Work, source: string, keyless?: ReadonlySet<number>): Promise<Input> {
  const rewriting = await rewrite(work, source, keyless);
  return { source: join(work.folder, 'rewritten.ndjson'), ...REWRITTEN, rewriting };
}

async function withoutKeyless(work: Work, input: Input, source: string): Promise<Input> {
  const sql = keylessRowsSql({ ...reading(work, input, false), usual: [], maxLineBytes: 2 * MAX_LINE_BYTES });
  const rows = await work.writer.session.rows<{ n: string }>(sql, { ordered: true, alone: true });
  return rewritten(work, source, new Set(rows.map((row) => Number(row.n))));
}

const isRefused = (error: unknown): boolean => REFUSED.test(messageOf(error));

/** Where the lines are rows of the shape. */
async function enveloped({ request, folder }: Work, bare: BareLines): Promise<string> {
  const target = join(folder, 'enveloped.ndjson');
  await rm(target, { force: true });
  await envelopeLines(request.source, target, bare);
  return target;
}

// What DuckDB refuses is done again from rewritten lines; only a key can then still be missing.
async function writeExactly(work: Work, keepExtra: boolean): Promise<{ draft: DraftFiles; input: Input }> {
  const { source: given, shape, bare } = work.request;
  const isLossy = work.request.longNumbers ?? (await hasLongNumbers(given));
  if (bare !== undefined && !isLossy && !keepExtra) {
    const input = { source: given, shape, bare };
    const strict = await writeStrictly(work, input).catch((error) =>
      isRefused(error) ? undefined : Promise.reject(error),
    );
    if (strict !== undefined) return { draft: strict, input };
  }
  const source = bare === undefined ? given : await enveloped(work, bare);
  // Of many columns, which members none of them holds is faster seen line by line.
  let input: Input =
    isLossy || (keepExtra && isSliced(work.request)) ? await rewritten(work, source) : { source, shape };
  for (;;) {
    try {
      const strict = input.rewriting || keepExtra ? undefined : await writeStrictly(work, input);
      return { draft: strict ?? (await write(work, input, keepExtra)), input };
    } catch (error) {
      // A rewritten line has its unknown members as one text, which takes as little memory as a column.
      const isLarge = keepExtra && !input.rewriting && isShort(error);
      if (!isRefused(error) && !isLarge) throw error;
      if (!input.rewriting) input = await rewritten(work, source);
      else if (messageOf(error).includes(REFUSALS.key) && !input.rewriting.rejected?.reasons.key_missing) {
        input = await withoutKeyless(work, input, source);
      } else throw error;
    }
  }
}

function assertCounted(request: CopyRequest, rows: number, input: Input): void {
  const { rewriting } = input;
  const lines = rewriting?.lines ?? request.lines;
  const rejected = rewriting?.rejected?.count ?? 0;
  if ((lines ?? rows) !== rows + rejected || (request.lines ?? lines) !== lines) {
    throw new LakehouseError('lines_lost', 'A spool has other lines than were written to it');
  }
}

async function finish(work: Work, drafted: { draft: DraftFiles; input: Input }): Promise<CopyResult> {
  const { draft, input } = drafted;
  const { writer, request } = work;
  const rejected: RejectedLines | undefined = input.rewriting?.rejected;
  const figures = draft.rows
    ? await filesFigures(writer.session, draft, request.schema)
    : { rows: 0, rowsWithErrors: 0, rowsWithExtra: 0, checksum: NO_ROWS_CHECKSUM };
  assertCounted(request, figures.rows, input);
  const unknown = figures.rowsWithExtra ? await unknownMembers(writer.session, draft, namesOf(request)) : [];
  return { ...figures, files: await draft.publish(), rejected, unknown };
}

/**
 * Types a spool into data files. DuckDB reads the spool as it is, unless a number in it has more digits than DuckDB
 * keeps; a spool that DuckDB refuses is rewritten line by line, without the lines that are no rows, and read again.
 */
export async function copySpool(writer: Writer, drifting: Drifting, request: CopyRequest): Promise<CopyResult> {
  const folder = join(writer.scratch, randomUUID());
  const work = { writer, request, folder, drifting };
  const fields = fieldsOf(request);
  const drafts: DraftFiles[] = [];
  const drafted = async (keepExtra: boolean) => {
    const made = await writeExactly(work, keepExtra);
    drafts.push(made.draft);
    return made;
  };
  try {
    await mkdir(folder, { recursive: true });
    let made = await drafted(drifting.extra.has(fields));
    if (!made.input.rewriting && !drifting.extra.has(fields) && (await hasNotices(writer, made.draft))) {
      drifting.extra.add(fields);
      made = await drafted(true);
    }
    const result = await finish(work, made);
    if (!result.rejected) await rm(rejectsPath(work), { force: true });
    return result;
  } catch (error) {
    await rm(rejectsPath(work), { force: true });
    if (isRefused(error)) throw new LakehouseError('malformed_lines', 'The spool has lines that are no rows');
    throw duckdbError(error, 'stage_failed', 'The spool could not be written as data files');
  } finally {
    for (const draft of drafts) await draft.discard();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Whether there are members that no column holds, which `_extra` has not kept. */
async function hasNotices({ session }: Writer, draft: DraftFiles): Promise<boolean> {
  const hasExtra = draft.stats.some((stats) => {
    const nulls = stats.column_statistics
      .find((column) => column.key === '"_extra"')
      ?.value.find((figure) => figure.key === 'null_count')?.value;
    return nulls !== undefined && nulls !== stats.count;
  });
  if (!hasExtra) return false;
  const found = `SELECT 1 FROM read_parquet(${draft.paths}, hive_partitioning = false) WHERE _extra = ${literal(NOTICED)} LIMIT 1`;
  return (await session.rows(found)).length > 0;
}
