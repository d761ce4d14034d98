/** What is wrong in a statement. */
export interface SqlFault {
  code: string;
  /** The table, column, function or construct, as the statement names it. */
  name?: string;
  /** The name that may have been meant: of a column of an input, or of a dataset that may be read. */
  nearest?: string;
  /** Both count from 1, columns in characters. */
  line?: number;
  column?: number;
  /** Types of DuckDB: what a value has, and what it does not fit. */
  from?: string;
  to?: string;
  /** The check whose statement it is, by name. */
  check?: string;
}

/** A statement that may not run, or cannot. */
export class SqlRefused extends Error {
  override readonly name = 'SqlRefused';
  readonly faults: readonly SqlFault[];

  constructor(faults: readonly SqlFault[]) {
    super('The statement is refused');
    this.faults = faults;
  }
}

/** Bounds of a statement by the names that texts have for them. */
export type BoundsMet = Readonly<Record<string, number>>;

/** A statement that met a bound, or whose process or files failed. Holds no word of the statement and no value. */
export class SelectFailed extends Error {
  override readonly name = 'SelectFailed';
  /** As `LakehouseError` has them; beside them `select_process_lost` and `cancelled`. */
  readonly code: string;
  /** The bounds that it had, for the words of its failure. */
  readonly bounds: BoundsMet;

  constructor(code: string, bounds: BoundsMet = {}) {
    super(`The statement failed: ${code}`);
    this.code = code;
    this.bounds = bounds;
  }
}
