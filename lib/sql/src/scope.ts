import { type AstNode, fold } from './ast.ts';
import { asInfluence, type ColumnSource, type Flow, joinFlows, NO_FLOW, type Unresolved } from './flow.ts';

/** Expressions and queries that one statement may cost; each pass of a recursion counts. */
const MAX_STEPS = 200_000;

export interface Column {
  /** Undefined where DuckDB makes a name from the expression. */
  readonly name?: string;
  readonly flow: Flow;
  /** Stands for an unknown number of columns. */
  readonly spread?: true;
}

/** A table, or the result of a query. */
export interface Relation {
  readonly columns: readonly Column[];
  /** What decides which rows there are. */
  readonly rows: Flow;
}

/** A relation under its name in FROM. */
export interface Binding {
  readonly alias: string;
  readonly relation: Relation;
  /** Columns that `USING` or `NATURAL` shows on the left side alone. */
  readonly hidden: ReadonlySet<string>;
  /** Columns that `USING` or `NATURAL` joined with the ones of the right side. */
  readonly merged: ReadonlyMap<string, Flow>;
}

/** The names that an expression sees. */
export interface Scope {
  readonly bindings: readonly Binding[];
  /** Aliases of the select list. */
  readonly aliases: readonly Column[];
  /** Whether aliases go before columns, as in ORDER BY. */
  readonly aliasesFirst: boolean;
  /** Parameters of lambdas. */
  readonly params: ReadonlySet<string>;
  readonly parent?: Scope;
}

/** What one reading of a statement shares. */
export interface Env {
  /** Inputs by folded name. */
  readonly inputs: ReadonlyMap<string, Relation>;
  /** Common table expressions in sight, by folded name. */
  readonly ctes: ReadonlyMap<string, Relation>;
  readonly notes: Notes;
  readonly query: (node: AstNode, env: Env, outer: Scope) => Relation;
}

/** Thrown when a statement costs more than its steps. */
export class TooComplex extends Error {}

/** Counts steps, and gives the same object for the same reason, so that sets of them stay small. */
export interface Notes {
  readonly step: () => void;
  readonly unresolved: (note: Unresolved) => Flow;
}

export function createNotes(): Notes {
  const known = new Map<string, Flow>();
  let steps = 0;
  return {
    step: () => {
      if (++steps > MAX_STEPS) throw new TooComplex();
    },
    unresolved: (note) => {
      const key = JSON.stringify([note.reason, note.name, note.offset]);
      const flow = known.get(key) ?? { ...NO_FLOW, unresolved: new Set([note]) };
      known.set(key, flow);
      return flow;
    },
  };
}

export const NO_SCOPE: Scope = { bindings: [], aliases: [], aliasesFirst: false, params: new Set() };

export const bindingOf = (alias: string, relation: Relation): Binding => ({
  alias,
  relation,
  hidden: new Set(),
  merged: new Map(),
});

export const sourceRelation = (table: string, columns: readonly string[]): Relation => ({
  columns: columns.map((name) => {
    const source: ColumnSource = { table, column: name };
    return { name, flow: { ...NO_FLOW, values: new Set([source]) } };
  }),
  rows: NO_FLOW,
});

/** A relation whose columns nobody knows; `flow` has all that may be in them. */
export const spreadRelation = (flow: Flow, rows: Flow = NO_FLOW): Relation => ({
  columns: [{ flow, spread: true }],
  rows: joinFlows([rows, { ...NO_FLOW, unresolved: flow.unresolved }]),
});

/** The columns of a binding in `*`. */
export const visibleColumns = ({ relation, hidden, merged }: Binding): Column[] =>
  relation.columns
    .filter(({ name }) => name === undefined || !hidden.has(fold(name)))
    .map((column) => {
      const flow = column.name === undefined ? undefined : merged.get(fold(column.name));
      return flow === undefined ? column : { ...column, flow };
    });

export const named = (columns: readonly Column[], name: string): Column[] =>
  columns.filter((column) => column.name !== undefined && fold(column.name) === name);

const flowsOf = (columns: readonly Column[]): Flow | undefined =>
  columns.length === 0 ? undefined : joinFlows(columns.map(({ flow }) => flow));

