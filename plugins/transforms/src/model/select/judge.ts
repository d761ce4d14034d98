import { nearestName } from '@weir/plugin-datasets/contract';
import type { LakehouseError, StatementFault } from '@weir/plugin-datasets/stage';
import { FUNCTION_NAMES, type GateFault, gate, type Place, placeOf, tablesOf } from '@weir/sql';
import { type SqlFault, SqlRefused } from './select-errors.ts';

const DATASET_PARTS = 3;

/** Throws `SqlRefused` unless the tree is one SELECT that reads these inputs alone and calls harmless functions. */
export function judge({ ast, sql, inputs }: { ast: unknown; sql: string; inputs: readonly string[] }): void {
  const faults = gate(ast, { sql, inputs: inputs.map((name) => name.split('.')) });
  if (faults.length > 0) throw new SqlRefused(faults.map(withNearest));
}

/** The function that may have been meant. */
function withNearest(fault: GateFault): SqlFault {
  const isFunction = fault.code === 'function_unknown' && fault.name !== undefined;
  const nearest = isFunction ? nearestName(fault.name ?? '', FUNCTION_NAMES) : undefined;
  return nearest === undefined ? fault : { ...fault, nearest };
}

/** Where an `SqlRefused` comes from a check, its faults name it. */
export function ofCheck(error: unknown, check: string): unknown {
  if (!(error instanceof SqlRefused)) return error;
  return new SqlRefused(error.faults.map((fault) => ({ ...fault, check })));
}

/**
 * The ids of the datasets that a statement reads, once each; `SqlRefused` where it may not run whatever they hold. Beside
 * datasets it may read `own`.
 */
export function inputsOf(ast: unknown, sql: string, own: readonly string[] = []): string[] {
  const tables = tablesOf(ast).filter(({ path }) => path.length === DATASET_PARTS);
  const paths = tables.map(({ path }) => path.map((part) => part.toLowerCase()));
  const inputs = [...new Set(paths.filter((path) => !path.some(hasDot)).map((path) => path.join('.')))];
  judge({ ast, sql, inputs: [...inputs, ...own] });
  return inputs;
}

/** Where a statement first names each dataset. */
export function placesOf(ast: unknown, sql: string): Record<string, Place> {
  const named = tablesOf(ast).map(({ path, offset }) => [path.join('.').toLowerCase(), placeOf(sql, offset)] as const);
  return Object.fromEntries(named.toReversed());
}

const hasDot = (part: string): boolean => part.includes('.');

/** What an error of the table library says of the statement; undefined where it is no fault of its author. */
export function faultsOf(error: LakehouseError, sql: string): SqlFault[] | undefined {
  if (error.fault !== undefined) return [placed(error.fault, sql)];
  if (error.code !== 'column_duplicate' && error.code !== 'unsupported_type') return undefined;
  return error.columns.map((name) => ({ code: error.code, name }));
}

function placed({ code, name, nearest, offset, types }: StatementFault, sql: string): SqlFault {
  const named = { ...(name === undefined ? {} : { name }), ...(nearest === undefined ? {} : { nearest }) };
  return { code, ...named, ...types, ...(offset === undefined ? {} : placeOf(sql, offset)) };
}
