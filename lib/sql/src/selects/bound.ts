import { type AstNode, fold, textsOf } from '../ast.ts';
import type { ColumnFacts, RelationFacts } from './facts.ts';

/** A relation under its name in FROM. */
export interface Bound {
  readonly alias: string;
  /** Undefined where its columns are not known. */
  readonly facts: RelationFacts | undefined;
  /** An outer join gives rows without it. */
  readonly optional: boolean;
  readonly node: AstNode;
}

export interface Join {
  readonly node: AstNode;
  readonly left: readonly Bound[];
  readonly right: readonly Bound[];
}

/** A plain SELECT of a statement. */
export interface Select {
  readonly node: AstNode;
  readonly bound: readonly Bound[];
  readonly joins: readonly Join[];
}

/** The relation and column that a name means in a SELECT; undefined where it is not known for certain. */
export function meantBy(
  ref: AstNode,
  { bound }: Pick<Select, 'bound'>,
): { bound: Bound; column: ColumnFacts } | undefined {
  const names = textsOf(ref, 'column_names');
  const [first = '', second] = names;
  const has = (one: Bound, name: string) => {
    const column = one.facts?.columns.find((column) => fold(column.name) === fold(name));
    return column === undefined ? [] : [{ bound: one, column }];
  };
  if (second !== undefined) {
    const qualified = bound.filter(({ alias }) => fold(alias) === fold(first)).flatMap((one) => has(one, second));
    return qualified[0];
  }
  const found = bound.flatMap((one) => has(one, first));
  return bound.every(({ facts }) => facts !== undefined) && found.length > 0 ? found[0] : undefined;
}

/** The relation that a name belongs to, by its qualifier alone where columns are not known. */
export function boundOf(ref: AstNode, select: Pick<Select, 'bound'>): Bound | undefined {
  const [first = '', second] = textsOf(ref, 'column_names');
  const byAlias = second === undefined ? [] : select.bound.filter(({ alias }) => fold(alias) === fold(first));
  if (byAlias[0] !== undefined) return byAlias[0];
  return select.bound.length === 1 ? select.bound[0] : meantBy(ref, select)?.bound;
}
