import type { FieldFault } from '@weir/kernel/contract';
import { CHANCE, CLOCK } from '@weir/sql';
import { foldSql } from '../sync/fold-sql.ts';

/** Words that begin a query where an operand may be. */
const QUERIES: ReadonlySet<string> = new Set([
  ...['from', 'table', 'with', 'values', 'pivot', 'unpivot', 'describe', 'show', 'summarize'],
]);

/**
 * What keeps an expression from being a value of its row and of nothing else: then it would have another value in the next run, or in
 * a run that reads new rows alone. `columns` are those of the table, by their names in lower case.
 */
export function rowValueFaults(sql: string, pointer: string, columns: ReadonlySet<string>): FieldFault[] {
  const tokens = foldSql(sql).map((token) => token.toLowerCase());
  const isCall = (at: number) => tokens[at + 1] === '(' || !columns.has(tokens[at] ?? '');
  const isVolatile = tokens.some((token, at) => (CLOCK.has(token) || CHANCE.has(token)) && isCall(at));
  const readsOthers = tokens.some(
    (token, at) =>
      token === 'select' ||
      (token === '(' && QUERIES.has(tokens[at + 1] ?? '')) ||
      (token === 'over' && tokens[at - 1] === ')'),
  );
  return [
    ...(isVolatile ? [{ pointer, code: 'volatile', message: 'has another value in the next run' }] : []),
    ...(readsOthers ? [{ pointer, code: 'other_rows', message: 'reads other rows than its own' }] : []),
  ];
}
