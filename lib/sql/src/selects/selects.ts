import { type AstNode, ctesOf, fold, isNode, nodeOf, nodesOf, queryOf, textOf, textsOf } from '../ast.ts';
import type { Bound, Join, Select } from './bound.ts';
import { resultFacts } from './derive.ts';
import { eachIn } from './expressions.ts';
import type { RelationFacts } from './facts.ts';

export interface CteUse {
  readonly name: string;
  readonly query: AstNode;
  uses: number;
}

/** What rules look at: each SELECT, each query with what is behind it, and each common table expression. */
export interface Statement {
  readonly query: AstNode;
  readonly selects: Select[];
  readonly queries: { readonly node: AstNode; readonly isResult: boolean }[];
  readonly ctes: CteUse[];
  /** What a query in an expression gives, by its node. */
  readonly results: Map<AstNode, RelationFacts | undefined>;
}

interface Around {
  readonly statement: Statement;
  readonly inputs: ReadonlyMap<string, RelationFacts>;
  readonly ctes: ReadonlyMap<string, { facts: RelationFacts | undefined; use: CteUse }>;
  readonly isResult: boolean;
}

/** Takes a statement apart; inputs by their folded names. */
export function readSelects(query: AstNode, inputs: ReadonlyMap<string, RelationFacts>): Statement {
  const statement: Statement = { query, selects: [], queries: [], ctes: [], results: new Map() };
  readQuery(query, { statement, inputs, ctes: new Map(), isResult: true });
  return statement;
}

function readQuery(node: AstNode, around: Around): RelationFacts | undefined {
  const { statement, isResult } = around;
  statement.queries.push({ node, isResult });
  let inside = around;
  for (const { name, aliases, query } of ctesOf(node)) {
    const use: CteUse = { name, query, uses: 0 };
    statement.ctes.push(use);
    const itself =
      query.type === 'RECURSIVE_CTE_NODE' ? [[fold(name), { facts: undefined, use: { ...use } }] as const] : [];
    const within = { ...inside, isResult: false, ctes: new Map([...inside.ctes, ...itself]) };
    const facts = renamed(readQuery(query, within), aliases);
    inside = { ...inside, ctes: new Map(inside.ctes).set(fold(name), { facts, use }) };
  }
  if (node.type === 'SELECT_NODE') return readSelect(node, inside);
  const sides = [nodeOf(node, 'left'), nodeOf(node, 'right'), ...nodesOf(node, 'children')].filter(isNode);
  const [first] = sides.map((side) => readQuery(side, inside));
  const isDistinct = node.setop_type === 'UNION' && node.setop_all === false;
  return first && { columns: first.columns, keys: isDistinct ? [first.columns.map(({ name }) => name)] : undefined };
}

function readSelect(node: AstNode, around: Around): RelationFacts | undefined {
  const joins: Join[] = [];
  const { statement } = around;
  const bound = readFrom(nodeOf(node, 'from_table'), around, joins);
  const select: Select = { node, bound, joins };
  statement.selects.push(select);
  const within = { ...around, isResult: false };
  for (const part of partsOf(node)) {
    eachIn(part, (inner) => {
      const query = inner.class === 'SUBQUERY' ? queryOf(inner, 'subquery') : undefined;
      if (query !== undefined) statement.results.set(inner, readQuery(query, within));
    });
  }
  return resultFacts(select);
}

/** All of a SELECT but its FROM and its common table expressions, and the conditions of its joins. */
export const partsOf = (node: AstNode): unknown[] => [
  ...[node.select_list, node.where_clause, node.group_expressions, node.having, node.qualify, node.modifiers],
  ...joinConditions(nodeOf(node, 'from_table')),
];

function joinConditions(from: AstNode | undefined): unknown[] {
  if (from?.type !== 'JOIN') return [];
  return [from.condition, ...joinConditions(nodeOf(from, 'left')), ...joinConditions(nodeOf(from, 'right'))];
}

function readFrom(node: AstNode | undefined, around: Around, joins: Join[]): Bound[] {
  if (node === undefined || node.type === 'EMPTY') return [];
  if (node.type === 'JOIN') return readJoin(node, around, joins);
  const names = textsOf(node, 'column_name_alias');
  const bind = (facts: RelationFacts | undefined, name = ''): Bound[] => [
    { alias: textOf(node, 'alias') ?? name, facts: renamed(facts, names), optional: false, node },
  ];
  if (node.type === 'SUBQUERY') {
    const query = queryOf(node, 'subquery');
    return bind(query && readQuery(query, { ...around, isResult: false }));
  }
  if (node.type !== 'BASE_TABLE') return bind(undefined);
  const name = textOf(node, 'table_name') ?? '';
  const path = [textOf(node, 'catalog_name'), textOf(node, 'schema_name'), name].filter((part) => part !== undefined);
  const cte = path.length === 1 ? around.ctes.get(fold(name)) : undefined;
  if (cte !== undefined) cte.use.uses += 1;
  return bind(cte === undefined ? around.inputs.get(fold(path.join('.'))) : cte.facts, name);
}

function readJoin(node: AstNode, around: Around, joins: Join[]): Bound[] {
  const left = readFrom(nodeOf(node, 'left'), around, joins);
  const right = readFrom(nodeOf(node, 'right'), around, joins);
  joins.push({ node, left, right });
  const optional = (bounds: readonly Bound[]) => bounds.map((bound) => ({ ...bound, optional: true }));
  const kind = String(node.join_type);
  if (kind === 'SEMI' || kind === 'ANTI') return left;
  const [keepsLeft, keepsRight] = [kind === 'LEFT' || kind === 'OUTER', kind === 'RIGHT' || kind === 'OUTER'];
  return [...(keepsRight ? optional(left) : left), ...(keepsLeft ? optional(right) : right)];
}

function renamed(facts: RelationFacts | undefined, names: readonly string[]): RelationFacts | undefined {
  if (facts === undefined || names.length === 0) return facts;
  const to = new Map(facts.columns.map(({ name }, at) => [fold(name), names[at] ?? name]));
  const inNew = (name: string) => to.get(fold(name)) ?? name;
  return {
    columns: facts.columns.map((column) => ({ ...column, name: inNew(column.name) })),
    keys: facts.keys?.map((key) => key.map(inNew)),
  };
}
