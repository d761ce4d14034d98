import { isSchema, pointerBelow, type Schema, schemaNodes } from '@weir/json-schemas';

/** Specifications that refer to themselves are followed this deep, and until this many fields were seen. */
const MAX_DEPTH = 12;
const MAX_SEEN = 100_000;

/**
 * Shows every field that a specification describes, in any branch: its pointer, in which `*` stands for an item of a list or a
 * member whose name is free, and all nodes that may describe it. What lies within is shown where `enter` says so. Pure.
 */
export function walkFields(spec: Schema, enter: (pointer: string, nodes: readonly Schema[]) => boolean): void {
  const nodesOf = schemaNodes(spec);
  let seen = 0;
  const visit = (nodes: readonly Schema[], pointer: string, depth: number): void => {
    if (depth > MAX_DEPTH) return;
    const follow = (schemas: readonly Schema[], at: string) => {
      seen += 1;
      if (schemas.length > 0 && seen <= MAX_SEEN && enter(at, schemas)) visit(schemas, at, depth + 1);
    };
    follow(nodesOf.items(nodes), `${pointer}/*`);
    const names = nodes.flatMap(({ properties }) => (isSchema(properties) ? Object.keys(properties) : []));
    for (const key of new Set(names)) follow(nodesOf.member(nodes, key), pointerBelow(pointer, key));
    follow(nodesOf.free(nodes), `${pointer}/*`);
  };
  visit(nodesOf.root, '', 0);
}