/** Functions without brackets that DuckDB finds behind a name that is no column. */
const VALUE_FUNCTIONS = new Set([
  ...['current_catalog', 'current_date', 'current_role', 'current_schema', 'current_time', 'current_timestamp'],
  ...['current_user', 'localtime', 'localtimestamp', 'session_user', 'user'],
]);

/** The flow of a dotted name, looked for from the inside out. */
export function resolveName(names: readonly string[], scope: Scope, notes: Notes, offset?: number): Flow {
  const folded = names.map(fold);
  const found = lookOutwards(folded, scope, notes, offset);
  if (found !== undefined) return found;
  if (folded.length === 1 && VALUE_FUNCTIONS.has(folded[0] ?? '')) return NO_FLOW;
  const note = { name: names.join('.'), ...(offset === undefined ? {} : { offset }) };
  const generated = unnamedColumns(scope);
  if (generated === undefined) return notes.unresolved({ reason: 'column_unknown', ...note });
  return joinFlows([generated, notes.unresolved({ reason: 'generated_name', ...note })]);
}

function lookOutwards(names: readonly string[], scope: Scope, notes: Notes, offset?: number): Flow | undefined {
  if (scope.params.has(names[0] ?? '')) return NO_FLOW;
  const alias = () => (names.length === 0 ? undefined : flowsOf(named(scope.aliases, names[0] ?? '').slice(0, 1)));
  const column = () => columnFlow(names, scope.bindings) ?? rowFlow(names, scope.bindings);
  const here = scope.aliasesFirst ? (alias() ?? column()) : (column() ?? alias());
  if (here !== undefined) return here;
  const outside = scope.parent && lookOutwards(names, scope.parent, notes, offset);
  const spread = flowsOf(spreadColumns(names, scope.bindings));
  return spread === undefined ? outside : joinFlows([spread, outside ?? NO_FLOW]);
}

function columnFlow(names: readonly string[], bindings: readonly Binding[]): Flow | undefined {
  const [first = '', second] = names;
  if (second !== undefined) {
    const qualified = flowsOf(
      bindings.filter(ofAlias(first)).flatMap(({ relation }) => named(relation.columns, second)),
    );
    if (qualified !== undefined) return qualified;
  }
  const plain = flowsOf(bindings.flatMap((binding) => named(visibleColumns(binding), first)));
  return plain ?? (names.length > 2 ? columnFlow(names.slice(1), bindings) : undefined);
}

const ofAlias = (alias: string) => (binding: Binding) => fold(binding.alias) === alias;

/** A name of a table as a value: the whole row. */
function rowFlow(names: readonly string[], bindings: readonly Binding[]): Flow | undefined {
  if (names.length !== 1) return undefined;
  return flowsOf(bindings.filter(ofAlias(names[0] ?? '')).flatMap(({ relation }) => relation.columns));
}

/** Columns that may hold a name that no known column has. */
function spreadColumns(names: readonly string[], bindings: readonly Binding[]): Column[] {
  const qualified = names.length > 1 ? bindings.filter(ofAlias(names[0] ?? '')) : [];
  const asked = qualified.length > 0 ? qualified : bindings;
  return asked.flatMap(({ relation }) => relation.columns.filter(({ spread }) => spread));
}

function unnamedColumns({ bindings, parent }: Scope): Flow | undefined {
  const columns = bindings.flatMap(({ relation }) => relation.columns.filter(({ name }) => name === undefined));
  return flowsOf(columns) ?? (parent && unnamedColumns(parent));
}

/** Gives a relation the names of a column list; without one, repeated names are numbered as DuckDB does. */
export function withNames(relation: Relation, names: readonly string[]): Relation {
  const seen = new Map<string, number>();
  const columns = relation.columns.map((column, at) => {
    const name = names[at] ?? column.name;
    if (name === undefined || column.spread) return column;
    const before = seen.get(fold(name)) ?? 0;
    seen.set(fold(name), before + 1);
    return { ...column, name: before === 0 ? name : `${name}_${before}` };
  });
  return { ...relation, columns };
}

/** All columns of a relation as one flow that decides about rows. */
export const rowsByColumns = (columns: readonly Column[]): Flow => asInfluence(flowsOf(columns) ?? NO_FLOW);
