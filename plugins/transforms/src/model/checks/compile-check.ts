import { identifier, literal } from '@weir/plugin-datasets/stage';
import { repeatedKeys, rowsWithout } from '@weir/sql';
import type { CheckBody } from '../../contract.ts';

const MS_PER_SECOND = 1_000;

/** A check as it is carried out: a SELECT of the wrong rows, over `result`, `written` and datasets. */
export interface CompiledCheck {
  name: string;
  sql: string;
  /** Wrong rows keep the result from being published. */
  blocks: boolean;
}

/** Checks of the table as it will be: rows of earlier runs count. Others judge each written row by itself. */
const OF_THE_TABLE: readonly CheckBody['kind'][] = ['unique', 'row_count', 'freshness', 'sql'];

/** Whether a check reads rows that earlier runs wrote. */
export const readsTable = ({ kind }: CheckBody): boolean => OF_THE_TABLE.includes(kind);

/**
 * The statement of a check at a moment; `keeps` says that rows of earlier runs stay beside the written ones. Names and values
 * of the definition are quoted, whatever they hold. Pure.
 */
export const compileCheck = (check: CheckBody, now: Date, keeps = false): CompiledCheck => ({
  ...{ name: check.name, sql: statementOf(check, now, keeps), blocks: check.severity !== 'warn' },
});

function statementOf(check: CheckBody, now: Date, keeps: boolean): string {
  switch (check.kind) {
    case 'not_null':
      return rowsWithout(check.columns.map(identifier), 'written');
    case 'unique':
      return repeated(check.columns.map(identifier), keeps);
    case 'accepted_values': {
      const column = identifier(check.column);
      const values = check.values.map((value) => (typeof value === 'string' ? literal(value) : String(value)));
      return `SELECT * FROM written WHERE ${column} IS NOT NULL AND ${column} NOT IN (${values.join(', ')})`;
    }
    case 'relationship':
      return orphans(check);
    case 'row_count': {
      const outside = [
        ...(check.min === undefined ? [] : [`count(*) < ${check.min}`]),
        ...(check.max === undefined ? [] : [`count(*) > ${check.max}`]),
      ];
      return `SELECT count(*) AS row_count FROM result HAVING ${outside.join(' OR ')}`;
    }
    case 'freshness': {
      const newest = `max(${identifier(check.column)})`;
      const oldest = Math.floor(now.getTime() / MS_PER_SECOND) - check.max_age_seconds;
      return `SELECT ${newest} AS newest FROM result HAVING ${newest} IS NULL OR epoch(${newest}) < ${oldest}`;
    }
    case 'sql':
      return check.sql;
  }
}

/** Of the keys that are written those that several rows of the table have: others were judged by the run that wrote them. */
function repeated(columns: readonly string[], keeps: boolean): string {
  return repeatedKeys(columns, keeps ? `result SEMI JOIN written USING (${columns.join(', ')})` : 'written');
}

function orphans({ column, to, to_column }: Extract<CheckBody, { kind: 'relationship' }>): string {
  const own = `one.${identifier(column)}`;
  const theirs = `other.${identifier(to_column ?? column)}`;
  const table = to.split('.').map(identifier).join('.');
  const known = `SELECT 1 FROM ${table} AS other WHERE ${theirs} = ${own}`;
  return `SELECT * FROM written AS one WHERE ${own} IS NOT NULL AND NOT EXISTS (${known})`;
}
