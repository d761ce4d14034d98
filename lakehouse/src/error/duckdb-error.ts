import { LakehouseError, type LakehouseErrorCode } from './error.ts';

// DuckDB quotes input in its messages, so a message is only ever looked at, never passed on, nor kept as a cause.
const RULES: readonly (readonly [RegExp, LakehouseErrorCode, string])[] = [
  [/max_temp_directory_size/, 'spill_full', 'The statement spilled more to disk than it may'],
  [
    /out of memory|could not allocate|failed to allocate|maximum.*temp.*directory/i,
    'out_of_memory',
    'The memory bound was reached',
  ],
  [/no space left|disk quota/i, 'disk_full', 'No space is left for the files of this step'],
  [
    /no magic bytes|too small to be a parquet|parquet.*(?:corrupt|invalid|footer|metadata)|snappy|zstd|thrift|prematurely|TProtocol/i,
    'parquet_invalid',
    'A Parquet file is damaged or cut short',
  ],
  [/no files found|cannot open file|no such file/i, 'file_missing', 'A file is missing'],
];

/** The typed error for a failed DuckDB statement; `fallback` when no rule knows it. Holds no word of DuckDB's message. */
export function duckdbError(error: unknown, fallback: LakehouseErrorCode, message: string): LakehouseError {
  if (error instanceof LakehouseError) return error;
  const text = error instanceof Error ? error.message : '';
  const rule = RULES.find(([pattern]) => pattern.test(text));
  return rule ? new LakehouseError(rule[1], rule[2]) : new LakehouseError(fallback, message);
}
