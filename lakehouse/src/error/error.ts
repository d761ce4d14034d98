/** Every way this library refuses, by stable code. Messages never hold table data. */
export type LakehouseErrorCode =
  | 'avro_invalid'
  | 'base_moved'
  | 'catalog_refused'
  | 'column_duplicate'
  | 'column_reserved'
  | 'deletes_unsupported'
  | 'disk_full'
  | 'file_exists'
  | 'file_missing'
  | 'file_outside_table'
  | 'input_changed'
  | 'lines_lost'
  | 'location_outside_root'
  | 'malformed_lines'
  | 'metadata_invalid'
  | 'out_of_memory'
  | 'partition_invalid'
  | 'partitions_unsupported'
  | 'parquet_invalid'
  | 'position_missing'
  | 'query_busy'
  | 'query_deadline'
  | 'query_failed'
  | 'query_refused'
  | 'query_too_large'
  | 'result_too_large'
  | 'rewrite_changed_rows'
  | 'schema_conflict'
  | 'schema_incompatible'
  | 'snapshot_missing'
  | 'spill_full'
  | 'stage_failed'
  | 'statement_invalid'
  | 'store_denied'
  | 'store_unavailable'
  | 'table_exists'
  | 'table_missing'
  | 'table_outside_tenant'
  | 'unsupported_type';

/** What is wrong in a statement of a user. */
export type StatementFault = {
  readonly code:
    | 'column_unknown'
    | 'column_ambiguous'
    | 'column_not_grouped'
    | 'function_mismatch'
    | 'statement_invalid'
    | 'value_invalid';
  /** The column or function, as the statement names it. */
  readonly name?: string;
  /** The name of a column or function that DuckDB takes for the one that was meant. */
  readonly nearest?: string;
  /** The byte of the statement at which the fault is. */
  readonly offset?: number;
  /** Types of DuckDB: what the value has, where it is told, and what it does not fit. */
  readonly types?: { readonly from?: string; readonly to: string };
};

/** The one error of this library: a stable code, a sentence, and the column names it is about, if any. */
export class LakehouseError extends Error {
  override readonly name = 'LakehouseError';
  readonly code: LakehouseErrorCode;
  readonly columns: readonly string[];
  /** Set where the code is `statement_invalid`. */
  readonly fault: StatementFault | undefined;

  constructor(
    code: LakehouseErrorCode,
    message: string,
    options: { columns?: readonly string[]; fault?: StatementFault; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.columns = options.columns ?? [];
    this.fault = options.fault;
  }
}
