import { type ChildProcess, fork } from 'node:child_process';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Condition } from '../condition.ts';
import { LakehouseError } from '../error.ts';
import { localPath } from '../fileio.ts';
import type { Field, TableSchema } from '../types.ts';
import type { PlannedFile, RowPosition } from './plan-read.ts';
import type { ChildLimits, QueryAnswer, QueryPage, QueryRequest, ReadOrder } from './protocol.ts';

export type QueryPoolOptions = {
  /** Child processes, each answering one request at a time. */
  readonly size?: number;
  /** How long one request may run before its child is killed. */
  readonly deadlineMs?: number;
  /** How long one request may wait for a child. */
  readonly waitMs?: number;
  /** What DuckDB may hold in a child, such as `256MB`; nothing is spilled to disk. */
  readonly memoryLimit?: string;
  readonly threads?: number;
  /** Resident bytes of a child at which it ends itself; DuckDB's limit does not cover all that it holds. */
  readonly maxResidentBytes?: number;
};

export type PreviewRequest = {
  /** As `planRead` chose them, for the same conditions, order and place to go on behind. */
  readonly files: readonly PlannedFile[];
  readonly schema: TableSchema;
  /** The names of the columns to read, in the order wanted; all when absent. */
  readonly columns?: readonly string[];
  /** What rows must fit, all of it. */
  readonly conditions?: readonly Condition[];
  readonly order?: ReadOrder;
  /** Rows up to this one, which a page of the same query ended with, are left out. */
  readonly after?: RowPosition | undefined;
  readonly limit: number;
};

/** A page of rows, in the order of `columns`; `last` is where the next one goes on, when there is `more`. */
export type PreviewPage = {
  readonly columns: readonly Field[];
  readonly more: boolean;
  readonly last: RowPosition | undefined;
};

export type QueryPool = ReturnType<typeof createQueryPool>;

const DEFAULT_DEADLINE_MS = 10_000;
const DEFAULT_MEMORY_LIMIT = '256MB';
const DEFAULT_THREADS = 2;
const DEFAULT_RESIDENT_BYTES = 768 * 1024 * 1024;
const CHILD_HEAP_MB = 256;
/** Requests that may wait for a child, and how long each may; beyond it they are refused (`query_busy`). */
const MAX_WAITING = 64;
const DEFAULT_WAIT_MS = 10_000;

const CHILD = fileURLToPath(new URL(`./child${extname(import.meta.url)}`, import.meta.url));

/** One place for a child; its child is started when it is first needed and again after it ended. */
type Slot = { child: ChildProcess | undefined; busy: boolean };

function spawn(limits: ChildLimits): ChildProcess {
  return fork(CHILD, [JSON.stringify(limits)], {
    // Nothing of the parent's environment or flags is the child's business.
    env: {},
    execArgv: ['--disable-warning=ExperimentalWarning', `--max-old-space-size=${CHILD_HEAP_MB}`],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    // Bytes go over as bytes.
    serialization: 'advanced',
  });
}

function ask(child: ChildProcess, request: QueryRequest, deadlineMs: number): Promise<QueryPage> {
  return new Promise((resolve, reject) => {
    const settle = (action: () => void): void => {
      clearTimeout(timer);
      child.off('message', onMessage).off('exit', onExit).off('error', onExit);
      action();
    };
    const onExit = (): void =>
      settle(() => reject(new LakehouseError('query_failed', 'The query process ended early')));
    const onMessage = (answer: QueryAnswer): void =>
      settle(() =>
        'result' in answer
          ? resolve(answer.result)
          : reject(new LakehouseError(answer.error.code, answer.error.message)),
      );
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      settle(() => reject(new LakehouseError('query_deadline', 'The query took too long')));
    }, deadlineMs);
    child.on('message', onMessage).on('exit', onExit).on('error', onExit);
    child.send(request, (error) => error && onExit());
  });
}

/** The children of a pool, and the line of requests that wait for one. */
function createSlots(size: number, limits: ChildLimits, waitMs: number) {
  const slots: Slot[] = Array.from({ length: size }, () => ({ child: undefined, busy: false }));
  const waiting: ((slot: Slot) => void)[] = [];
  return {
    slots,
    child(slot: Slot): ChildProcess {
      if (slot.child?.connected) return slot.child;
      const child = spawn(limits);
      child.on('error', () => child.kill('SIGKILL'));
      child.once('exit', () => {
        if (slot.child === child) slot.child = undefined;
      });
      slot.child = child;
      return child;
    },
    async acquire(): Promise<Slot> {
      const free = slots.find((slot) => !slot.busy);
      if (free) {
        free.busy = true;
        return free;
      }
      const busy = new LakehouseError('query_busy', 'Too many queries are waiting');
      if (waiting.length >= MAX_WAITING) throw busy;
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          waiting.splice(waiting.indexOf(take), 1);
          reject(busy);
        }, waitMs);
        const take = (slot: Slot): void => {
          clearTimeout(timer);
          resolve(slot);
        };
        waiting.push(take);
      });
    },
    release(slot: Slot): void {
      const next = waiting.shift();
      if (next) next(slot);
      else slot.busy = false;
    },
  };
}

