import type { ChildProcess } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { LakehouseError } from '../error/error.ts';
import type { LiveFile } from '../manifest/live-file.ts';
import { openSource, type TableFacts } from '../rows/row-source.ts';
import type { Condition } from '../scan/condition.ts';
import { type PlannedFile, plannedFiles, type RowPosition } from '../scan/plan-read.ts';
import { mayHold } from '../scan/prune.ts';
import type { Field, TableSchema } from '../schema/types.ts';
import type { FileIO } from '../store/fileio.ts';
import { type AskUntil, askChild, endChild, startChild } from './ask-child.ts';
import { addFigures, NO_FIGURES, parts, type RowFigures } from './count-rows.ts';
import type {
  CountQuery,
  FiguresQuery,
  PageQuery,
  Query,
  QueryPage,
  ReadOrder,
  SampleAnswer,
  SampleQuery,
  SampleSelect,
  ValueCounts,
} from './protocol.ts';
import { createSlots, type Lane, type Slot, type Slots } from './slots.ts';

export type QueryPoolOptions = {
  /** Where files that are not local come from; without it all have to be. */
  readonly io?: FileIO;
  /** Child processes at most, each answering one request at a time; as many as cores, two to four, unless told. */
  readonly size?: number;
  /** How long one request may run before it is stopped. */
  readonly deadlineMs?: number;
  /** How long the statements over one sample may run together. */
  readonly sampleDeadlineMs?: number;
  /** Whose turn it is to have one of so many children for what somebody waits for; each answer gives its turn back. */
  readonly turns?: (children: number) => () => Promise<() => void>;
  /** How long one request may wait for a child. */
  readonly waitMs?: number;
  /** What DuckDB may hold in a child, such as `256MB`; nothing is spilled to disk. */
  readonly memoryLimit?: string;
  readonly threads?: number;
  /** Resident bytes of a child at which it ends itself; DuckDB's limit does not cover all that it holds. */
  readonly maxResidentBytes?: number;
};

/** What is read of which files. */
export type RowsOf = {
  /** As `planRead` chose them, for the same conditions, order and place to go on behind. */
  readonly files: readonly PlannedFile[];
  readonly schema: TableSchema;
  /** The table's metadata: needed where rows were deleted by columns that are gone, or files have no field ids. */
  readonly table?: TableFacts;
  /** What rows must fit, all of it. */
  readonly conditions?: readonly Condition[];
  /** Stops the work when nobody waits for it any more. */
  readonly signal?: AbortSignal | undefined;
};

export type PreviewRequest = RowsOf & {
  /** The names of the columns to read, in the order wanted; all when absent. */
  readonly columns?: readonly string[];
  readonly order?: ReadOrder;
  /** Rows up to this one, which a page of the same query ended with, are left out. */
  readonly after?: RowPosition | undefined;
  readonly limit: number;
  /** Bytes of a binary value that are read, from its beginning; all when absent. */
  readonly maxBinaryBytes?: number;
};

/** A page of rows, in the order of `columns`; `last` is where the next one goes on, when there is `more`. */
export type PreviewPage = {
  readonly columns: readonly Field[];
  readonly more: boolean;
  readonly last: RowPosition | undefined;
};

/** Live files of a snapshot whose rows are counted; of one run alone, by `_run_id`, when it is named. */
export type FiguresRequest = Omit<RowsOf, 'files' | 'conditions'> & {
  readonly files: readonly LiveFile[];
  readonly runId?: string;
  readonly where?: readonly Condition[];
};

export type CountRequest = RowsOf & { readonly column: string; readonly limit: number };

/** What is asked of the first rows of the files: statements over the table `sample` (see `SampleQuery`). */
export type SampleRequest = Omit<RowsOf, 'conditions'> & {
  /** The names of the columns of the sample, in the order in which they become `c0` and so on. */
  readonly columns: readonly string[];
  readonly rows: number;
  readonly selects: readonly SampleSelect[];
};

export type QueryPool = ReturnType<typeof createQueryPool>;

