import { randomUUID } from 'node:crypto';
import { lstat, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ChildRegistry } from '@weir/kernel';
import type { PinnedInput } from '@weir/plugin-datasets/contract';
import type { Column, FileIO, PinnedRows, RunSelectResult } from '@weir/plugin-datasets/stage';
import { removeTree } from '@weir/processes';
import type { ColumnLineage } from '@weir/sql';
import { copyTokens, spareChild } from '@weir/work';
import type { RowsAsk, RunAsk, SelectAsk, SelectBounds, SelectInput } from '../../model/select/messages.ts';
import { SelectFailed, SqlRefused } from '../../model/select/select-errors.ts';
import { askSelect, beginSelect } from './select-process.ts';
import { localFiles, selectStores, storeCode } from './stores.ts';

/** Characters of a statement; DuckDB sees no longer one. */
export const MAX_SQL_CHARS = 100_000;

export interface SelectsOptions {
  children?: ChildRegistry;
  /** A folder of its own, for what statements spill. */
  scratch: string;
  bounds: SelectBounds;
  /** Statements that run at the same time; as many as wanted unless set. */
  slots?: number;
}

export interface AskedSelect {
  sql: string;
  inputs: readonly PinnedInput[];
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

/** Runs statements of users, each in a bounded process of its own. All throw `SqlRefused` and `SelectFailed`. */
export interface Selects {
  /** The ids of the datasets that a statement reads, in the order of its text. */
  read(sql: string): Promise<{ inputs: string[] }>;
  /** The columns of the result, and where each comes from. */
  describe(asked: AskedSelect): Promise<{ columns: Column[]; lineage: ColumnLineage }>;
  /** The first rows of the result. */
  rows(asked: AskedSelect & Pick<RowsAsk, 'limit' | 'maxBytes' | 'arrow'>): Promise<SelectedRows>;
  /** Writes the result as data files below `folder`. `store` opens where they go. */
  run(asked: AskedSelect & Omit<RunAsk, 'kind' | 'inputs'> & { store: object }): Promise<RunSelectResult>;
  close(): Promise<void>;
}

export function createSelects({
  children,
  scratch,
  bounds,
  slots = Number.POSITIVE_INFINITY,
}: SelectsOptions): Selects {
  const stores = selectStores();
  const spare = spareChild(() => beginSelect(children));
  const turns = copyTokens(slots);
  const running = new Set<AbortController>();

  const ask = async (
    what: SelectAsk,
    pins: readonly PinnedInput[],
    more: { store?: object; signal?: AbortSignal | undefined },
  ) => {
    if (what.sql.length > MAX_SQL_CHARS) throw new SqlRefused([{ code: 'too_complex' }]);
    await turns.take();
    const closing = new AbortController();
    running.add(closing);
    const signal = AbortSignal.any([closing.signal, ...(more.signal === undefined ? [] : [more.signal])]);
    try {
      return await inProcess({ what, pins, signal, store: more.store });
    } finally {
      running.delete(closing);
      turns.give();
      if (!closing.signal.aborted) spare.refill();
    }
  };

  const inProcess = async ({ what, pins, signal, store }: Work): Promise<unknown> => {
    const folder = join(scratch, randomUUID());
    const output = store === undefined ? undefined : outputOf(stores.of(store), what, folder);
    const files = await localFiles(
      pins.map((pin) => ({ io: stores.of(pin.store), rows: pin.plan as PinnedRows })),
    ).catch((error) => {
      throw new SelectFailed(storeCode(error));
    });
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const drafts = output?.drafts ?? join(folder, 'drafts');
      const plan = { ask: what, bounds, paths: files.paths, scratch: folder, drafts };
      const upload = output?.upload ?? (() => Promise.reject(new SelectFailed('stage_failed')));
      return await askSelect(spare.take(), plan, { signal, upload, codeOf: storeCode });
    } finally {
      files.release();
      if (output !== undefined) await removeTree(output.drafts);
      await removeTree(folder);
    }
  };

  return {
    read: async (sql) => (await ask({ kind: 'read', sql }, [], {})) as { inputs: string[] },
    describe: async ({ sql, inputs, signal }) => {
      const what = { kind: 'describe', sql, inputs: inputs.map(selectInput) } as const;
      return (await ask(what, inputs, { signal })) as { columns: Column[]; lineage: ColumnLineage };
    },
    rows: async ({ inputs, signal, ...rest }) => {
      const what = { kind: 'rows', ...rest, inputs: inputs.map(selectInput) } as const;
      return (await ask(what, inputs, { signal })) as SelectedRows;
    },
    run: async ({ inputs, signal, store, ...rest }) => {
      const what = { kind: 'run', ...rest, inputs: inputs.map(selectInput) } as const;
      return (await ask(what, inputs, { signal, store })) as RunSelectResult;
    },
    async close() {
      for (const one of running) one.abort();
      await spare.drop();
      await stores.close();
    },
  };
}

interface Work {
  what: SelectAsk;
  pins: readonly PinnedInput[];
  signal: AbortSignal;
  store: object | undefined;
}

const selectInput = ({ datasetId, plan }: PinnedInput): SelectInput => ({ name: datasetId, rows: plan as PinnedRows });

/** Where a process writes drafts of a result, and how they get into the table's store: plain files of the drafts alone. */
function outputOf(io: FileIO, what: SelectAsk, scratch: string) {
  const table = what.kind === 'run' ? what.folder : '';
  const drafts = io.draftPath(`${table}/${randomUUID()}`) ?? join(scratch, 'drafts');
  return {
    drafts,
    async upload(path: string, location: string): Promise<void> {
      const file = await lstat(path);
      const isDraft = file.isFile() && dirname(dirname(path)) === drafts;
      if (!isDraft || dirname(location) !== table) throw new SelectFailed('stage_failed');
      await io.upload(path, location);
    },
  };
}
