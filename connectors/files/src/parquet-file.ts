import type { DuckDBConnection } from '@duckdb/node-api';
import type { FileColumn } from './columns/column-type.ts';
import { fault } from './fault.ts';
import type { ReadyFile } from './ready-file.ts';
import { pathLiteral } from './sql-text.ts';

/** The table expression of a Parquet file: its columns and nothing beside. */
export function parquetSource(file: ReadyFile): string {
  return `read_parquet(${pathLiteral(file.path)}, hive_partitioning = false, binary_as_string = false)`;
}

/** The most digits of a decimal; DuckDB takes longer ones for doubles, and misreads them. */
const MAX_DECIMAL_DIGITS = 38;

/** The columns of a Parquet file with DuckDB's types, from its footer; `decimal_too_long` when it would misread one. */
export async function describeParquet(connection: DuckDBConnection, file: ReadyFile): Promise<FileColumn[]> {
  const decimals = `SELECT count(*) FROM parquet_schema(${pathLiteral(file.path)}) WHERE precision > ${MAX_DECIMAL_DIGITS}`;
  const tooLong = await connection.runAndReadAll(decimals);
  if (Number(tooLong.getRows()[0]?.[0]) > 0) throw fault('decimal_too_long', file.where());
  const result = await connection.runAndReadAll(`DESCRIBE FROM ${parquetSource(file)}`);
  return result.getRows().map(([name, type]) => ({ name: String(name), type: String(type) }));
}
