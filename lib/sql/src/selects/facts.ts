/** What is known of a column of an input or of a query; what is not known is absent. */
export interface ColumnFacts {
  readonly name: string;
  /** In the words of DuckDB or of the table format, such as `DECIMAL(18,2)` and `long`. */
  readonly type?: string | undefined;
  readonly nullable?: boolean | undefined;
}

/** What is known of the rows of an input or of a query. */
export interface RelationFacts {
  readonly columns: readonly ColumnFacts[];
  /** Sets of columns that no two rows share; a relation of one row at most has the empty set. */
  readonly keys?: readonly (readonly string[])[] | undefined;
  /** Columns by whose value files are left out. */
  readonly partitions?: readonly string[] | undefined;
}

type TypeClass = 'number' | 'text' | 'time' | 'boolean';

const CLASSES: readonly (readonly [TypeClass, RegExp])[] = [
  ['number', /^(?:U?(?:TINY|SMALL|BIG|HUGE)?INT(?:EGER)?|LONG|DECIMAL|DOUBLE|FLOAT|REAL|NUMERIC)\b/i],
  ['text', /^(?:VARCHAR|CHAR|TEXT|STRING)\b/i],
  ['time', /^(?:DATE|TIME|TIMESTAMP|INTERVAL)/i],
  ['boolean', /^BOOL/i],
];

/** The class of a type, within which values are compared as they are; undefined for nested and other types. */
export const classOf = (type: string | undefined): TypeClass | undefined =>
  type === undefined || type.endsWith(']') ? undefined : CLASSES.find(([, pattern]) => pattern.test(type))?.[0];
