import { randomUUID } from 'node:crypto';
import { lstat, realpath } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import type { ChildRegistry } from '@weir/kernel';
import type { PinnedInput } from '@weir/plugin-datasets/contract';
import type {
  Column,
  FileIO,
  MergeResult,
  PinnedRows,
  RunSelectResult,
  SelectCheck,
} from '@weir/plugin-datasets/stage';
import { removeTree } from '@weir/processes';
import type { ColumnLineage, IncrementOf, IncrementShape, Place, Volatile } from '@weir/sql';
import { goneOfCall, type Turns, takeForCall } from '@weir/turns';
import { type BegunChild, type SpareChild, spareChild } from '@weir/work';
import type { CheckFound } from '../../model/checks/check-results.ts';
import type { RowsAsk, RunAsk, SelectAsk, SelectBounds, SelectInput } from '../../model/select/messages.ts';
import { SelectFailed, SqlRefused } from '../../model/select/select-errors.ts';
import { type AskedMerge, planMerge } from './merge-rows.ts';
import { type SelectPlace, selectPlace } from './select-place.ts';
import { askSelect, beginSelect } from './select-process.ts';
import { localFiles, type ReadRows, selectStores, storeCode } from './stores.ts';
import { type AskedTable, tableRows } from './table-rows.ts';

/** Characters of a statement; DuckDB sees no longer one. */
export const MAX_SQL_CHARS = 100_000;

export interface SelectsOptions {
  children?: ChildRegistry;
  /** A folder of its own, for what statements spill. */
  scratch: string;
  bounds: SelectBounds;
  /** Whose turn it is; as many at a time as are asked for unless set. Calls that nobody waits for are ended. */
  turns?: Turns;
  /** What a statement that is only read may take, in milliseconds; as much as one that runs unless set. */
  readDeadlineMs?: number;
}

export interface AskedSelect {
  sql: string;
  inputs: readonly PinnedInput[];
  signal?: AbortSignal | undefined;
}

export interface AskedQuery extends Pick<RowsAsk, 'sql' | 'limit' | 'maxBytes'> {
  pin(read: ReadSelect): Promise<readonly PinnedInput[]>;
  arrow?: (pins: readonly PinnedInput[]) => Readonly<Record<string, string>>;
  signal?: AbortSignal | undefined;
}

export interface ResultColumn {
  name: string;
  /** In the words of the table format. */
  type: string;
}

export interface SelectedRows {
  columns: readonly ResultColumn[];
  rows: readonly (readonly unknown[])[] | Uint8Array;
  truncated: boolean;
}

/** The datasets that a statement reads, and where it first names each. */
export interface ReadSelect {
  inputs: string[];
  places: Readonly<Record<string, Place>>;
}

/** What a statement gives, and what of it is not the same in the next run. */
export interface DescribedSelect extends Volatile {
  columns: Column[];
  lineage: ColumnLineage;
  increment?: IncrementShape | undefined;
}

/** What a run wrote, and how its checks ended. */
export type SelectRun = Omit<RunSelectResult, 'checks'> & { checks: readonly CheckFound[] };

/** Runs statements of users, each in a bounded process of its own. All throw `SqlRefused` and `SelectFailed`. */
export interface Selects {
  /** The ids of the datasets that a statement reads, in the order of its text, and after them those of its checks. */
  read(sql: string, checks?: readonly SelectCheck[]): Promise<ReadSelect>;
  /** The columns of the result, and where each comes from. Refuses checks that do not fit it. */
  describe(
    asked: AskedSelect & { checks?: readonly SelectCheck[]; increment?: IncrementOf | undefined },
  ): Promise<DescribedSelect>;
  /** The first rows of the result. */
  rows(asked: AskedSelect & Pick<RowsAsk, 'limit' | 'maxBytes' | 'arrow'>): Promise<SelectedRows>;
  /** The same for a statement whose inputs are pinned once it is known what it reads; `arrow` labels the rows. */
  query(asked: AskedQuery): Promise<SelectedRows & { pins: readonly PinnedInput[] }>;
  /** Writes the result as data files below `folder`. `store` opens where they go; checks see the rows of `table` that stay. */
  run(
    asked: AskedSelect & Omit<RunAsk, 'kind' | 'inputs' | 'onto'> & { store: object; table?: AskedTable },
  ): Promise<SelectRun>;
  /** Replaces the rows of a table by key. Changes nothing: answers what a commit adds, and the files that it takes away. */
  merge(asked: AskedMerge): Promise<Pick<MergeResult, 'files' | 'removed' | 'updated'>>;
  close(): Promise<void>;
}

