import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { openSession } from '../duckdb/duckdb-session.ts';
import { identifier, literal } from '../duckdb/duckdb-sql.ts';
import { duckdbError } from '../error/duckdb-error.ts';
import { LakehouseError } from '../error/error.ts';
import { currentSchema, type TableMetadata } from '../metadata/metadata.ts';
import { column, liveRowsSql, sourcePaths } from '../rows/live-rows.ts';
import { openSource } from '../rows/row-source.ts';
import { plannedFiles } from '../scan/plan-read.ts';
import { createScanner } from '../scan/scan.ts';
import type { Field } from '../schema/types.ts';
import type { SourcePlace } from '../spool/source-reject.ts';
import { spoolLines } from '../spool/spool-lines.ts';
import { MAX_LINE_BYTES, type RejectedLine } from '../spool/stage-rewrite.ts';
import type { RejectedLines } from '../stage/stage-types.ts';
import type { FileIO } from '../store/fileio.ts';
import { QUARANTINE_COLUMNS } from './quarantine.ts';

/** Which lines of a quarantine table are taken: all, or those of one run, or those of some reasons. */
export type LineSelection = {
  readonly runId?: string;
  readonly reasons?: readonly string[];
  /** The runs whose rows nobody has replaced since: lines of others are left where they are, and counted. */
  readonly liveRuns?: readonly string[];
};

export type TakeLinesRequest = {
  readonly io: FileIO;
  /** A local folder of the caller's own; what is written there is the caller's to remove. */
  readonly scratch: string;
  /** Of the quarantine table, at the snapshot to take from. */
  readonly metadata: TableMetadata;
  readonly select: LineSelection;
  /** The form in which a line of a file was sent. */
  readonly asSent?: (line: FileLine) => Buffer;
};

/** A line that the source itself said to be no row. */
export type FileLine = SourcePlace & { readonly reason: string; readonly raw: Buffer };

/** Where a line comes from. */
export type LineOrigin = { readonly runId: string; readonly stream: string; readonly position: number };

/** Lines of one run and stream, as `stager.quarantine` takes them. */
export type LinesOf = { readonly runId: string; readonly stream: string; readonly rejected: RejectedLines };

export type TakenLines = {
  /** The path of a spool of the taken lines, oldest first. */
  readonly spool: string;
  /** Of each line of the spool. */
  readonly origins: readonly LineOrigin[];
  /** Lines of the same files that were not taken. */
  readonly kept: readonly LinesOf[];
  /** Locations of the files that held all of them. */
  readonly removed: readonly string[];
  /** Lines that fit but for their run, whose rows were replaced. */
  readonly superseded: number;
};

type StoredLine = Omit<RejectedLine, keyof SourcePlace> & {
  readonly run_id: string;
  readonly stream: string;
} & { readonly [part in keyof SourcePlace]?: SourcePlace[part] | null };

const MEMORY_LIMIT = '256MB';
/** A line in base64 and its names. */
const MAX_STORED_BYTES = 2 * MAX_LINE_BYTES;
const NEWLINE = Buffer.from('\n');

/**
 * Takes lines out of a quarantine table, file by file: a file that holds a taken line is named as removed, and its other
 * lines are kept apart. Lines of which not all bytes were kept, as they were too long, are never taken. Changes nothing itself.
 */
export async function takeLines({ io, scratch, metadata, select, asSent }: TakeLinesRequest): Promise<TakenLines> {
  const schema = currentSchema(metadata);
  const files = (await createScanner({ io }).files(metadata)).toSorted((a, b) =>
    a.sequenceNumber === b.sequenceNumber
      ? a.location < b.location
        ? -1
        : 1
      : a.sequenceNumber < b.sequenceNumber
        ? -1
        : 1,
  );
  const session = await openSession({ memoryLimit: MEMORY_LIMIT, threads: 1, tempDirectory: join(scratch, 'spill') });
  const spool = join(scratch, 'taken.ndjson');
  const out = await open(spool, 'w');
  const kept = lineGroups(scratch, 'kept');
  const [origins, removed]: [LineOrigin[], string[]] = [[], []];
  const choose = lineChoice(select);
  let superseded = 0;
  try {
    for (const [at, planned] of plannedFiles(files).entries()) {
      const { source, release } = await openSource(io, { files: [planned], schema, table: metadata });
      const path = join(scratch, `stored-${at}.ndjson`);
      try {
        const shapes = await session.shapes(sourcePaths(source));
        await session.rows(
          `COPY (${storedSql(liveRowsSql(source, storedFields(schema.fields), shapes), schema.fields)})
          TO ${literal(path)} (FORMAT json)`,
          { ordered: true, alone: true },
        );
      } finally {
        release();
      }
      const held = await countChosen(path, choose);
      superseded += held.superseded;
      if (held.taken === 0) continue;
      removed.push(planned.location);
      for await (const line of storedLines(path)) {
        if (choose(line) === 'taken') {
          await out.writeFile(Buffer.concat([sentLine(line, asSent), NEWLINE]));
          origins.push({ runId: line.run_id, stream: line.stream, position: Number(line.position) });
        } else await kept.put(line);
      }
    }
    return { spool, origins, kept: await kept.end(), removed, superseded };
  } catch (error) {
    throw duckdbError(error, 'query_failed', 'The quarantine table could not be read');
  } finally {
    session.close();
    await out.close();
    await kept.close();
  }
}

