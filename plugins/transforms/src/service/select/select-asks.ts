import type { PinnedInput } from '@weir/plugin-datasets/contract';
import type { Column, MergeResult, PinnedRows, RunSelectResult, SelectCheck } from '@weir/plugin-datasets/stage';
import type { ColumnLineage, Finding, IncrementOf, IncrementShape, Place, Volatile } from '@weir/sql';
import type { CheckFound } from '../../model/checks/check-results.ts';
import type { RowsAsk, RunAsk, SelectAsk, SelectInput } from '../../model/select/messages.ts';
import { SelectFailed, SqlRefused } from '../../model/select/select-errors.ts';
import { type AskedMerge, planMerge } from './merge-rows.ts';
import { type SelectStores, storeCode } from './stores.ts';
import { type AskedTable, tableRows } from './table-rows.ts';

/** Characters of a statement; DuckDB sees no longer one. */
const MAX_SQL_CHARS = 100_000;

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
  /** What it may do that its author does not mean. */
  findings: readonly Finding[];
}

/** What a run wrote, and how its checks ended. */
export type SelectRun = Omit<RunSelectResult, 'checks'> & { checks: readonly CheckFound[] };

/** Questions about statements of users. All throw `SqlRefused` and `SelectFailed`. */
export interface SelectAsks {
  /** The ids of the datasets that a statement reads, in the order of its text, and after them those of its checks. */
  read(sql: string, checks?: readonly SelectCheck[]): Promise<ReadSelect>;
  /** The columns of the result, and where each comes from. Refuses checks that do not fit it. */
  describe(
    asked: AskedSelect & { checks?: readonly SelectCheck[]; increment?: IncrementOf | undefined },
  ): Promise<DescribedSelect>;
  /** The first rows of the result. */
  rows(asked: AskedSelect & Pick<RowsAsk, 'limit' | 'maxBytes' | 'arrow'>): Promise<SelectedRows>;
  /** Writes the result as data files below `folder`. `store` opens where they go; checks see the rows of `table` that stay. */
  run(
    asked: AskedSelect & Omit<RunAsk, 'kind' | 'inputs' | 'onto'> & { store: object; table?: AskedTable },
  ): Promise<SelectRun>;
  /** Replaces the rows of a table by key. Changes nothing: answers what a commit adds, and the files that it takes away. */
  merge(asked: AskedMerge): Promise<Pick<MergeResult, 'files' | 'removed' | 'updated'>>;
}

/** The files that a question reads. */
export type Read = Pick<PinnedInput, 'plan' | 'store'>;

interface AskedFiles {
  pins?: readonly Read[];
  /** Opens where a result goes. */
  store?: object;
  signal?: AbortSignal | undefined;
}

/** Has a process answer. */
export type Ask = (what: SelectAsk, files?: AskedFiles) => Promise<unknown>;

/** Questions as they are put to processes. */
export function selectAsks(ask: Ask, stores: SelectStores): SelectAsks {
  const asked: Ask = async (what, files) => {
    if (what.sql.length > MAX_SQL_CHARS) throw new SqlRefused([{ code: 'too_complex' }]);
    return ask(what, files);
  };
  return {
    read: (sql, checks = []) => asked({ kind: 'read', sql, checks }) as Promise<ReadSelect>,
    describe: ({ sql, inputs, signal, checks = [], increment }) => {
      const how = { kind: 'describe' as const, sql, checks, ...(increment && { increment }) };
      const answer = asked({ ...how, inputs: inputs.map(selectInput) }, { pins: inputs, signal });
      return answer as Promise<DescribedSelect>;
    },
    rows: ({ inputs, signal, ...rest }) => {
      const answer = asked({ kind: 'rows', ...rest, inputs: inputs.map(selectInput) }, { pins: inputs, signal });
      return answer as Promise<SelectedRows>;
    },
    async run({ inputs, signal, store, table, ...rest }) {
      const { within } = rest;
      const onto = table && (await tableRows(stores.of(store), table));
      const changed = inputs.filter(({ datasetId }) => datasetId === within?.input);
      const pins: Read[] = [...inputs, ...changed.map((pin) => ({ ...pin, plan: within?.changed ?? pin.plan }))];
      if (onto !== undefined) pins.push({ plan: onto.rows, store });
      const what = { kind: 'run' as const, ...rest, ...(onto && { onto }), inputs: inputs.map(selectInput) };
      return (await asked(what, { pins, store, signal })) as SelectRun;
    },
    async merge(wanted) {
      const { store, batch, signal } = wanted;
      const planned = await planMerge(stores.of(store), wanted).catch((error) => {
        throw new SelectFailed(storeCode(error));
      });
      if (planned === undefined) return { files: batch, removed: [], updated: 0 };
      const { ask: what, rows: plan } = planned;
      return (await asked(what, { pins: [{ plan, store }], store, signal })) as MergeResult;
    },
  };
}

const selectInput = ({ datasetId, plan }: PinnedInput): SelectInput => ({ name: datasetId, rows: plan as PinnedRows });