const DEFAULT_DEADLINE_MS = 10_000;
/** How long the figures of one part of a table may take, and how long others may wait for them. */
const AUDIT_DEADLINE_MS = 30 * 60 * 1000;
/** How long the statements over one sample may take. They have children of their own, for which no other read waits. */
const SAMPLE_DEADLINE_MS = 30_000;
const SAMPLE_CHILDREN = 2;
const DEFAULT_MEMORY_LIMIT = '256MB';
const DEFAULT_THREADS = 2;
const DEFAULT_RESIDENT_BYTES = 768 * 1024 * 1024;
const DEFAULT_WAIT_MS = 10_000;
const MIN_CHILDREN = 2;
const MAX_CHILDREN = 4;
const RUN_COLUMN = '_run_id';
/** Files that a short read opens at most. */
const SHORT_READ_FILES = 4;

/** Children for one kind of work. */
type Place = {
  readonly slots: Slots;
  readonly deadlineMs: number;
  readonly turn?: (() => Promise<() => void>) | undefined;
};
/** A query whose files are not yet on this machine. */
type Unsourced =
  | Omit<PageQuery, 'source'>
  | Omit<CountQuery, 'source'>
  | Omit<FiguresQuery, 'source'>
  | Omit<SampleQuery, 'source'>;

/** After these a child may still hold the memory or the work of the failed request. */
const FATAL: ReadonlySet<string> = new Set(['out_of_memory', 'query_failed']);

function isAlive(child: ChildProcess): boolean {
  return child.connected && !child.killed;
}

function fieldNamed(schema: TableSchema, name: string): Field {
  const field = schema.fields.find((one) => one.name === name);
  if (!field) throw new LakehouseError('query_failed', 'A wanted column is not in the schema');
  return field;
}

/** A page as a child takes it. `position_missing` when the files do not hold the row to go on behind. */
function pageQuery(request: PreviewRequest): Omit<PageQuery, 'source' | 'arrow'> {
  const { files, schema, columns, conditions = [], order, after, limit, maxBinaryBytes } = request;
  const fields = columns ? columns.map((name) => fieldNamed(schema, name)) : schema.fields;
  const index = files.findIndex((planned) => planned.file === after?.file);
  if (index < 0 && after !== undefined && order !== undefined) {
    throw new LakehouseError('position_missing', 'There is no such row to go on behind');
  }
  const place = after === undefined || index < 0 ? undefined : { index, row: after.row };
  return { kind: 'page', fields, conditions, order, after: place, limit, maxBinaryBytes };
}

function ofRun(schema: TableSchema, runId: string): Condition {
  return { field: fieldNamed(schema, RUN_COLUMN), op: 'eq', text: runId };
}

function laneOf({ files, conditions = [], order }: PreviewRequest): Lane {
  return files.length <= SHORT_READ_FILES && conditions.length === 0 && order === undefined ? 'short' : 'long';
}

/**
 * Reads rows of data files in child processes, so that neither a slow nor a greedy query can harm this one: a child is
 * stopped or killed at the deadline (`query_deadline`), ends itself at its memory bound (`out_of_memory`), and is
 * replaced.
 */
