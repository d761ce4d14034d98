import { fold, readStatement } from './ast.ts';
import { type ColumnSource, type Flow, joinFlows, type Unresolved } from './flow.ts';
import { queryRelation } from './query-relation.ts';
import { type Column, createNotes, type Env, NO_SCOPE, sourceRelation, TooComplex } from './scope.ts';

export interface OutputColumn {
  /** As the statement writes it, whatever its case in the table; undefined where DuckDB makes it from the expression. */
  readonly name?: string;
  /** The columns that the value is computed from. */
  readonly sources: readonly ColumnSource[];
  /** The columns that filter, join, group or order the rows. */
  readonly influences: readonly ColumnSource[];
  /** Why `sources` may be incomplete or too many; empty when they are known. */
  readonly unresolved: readonly Unresolved[];
  /** Stands for an unknown number of columns, so that the ones after it have no known number. */
  readonly spread: boolean;
}

export interface ColumnLineage {
  readonly columns: readonly OutputColumn[];
  /** Of all columns, and of what decides about rows. */
  readonly unresolved: readonly Unresolved[];
}

/** Column names of the inputs, by input; one with catalogue and schema is named with dots between. */
export type Schemas = Readonly<Record<string, readonly string[]>>;

/** Where each output column of a SELECT comes from. A statement that is no SELECT has no columns and says so. */
export function columnLineage(ast: unknown, schemas: Schemas): ColumnLineage {
  const statement = readStatement(ast);
  if ('fault' in statement) return nothing(statement.fault === 'too_complex' ? 'too_complex' : 'construct');
  const tables = Object.entries(schemas).map(([name, columns]) => [fold(name), sourceRelation(name, columns)] as const);
  const env: Env = { inputs: new Map(tables), ctes: new Map(), notes: createNotes(), query: queryRelation };
  try {
    const { columns, rows } = queryRelation(statement.query, env, NO_SCOPE);
    const all = joinFlows([...columns.map(({ flow }) => flow), rows]);
    return { columns: columns.map((column) => outputColumn(column, rows)), unresolved: [...all.unresolved] };
  } catch (error) {
    if (error instanceof TooComplex) return nothing('too_complex');
    throw error;
  }
}

const nothing = (reason: 'too_complex' | 'construct'): ColumnLineage => ({ columns: [], unresolved: [{ reason }] });

function outputColumn({ name, flow, spread }: Column, rows: Flow): OutputColumn {
  const { influences } = joinFlows([flow, rows]);
  const unresolved = [...flow.unresolved];
  const known = { sources: sorted(flow.values), influences: sorted(influences), unresolved, spread: spread === true };
  return name === undefined ? known : { name, ...known };
}

const textOfSource = ({ table, column }: ColumnSource): string => JSON.stringify([table, column]);

const sorted = (sources: ReadonlySet<ColumnSource>): ColumnSource[] =>
  [...sources].toSorted((one, other) => (textOfSource(one) < textOfSource(other) ? -1 : 1));