/** A request as a child takes it. `position_missing` when the files do not hold the row to go on behind. */
function queryOf(request: PreviewRequest): { fields: readonly Field[]; query: Omit<QueryRequest, 'arrow'> } {
  const { files, schema, columns, conditions = [], order, after, limit } = request;
  const byName = new Map(schema.fields.map((field) => [field.name, field]));
  const fields = columns ? columns.map((name) => byName.get(name)) : schema.fields;
  if (!fields.every((field) => field !== undefined)) {
    throw new LakehouseError('query_failed', 'A wanted column is not in the schema');
  }
  const index = files.findIndex((planned) => planned.file === after?.file);
  if (index < 0 && after !== undefined && order !== undefined) {
    throw new LakehouseError('position_missing', 'There is no such row to go on behind');
  }
  const place = after === undefined || index < 0 ? undefined : { index, row: after.row };
  const paths = files.map((planned) => localPath(planned.location));
  return { fields, query: { paths, fields, conditions, order, after: place, limit } };
}

/** After these a child may still hold the memory or the work of the failed request. */
const FATAL: ReadonlySet<string> = new Set(['out_of_memory', 'query_deadline', 'query_failed']);

function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    child.once('exit', () => resolve());
    child.kill('SIGKILL');
  });
}

/**
 * Reads rows of data files in child processes, so that neither a slow nor a greedy query can harm this one: a child is
 * killed at the deadline (`query_deadline`), ends itself at its memory bound (`out_of_memory`), and is replaced.
 */
export function createQueryPool(options: QueryPoolOptions = {}) {
  const deadlineMs = options.deadlineMs ?? DEFAULT_DEADLINE_MS;
  const limits = {
    memoryLimit: options.memoryLimit ?? DEFAULT_MEMORY_LIMIT,
    threads: options.threads ?? DEFAULT_THREADS,
    maxResidentBytes: options.maxResidentBytes ?? DEFAULT_RESIDENT_BYTES,
  };
  const pool = createSlots(options.size ?? 1, limits, options.waitMs ?? DEFAULT_WAIT_MS);
  let closed = false;

  const run = async (slot: Slot, request: QueryRequest): Promise<QueryPage> => {
    if (closed) throw new LakehouseError('query_failed', 'The query pool is closed');
    const child = pool.child(slot);
    try {
      return await ask(child, request, deadlineMs);
    } catch (error) {
      if (error instanceof LakehouseError && FATAL.has(error.code)) {
        slot.child = undefined;
        await end(child);
      }
      throw error;
    }
  };

  const read = async (request: PreviewRequest, arrow?: Readonly<Record<string, string>>) => {
    const { fields, query } = queryOf(request);
    const slot = await pool.acquire();
    try {
      const { rows, last, more } = await run(slot, { ...query, arrow });
      const file = request.files[last?.index ?? -1]?.file;
      const position = last === undefined || file === undefined ? undefined : { file, row: last.row };
      return { columns: fields, rows, more, last: position };
    } finally {
      pool.release(slot);
    }
  };

  return {
    /** Up to `limit` rows of the files, with the columns of the schema; every value as `wireValue` gives it. */
    async preview(request: PreviewRequest): Promise<PreviewPage & { rows: readonly (readonly unknown[])[] }> {
      const { rows, ...page } = await read(request);
      return { ...page, rows: rows as readonly (readonly unknown[])[] };
    },

    /** The same rows as an Arrow IPC stream, whose schema carries the labels. */
    async previewArrow(
      request: PreviewRequest,
      labels: Readonly<Record<string, string>>,
    ): Promise<PreviewPage & { stream: Uint8Array }> {
      const { rows, ...page } = await read(request, labels);
      return { ...page, stream: rows as Uint8Array };
    },

    /** Ends all children, and with them the requests that still run. */
    async close(): Promise<void> {
      closed = true;
      await Promise.all(pool.slots.map((slot) => slot.child && end(slot.child)));
    },
  };
}