export function createQueryPool(options: QueryPoolOptions = {}) {
  const deadlineMs = options.deadlineMs ?? DEFAULT_DEADLINE_MS;
  const limits = {
    memoryLimit: options.memoryLimit ?? DEFAULT_MEMORY_LIMIT,
    threads: options.threads ?? DEFAULT_THREADS,
    maxResidentBytes: options.maxResidentBytes ?? DEFAULT_RESIDENT_BYTES,
  };
  const size = options.size ?? Math.min(MAX_CHILDREN, Math.max(MIN_CHILDREN, availableParallelism()));
  const { turns, waitMs = DEFAULT_WAIT_MS } = options;
  const reads: Place = { slots: createSlots(size, waitMs), deadlineMs, turn: turns?.(size) };
  const audits: Place = { slots: createSlots(1, AUDIT_DEADLINE_MS), deadlineMs: AUDIT_DEADLINE_MS };
  const samples: Place = {
    slots: createSlots(SAMPLE_CHILDREN, waitMs),
    deadlineMs: options.sampleDeadlineMs ?? SAMPLE_DEADLINE_MS,
    turn: turns?.(SAMPLE_CHILDREN),
  };
  let closed = false;

  const run = async (slot: Slot, query: Query, until: AskUntil): Promise<unknown> => {
    if (closed) throw new LakehouseError('query_failed', 'The query pool is closed');
    slot.child = slot.child && isAlive(slot.child) ? slot.child : startChild(limits);
    const { child } = slot;
    try {
      return await askChild(child, query, until);
    } catch (error) {
      if (!isAlive(child) || (error instanceof LakehouseError && FATAL.has(error.code))) {
        slot.child = undefined;
        await endChild(child);
      }
      throw error;
    }
  };

  const ask = async (
    { slots, deadlineMs, turn }: Place,
    lane: Lane,
    query: Unsourced,
    rows: RowsOf,
  ): Promise<unknown> => {
    const { files, schema, table, signal } = rows;
    const give = await turn?.();
    const slot = await slots.acquire(lane, signal).catch((error: unknown) => {
      give?.();
      throw error;
    });
    try {
      const { source, release } = await openSource(options.io, { files, schema, table });
      try {
        return await run(slot, { ...query, source } as Query, { deadlineMs, signal });
      } finally {
        release();
      }
    } finally {
      slots.release(slot);
      give?.();
    }
  };

  const page = async (request: PreviewRequest, arrow?: Readonly<Record<string, string>>) => {
    const query = { ...pageQuery(request), arrow };
    const { rows, last, more } = (await ask(reads, laneOf(request), query, request)) as QueryPage;
    const file = request.files[last?.index ?? -1]?.file;
    const position = last === undefined || file === undefined ? undefined : { file, row: last.row };
    return { columns: query.fields, rows, more, last: position };
  };

  return {
    /** Up to `limit` rows of the files, with the columns of the schema; every value as `wireValue` gives it. */
    async preview(request: PreviewRequest): Promise<PreviewPage & { rows: readonly (readonly unknown[])[] }> {
      const { rows, ...rest } = await page(request);
      return { ...rest, rows: rows as readonly (readonly unknown[])[] };
    },

    /** The same rows as an Arrow IPC stream, whose schema carries the labels. */
    async previewArrow(
      request: PreviewRequest,
      labels: Readonly<Record<string, string>>,
    ): Promise<PreviewPage & { stream: Uint8Array }> {
      const { rows, ...rest } = await page(request, labels);
      return { ...rest, stream: rows as Uint8Array };
    },

    /** The values of a column and how many rows have each, the most frequent first. */
    async count(request: CountRequest): Promise<ValueCounts> {
      const { schema, column, conditions = [], limit } = request;
      const query = { kind: 'count', field: fieldNamed(schema, column), conditions, limit } as const;
      return (await ask(reads, 'long', query, request)) as ValueCounts;
    },

    /**
     * Rows, rows with errors and checksum of the rows of the files, read whole: in a child of its own, with a deadline
     * of its own, so that neither previews nor the figures wait for the other.
     */
    async figures({ files, runId, where = [], ...rows }: FiguresRequest): Promise<RowFigures> {
      const { schema } = rows;
      const conditions = [...where, ...(runId === undefined ? [] : [ofRun(schema, runId)])];
      const held = files.filter((file) => file.recordCount > 0n && mayHold(file, conditions));
      let figures = NO_FIGURES;
      for (const part of parts(held)) {
        const query = { kind: 'figures', schema, conditions } as const;
        figures = addFigures(
          figures,
          (await ask(audits, 'long', query, { ...rows, files: plannedFiles(part) })) as RowFigures,
        );
      }
      return figures;
    },

    /**
     * The answers to statements over the first rows of the files. Each is a single SELECT, which reaches the sample and
     * nothing else of this machine; `query_refused` for anything else, `result_too_large` for more rows than it may have.
     */
    async sample(request: SampleRequest): Promise<SampleAnswer> {
      const { schema, columns, rows, selects } = request;
      const fields = columns.map((name) => fieldNamed(schema, name));
      return (await ask(samples, 'short', { kind: 'sample', fields, rows, selects }, request)) as SampleAnswer;
    },

    /** Ends all children, and with them the requests that still run. */
    async close(): Promise<void> {
      closed = true;
      const all = [reads, audits, samples].flatMap(({ slots }) => slots.slots);
      await Promise.all(all.map((slot) => slot.child && endChild(slot.child)));
    },
  };
}
