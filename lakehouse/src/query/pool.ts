import { availableParallelism } from 'node:os';
import type { Condition } from '../condition.ts';
import { LakehouseError } from '../error.ts';
import type { FileIO } from '../fileio.ts';
import type { Field, TableSchema } from '../types.ts';
import { askChild, endChild, startChild } from './ask-child.ts';
import type { PlannedFile, RowPosition } from './plan-read.ts';
import type { PageQuery, Query, QueryPage, ReadOrder, ValueCounts } from './protocol.ts';
import { openSource, type TableFacts } from './row-source.ts';
import { createSlots, type Lane, type Slot } from './slots.ts';

export type QueryPoolOptions = {
  /** Where files that are not local come from; without it all have to be. */
  readonly io?: FileIO;
  /** Child processes at most, each answering one request at a time; as many as cores, two to four, unless told. */
  readonly size?: number;
  /** How long one request may run before it is stopped. */
  readonly deadlineMs?: number;
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
  readonly signal?: AbortSignal;
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

export type CountRequest = RowsOf & { readonly column: string; readonly limit: number };

export type QueryPool = ReturnType<typeof createQueryPool>;

const DEFAULT_DEADLINE_MS = 10_000;
const DEFAULT_MEMORY_LIMIT = '256MB';
const DEFAULT_THREADS = 2;
const DEFAULT_RESIDENT_BYTES = 768 * 1024 * 1024;
const DEFAULT_WAIT_MS = 10_000;
const MIN_CHILDREN = 2;
const MAX_CHILDREN = 4;
/** Files that a short read opens at most. */
const SHORT_READ_FILES = 4;

/** After these a child may still hold the memory or the work of the failed request. */
const FATAL: ReadonlySet<string> = new Set(['out_of_memory', 'query_failed']);

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

function laneOf({ files, conditions = [] }: RowsOf, order?: ReadOrder): Lane {
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
  const pool = createSlots(size, options.waitMs ?? DEFAULT_WAIT_MS);
  let closed = false;

  const run = async (slot: Slot, query: Query, signal: AbortSignal | undefined): Promise<unknown> => {
    if (closed) throw new LakehouseError('query_failed', 'The query pool is closed');
    slot.child = slot.child?.connected ? slot.child : startChild(limits);
    const { child } = slot;
    try {
      return await askChild(child, query, { deadlineMs, signal });
    } catch (error) {
      if (!child.connected || (error instanceof LakehouseError && FATAL.has(error.code))) {
        slot.child = undefined;
        await endChild(child);
      }
      throw error;
    }
  };

  const ask = async (lane: Lane, query: Omit<PageQuery, 'source'> | Omit<Query, 'source'>, rows: RowsOf) => {
    const { files, schema, table, signal } = rows;
    const slot = await pool.acquire(lane);
    try {
      const { source, release } = await openSource(options.io, { files, schema, table });
      try {
        return await run(slot, { ...query, source } as Query, signal);
      } finally {
        release();
      }
    } finally {
      pool.release(slot);
    }
  };

  const page = async (request: PreviewRequest, arrow?: Readonly<Record<string, string>>) => {
    const query = { ...pageQuery(request), arrow };
    const { rows, last, more } = (await ask(laneOf(request, request.order), query, request)) as QueryPage;
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
      return (await ask('long', query, request)) as ValueCounts;
    },

    /** Ends all children, and with them the requests that still run. */
    async close(): Promise<void> {
      closed = true;
      await Promise.all(pool.slots.map((slot) => slot.child && endChild(slot.child)));
    },
  };
}
