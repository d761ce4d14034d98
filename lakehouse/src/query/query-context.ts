import { BIGINT, type DuckDBConnection, type DuckDBType, type DuckDBValue, VARCHAR } from '@duckdb/node-api';
import type { ShapeReader } from '../duckdb/parquet-shape.ts';
import type { Statement } from './select-sql.ts';

/** Characters of JSON that one answer may have, whatever form it takes. */
export const MAX_RESULT_CHARS = 32 * 1024 * 1024;

/** What the page before ended with, and the type that carries it unchanged. */
export type SortKey = { readonly value: DuckDBValue; readonly type: DuckDBType };

export type QueryContext = {
  readonly connection: DuckDBConnection;
  readonly shapesOf: ShapeReader;
  /** Throws when nobody waits for the answer any more. */
  assertWanted(): void;
  /** Runs work in a database of its own, of which nothing is left afterwards. */
  apart<T>(work: (connection: DuckDBConnection) => Promise<T>): Promise<T>;
};

/** The rows of a statement as they come, its parameters bound. */
export function stream(connection: DuckDBConnection, { sql, params }: Statement, key?: SortKey) {
  const bound = params.map((param): [DuckDBValue, DuckDBType] => {
    if ('text' in param) return [param.text, VARCHAR];
    if ('place' in param) return [param.place, BIGINT];
    return [key?.value ?? null, key?.type ?? VARCHAR];
  });
  return connection.stream(
    sql,
    bound.map(([value]) => value),
    bound.map(([, type]) => type),
  );
}
