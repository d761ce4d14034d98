import type { ColumnKind } from './column-kind.ts';

/** A column: its kind, and its type as Postgres names it. */
export type Column = {
  readonly name: string;
  readonly kind: ColumnKind;
  /** `timestamp with time zone`, `numeric(10,2)`, `my_enum`. */
  readonly type: string;
  /** The oid of its own type, which may be a domain. */
  readonly typeOid: string;
  readonly isNullable: boolean;
};

/** What a table is: its rows lie in pages, in its partitions, or somewhere else. */
export type TableForm = 'heap' | 'partitioned' | 'view' | 'foreign';

/** A table, view or foreign table that the user may read. */
export type Table = {
  readonly oid: string;
  readonly schema: string;
  readonly name: string;
  readonly form: TableForm;
  readonly columns: readonly Column[];
  /** The columns of the primary key in its order; empty when there is none. */
  readonly key: readonly string[];
  /** Whether updates and deletes can be told apart by what the log holds. */
  readonly hasIdentity: boolean;
};
