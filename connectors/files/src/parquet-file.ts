import type { DuckDBConnection } from '@duckdb/node-api';
import type { FileColumn } from './column-type.ts';
import type { SourceFile } from './list-files.ts';
import { pathLiteral } from './sql-text.ts';

/** The table expression of a Parquet file: its columns and nothing beside. */
export function parquetSource(file: SourceFile): string {
  return `read_parquet(${pathLiteral(file.path)}, hive_partitioning = false, binary_as_string = false)`;
}

/** The columns of a Parquet file with DuckDB's types, from its footer. */
export async function describeParquet(connection: DuckDBConnection, file: SourceFile): Promise<FileColumn[]> {
  const result = await connection.runAndReadAll(`DESCRIBE FROM ${parquetSource(file)}`);
  return result.getRows().map(([name, type]) => ({ name: String(name), type: String(type) }));
}
