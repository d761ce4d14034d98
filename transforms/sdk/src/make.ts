import { type MadeCheck, makeChecks } from './checks.ts';
import type { SqlTransform, TransformPattern } from './load-package.ts';
import type { Fault } from './parameters.ts';
import { ident, UnfitValue } from './sql-text.ts';

/** What a pattern makes of parameters: the statement, and how its rows are written. */
export interface MadeDefinition {
  sql: string;
  materialization: string;
  key?: readonly string[];
  partition_by?: readonly string[];
  incremental?: string;
  checks?: readonly MadeCheck[];
}

type Given = Readonly<Record<string, unknown>>;
type Made = { made: MadeDefinition; parameters: Record<string, unknown> } | { faults: Fault[] };

/** Makes a definition of a pattern and parameters. Parameters become SQL by the functions of templates alone. */
export function makeDefinition(pattern: TransformPattern, given: Given): Made {
  const read = pattern.reader.read(given);
  if ('faults' in read) return read;
  const { values } = read;
  const { materialization = 'full', key, partition_by, incremental } = pattern.document;
  const taken = <T>(member: T) =>
    typeof member === 'string' && member.startsWith('/') ? values[member.slice(1)] : member;
  return rendered(() => {
    const made = {
      sql: pattern.template.render(values),
      materialization: taken(materialization),
      key: taken(key),
      partition_by: taken(partition_by),
      incremental: taken(incremental),
      checks: pattern.checks.length === 0 ? undefined : makeChecks(pattern.checks, values),
    };
    const present = Object.entries(made).filter(([, value]) => value !== undefined);
    return { made: Object.fromEntries(present) as unknown as MadeDefinition, parameters: values };
  });
}

/** Columns that a SQL transform is applied to, and where its results go. */
export interface AppliedColumns {
  input: string;
  columns: readonly string[];
  /** New columns of these names with this ending; without it the columns themselves are replaced. */
  suffix?: string | undefined;
}

/** Makes the statement that applies a SQL transform to columns of a dataset. */
export function applySqlTransform(one: SqlTransform, { input, columns, suffix }: AppliedColumns, given: Given): Made {
  const read = one.reader.read(given);
  if ('faults' in read) return read;
  return rendered(() => {
    const results = columns.map((column) => {
      const name = ident(suffix === undefined ? column : `${column}${suffix}`);
      return `${one.template.render({ ...read.values, column })} as ${name.text}`;
    });
    const sql = one.statement.render({ input });
    const list = results.map((result) => `  ${result}`).join(',\n');
    return {
      made: {
        sql: suffix === undefined ? `select * replace (\n${list}\n)\n${sql}` : `select *,\n${list}\n${sql}`,
        materialization: 'full',
      },
      parameters: read.values,
    };
  });
}

function rendered(work: () => Exclude<Made, { faults: Fault[] }>): Made {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof UnfitValue)) throw error;
    return { faults: [{ pointer: '', code: 'unfit_value', message: error.message }] };
  }
}
