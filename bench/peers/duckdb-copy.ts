import path from 'node:path';
import type { LineKind } from '../lines/line-kinds.ts';

/**
 * The statement that someone would write by hand for the DuckDB CLI: types given, sampling off, Zstandard, for a file
 * `rows.parquet` in `folder`. DuckDB keeps the order of the lines unless it is told that nobody needs it.
 */
export function duckdbCopy({ columns }: LineKind, source: string, folder: string, ordered = true): string {
  const data = columns.map(({ name, sql }) => `${name} ${sql}`).join(', ');
  const lines = `read_ndjson('${source}', auto_detect = false, records = true,
    columns = {type: 'VARCHAR', record: 'STRUCT(data STRUCT(${data}), emitted_at BIGINT)'})`;
  return `SET threads = 2; SET preserve_insertion_order = ${ordered}; SET TimeZone = 'UTC';
    COPY (SELECT unnest(record.data), make_timestamptz(record.emitted_at * 1000) AS _extracted_at
      FROM ${lines} WHERE type = 'RECORD')
    TO '${path.join(folder, 'rows.parquet')}' (FORMAT parquet, COMPRESSION zstd)`;
}
