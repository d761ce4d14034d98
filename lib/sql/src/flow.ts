/** A column of an input, named as the schemas name it. */
export interface ColumnSource {
  readonly table: string;
  readonly column: string;
}

export type UnresolvedReason =
  /** The schemas lack the table. */
  | 'table_unknown'
  | 'column_unknown'
  /** A name that DuckDB makes from an expression. */
  | 'generated_name'
  /** A pattern or function chooses the columns. */
  | 'columns_chosen'
  /** A structure is spread into columns, and only its type says which. */
  | 'structure_spread'
  | 'pivot'
  | 'table_function'
  | 'construct'
  | 'too_complex';

/** Why sources are not known, or are more than the true ones. */
export interface Unresolved {
  readonly reason: UnresolvedReason;
  readonly name?: string;
  /** The byte of the text. */
  readonly offset?: number;
}

/** What reaches a value: columns that it is computed from, and columns that decide which rows it is in or meets. */
export interface Flow {
  readonly values: ReadonlySet<ColumnSource>;
  readonly influences: ReadonlySet<ColumnSource>;
  readonly unresolved: ReadonlySet<Unresolved>;
}

export const NO_FLOW: Flow = { values: new Set(), influences: new Set(), unresolved: new Set() };

function union<T>(sets: readonly ReadonlySet<T>[]): ReadonlySet<T> {
  const filled = sets.filter(({ size }) => size > 0);
  if (filled.length <= 1) return filled[0] ?? new Set();
  const all = new Set<T>();
  for (const set of filled) for (const item of set) all.add(item);
  return all;
}

export function joinFlows(flows: readonly Flow[]): Flow {
  const [first, second] = flows;
  if (first === undefined || second === undefined) return first ?? NO_FLOW;
  return {
    values: union(flows.map(({ values }) => values)),
    influences: union(flows.map(({ influences }) => influences)),
    unresolved: union(flows.map(({ unresolved }) => unresolved)),
  };
}

/** The flow of an expression that decides about rows. */
export const asInfluence = ({ values, influences, unresolved }: Flow): Flow => ({
  values: NO_FLOW.values,
  influences: union([values, influences]),
  unresolved,
});

export const sizeOf = ({ values, influences, unresolved }: Flow): number =>
  values.size + influences.size + unresolved.size;
