import type { EntityTypeItemView } from '@weir/plugin-ontology/contract';

/** A type in the graph; `type` is absent where a relationship leads to a code that no type has. */
export interface RelationNode {
  code: string;
  type: EntityTypeItemView | undefined;
}

/** A relationship from one type to another, or to itself. */
export interface RelationEdge {
  from: string;
  code: string;
  to: string;
  cardinality: 'one' | 'many';
}

export interface Relations {
  nodes: readonly RelationNode[];
  edges: readonly RelationEdge[];
}

/** The relations of these types; targets that are not among them are nodes too. */
export function relationsOf(types: readonly EntityTypeItemView[]): Relations {
  const nodes = new Map<string, RelationNode>(types.map((type) => [type.code, { code: type.code, type }]));
  const edges = types.flatMap(({ code: from, relationships }) =>
    relationships.map(({ code, target_type: to, cardinality }) => ({ from, code, to, cardinality })),
  );
  for (const { to } of edges) if (!nodes.has(to)) nodes.set(to, { code: to, type: undefined });
  return { nodes: [...nodes.values()], edges };
}

/** What is at most so many relations away from a type, whichever way they lead. */
export function around({ nodes, edges }: Relations, code: string, steps: number): Relations {
  const near = new Set([code]);
  for (let step = 0, reached = [code]; step < steps && reached.length > 0; step += 1) {
    const next = edges.flatMap(({ from, to }) => [
      ...(reached.includes(from) ? [to] : []),
      ...(reached.includes(to) ? [from] : []),
    ]);
    reached = [...new Set(next)].filter((one) => !near.has(one));
    for (const one of reached) near.add(one);
  }
  return {
    nodes: nodes.filter((node) => near.has(node.code)),
    edges: edges.filter(({ from, to }) => near.has(from) && near.has(to)),
  };
}

/** Types that a relation joins, and those that none does. */
export function joined({ nodes, edges }: Relations): { drawn: Relations; alone: readonly RelationNode[] } {
  const ends = new Set(edges.flatMap(({ from, to }) => [from, to]));
  return {
    drawn: { nodes: nodes.filter(({ code }) => ends.has(code)), edges },
    alone: nodes.filter(({ code }) => !ends.has(code)),
  };
}