export function createSelects({ children, scratch, bounds, turns, readDeadlineMs }: SelectsOptions): Selects {
  const stores = selectStores();
  const place = selectPlace(scratch, bounds);
  let waiting: Promise<SpareChild> | undefined;
  const spares = (): Promise<SpareChild> => {
    waiting ??= place.bounds().then((found) => spareChild(() => beginSelect(found, children)));
    return waiting;
  };
  const readBounds = { ...bounds, deadlineMs: Math.min(bounds.deadlineMs, readDeadlineMs ?? bounds.deadlineMs) };
  const running = new Set<AbortController>();

  /** Gives work a process, which ends with it. */
  const inTurn = async <T>(sql: string, asked: AbortSignal | undefined, work: (ask: Ask) => Promise<T>): Promise<T> => {
    if (sql.length > MAX_SQL_CHARS) throw new SqlRefused([{ code: 'too_complex' }]);
    const give = await (turns === undefined ? undefined : takeForCall(turns));
    const closing = new AbortController();
    running.add(closing);
    const signal = AbortSignal.any([closing.signal, asked, goneOfCall()].filter((one) => one !== undefined));
    try {
      const spare = await spares();
      const begun = spare.take();
      try {
        return await work((what, pins, store) => askOnce({ begun, what, pins: pins ?? [], signal, store }));
      } finally {
        await begun.discard();
        if (!closing.signal.aborted) spare.refill();
      }
    } finally {
      running.delete(closing);
      give?.();
    }
  };

  const askOnce = async ({ begun, what, pins, signal, store }: Asking): Promise<unknown> => {
    const folder = join(scratch, randomUUID());
    const output = store === undefined ? undefined : outputOf(stores.of(store), what, { folder, place });
    const files = await localFiles(pins.map((pin) => ({ io: stores.of(pin.store), rows: pin.plan as ReadRows }))).catch(
      (error) => {
        throw new SelectFailed(storeCode(error));
      },
    );
    try {
      const drafts = output?.drafts ?? join(folder, 'drafts');
      await place.show(begun, { own: [folder, drafts], files: files.paths });
      const isRead = what.kind === 'read' || what.kind === 'describe';
      const plan = { ask: what, bounds: isRead ? readBounds : bounds, paths: files.paths, scratch: folder, drafts };
      const upload = output?.upload ?? (() => Promise.reject(new SelectFailed('stage_failed')));
      return await askSelect(begun, plan, { signal, upload, codeOf: storeCode });
    } catch (error) {
      // It may still write: what it leaves is removed behind its end.
      await begun.discard();
      throw error;
    } finally {
      files.release();
      if (output !== undefined) await removeTree(output.drafts);
      await removeTree(folder);
    }
  };

  return {
    read: (sql, checks = []) =>
      inTurn(sql, undefined, (ask) => ask({ kind: 'read', sql, checks }) as Promise<ReadSelect>),
    describe: ({ sql, inputs, signal, checks = [], increment }) =>
      inTurn(sql, signal, (ask) => {
        const how = { kind: 'describe' as const, sql, checks, ...(increment && { increment }) };
        const answer = ask({ ...how, inputs: inputs.map(selectInput) }, inputs);
        return answer as ReturnType<Selects['describe']>;
      }),
    rows: ({ inputs, signal, ...rest }) =>
      inTurn(rest.sql, signal, (ask) => {
        const answer = ask({ kind: 'rows', ...rest, inputs: inputs.map(selectInput) }, inputs);
        return answer as Promise<SelectedRows>;
      }),
    query: ({ pin, signal, ...rest }) =>
      inTurn(rest.sql, signal, async (ask) => {
        const pins = await pin((await ask({ kind: 'read', sql: rest.sql })) as ReadSelect);
        const { arrow, ...asked } = rest;
        const labels = arrow === undefined ? {} : { arrow: arrow(pins) };
        const what = { kind: 'rows', ...asked, ...labels, inputs: pins.map(selectInput) } as const;
        return { ...((await ask(what, pins)) as SelectedRows), pins };
      }),
    run: ({ inputs, signal, store, table, ...rest }) =>
      inTurn(rest.sql, signal, async (ask) => {
        const { within } = rest;
        const onto = table && (await tableRows(stores.of(store), table));
        const changed = inputs.filter(({ datasetId }) => datasetId === within?.input);
        const read: Read[] = [...inputs, ...changed.map((pin) => ({ ...pin, plan: within?.changed ?? pin.plan }))];
        if (onto !== undefined) read.push({ plan: onto.rows, store });
        const what = { kind: 'run' as const, ...rest, ...(onto && { onto }), inputs: inputs.map(selectInput) };
        return (await ask(what, read, store)) as SelectRun;
      }),
    async merge(asked) {
      const { store, batch } = asked;
      const planned = await planMerge(stores.of(store), asked).catch((error) => {
        throw new SelectFailed(storeCode(error));
      });
      if (planned === undefined) return { files: batch, removed: [], updated: 0 };
      const { ask: what, rows } = planned;
      return inTurn('', asked.signal, (ask) => ask(what, [{ plan: rows, store }], store) as Promise<MergeResult>);
    },
    async close() {
      for (const one of running) one.abort();
      await (await waiting)?.drop();
      await stores.close();
      await removeTree(scratch);
    },
  };
}

type Read = Pick<PinnedInput, 'plan' | 'store'>;
type Ask = (what: SelectAsk, pins?: readonly Read[], store?: object) => Promise<unknown>;

interface Asking {
  begun: BegunChild;
  what: SelectAsk;
  pins: readonly Read[];
  signal: AbortSignal;
  store: object | undefined;
}

const selectInput = ({ datasetId, plan }: PinnedInput): SelectInput => ({ name: datasetId, rows: plan as PinnedRows });

/** Where a process writes drafts of a result, and how they get into the table's store: plain files of the drafts alone. */
function outputOf(io: FileIO, what: SelectAsk, { folder, place }: { folder: string; place: SelectPlace }) {
  const table = what.kind === 'run' || what.kind === 'merge' ? what.folder : '';
  const drafts = io.draftPath(`${table}/${randomUUID()}`) ?? join(folder, 'drafts');
  return {
    drafts,
    async upload(path: string, location: string): Promise<void> {
      const [file, real, within] = await Promise.all([lstat(path), realpath(path), realpath(drafts)]);
      const isDraft = file.isFile() && real.startsWith(within + sep);
      if (!isDraft || dirname(location) !== table) throw new SelectFailed('stage_failed');
      await place.takeBack(path);
      await io.upload(path, location);
    },
  };
}