/** Lines of a spool that were rejected again, by the run and stream that they came from, in their old positions. */
export async function againRejected(
  rejected: RejectedLines,
  { origins, scratch }: { origins: readonly LineOrigin[]; scratch: string },
): Promise<LinesOf[]> {
  const groups = lineGroups(scratch, 'again');
  try {
    for await (const batch of spoolLines(rejected.path, MAX_STORED_BYTES)) {
      for (const bytes of batch) {
        const line = JSON.parse(bytes.toString()) as RejectedLine;
        const origin = origins[line.position];
        if (origin === undefined) throw new LakehouseError('lines_lost', 'A rejected line is none of the spool');
        await groups.put({ ...line, position: origin.position, run_id: origin.runId, stream: origin.stream });
      }
    }
    return await groups.end();
  } finally {
    await groups.close();
  }
}

/** A line as it came: what a source said to be no row goes back into the form that says so. */
function sentLine(stored: StoredLine, asSent: TakeLinesRequest['asSent']): Buffer {
  const raw = Buffer.from(stored.raw, 'base64');
  const { reason, file, line } = stored;
  if (typeof file !== 'string' || typeof line !== 'number' || asSent === undefined) return raw;
  return asSent({ reason, raw, ...placeOf(stored), file, line });
}

function placeOf(stored: StoredLine): Partial<SourcePlace> {
  const { file, line, byte, bytes } = stored;
  return Object.fromEntries(Object.entries({ file, line, byte, bytes }).filter(([, value]) => value != null));
}

/** Tables of before have no place in a file. */
const LATER = new Set(['file', 'line', 'byte', 'bytes']);

function storedFields(fields: readonly Field[]): Field[] {
  return QUARANTINE_COLUMNS.flatMap(({ name }) => {
    const field = fields.find((one) => one.name === name);
    if (field) return [field];
    if (LATER.has(name)) return [];
    throw new LakehouseError('metadata_invalid', 'The table is no quarantine table');
  });
}

function storedSql(from: string, fields: readonly Field[]): string {
  const selected = storedFields(fields).map((field) => {
    const value = field.type === 'binary' ? `base64(coalesce(${column(field)}, ''::BLOB))` : column(field);
    return `${value} AS ${identifier(field.name)}`;
  });
  return `SELECT ${selected.join(', ')} FROM (${from})`;
}

async function* storedLines(path: string): AsyncGenerator<StoredLine> {
  for await (const batch of spoolLines(path, MAX_STORED_BYTES)) {
    for (const bytes of batch) yield JSON.parse(bytes.toString()) as StoredLine;
  }
}

type Choice = 'taken' | 'superseded' | 'left';

function lineChoice({ runId, reasons, liveRuns }: LineSelection): (line: StoredLine) => Choice {
  const live = liveRuns && new Set(liveRuns);
  return (line) => {
    const { run_id, reason } = line;
    const fits = isWhole(line) && (runId === undefined || runId === run_id) && (reasons?.includes(reason) ?? true);
    if (!fits) return 'left';
    return live?.has(run_id) === false ? 'superseded' : 'taken';
  };
}

/** Of a line that was over the limit only the beginning was kept, or nothing; one of a file is kept beside its place. */
function isWhole({ raw, reason, file }: StoredLine): boolean {
  return raw !== '' && (reason !== 'line_too_large' || typeof file === 'string');
}

async function countChosen(path: string, choose: (line: StoredLine) => Choice): Promise<Record<Choice, number>> {
  const counts = { taken: 0, superseded: 0, left: 0 };
  for await (const line of storedLines(path)) counts[choose(line)] += 1;
  return counts;
}

/** Gathers lines in one file for each run and stream, in the form of rejected lines. */
function lineGroups(scratch: string, name: string) {
  const groups = new Map<string, LinesOf & { file: FileHandle; count: number; reasons: Record<string, number> }>();
  return {
    async put(line: StoredLine): Promise<void> {
      const { run_id: runId, stream, position, reason, raw } = line;
      const key = JSON.stringify([runId, stream]);
      let group = groups.get(key);
      if (group === undefined) {
        const path = join(scratch, `${name}-${groups.size}.ndjson`);
        const reasons = {};
        group = {
          runId,
          stream,
          file: await open(path, 'w'),
          count: 0,
          reasons,
          rejected: { path, count: 0, reasons },
        };
        groups.set(key, group);
      }
      group.count += 1;
      group.reasons[reason] = (group.reasons[reason] ?? 0) + 1;
      await group.file.writeFile(`${JSON.stringify({ position: Number(position), reason, raw, ...placeOf(line) })}\n`);
    },
    async end(): Promise<LinesOf[]> {
      for (const { file } of groups.values()) await file.close();
      return [...groups.values()].map(({ runId, stream, rejected, count }) => ({
        runId,
        stream,
        rejected: { ...rejected, count },
      }));
    },
    /** After a failure. */
    close: async (): Promise<void> => {
      for (const { file } of groups.values()) await file.close().catch(() => undefined);
    },
  };
}
