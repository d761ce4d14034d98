import { isSchema, pointerSegments, type Schema, schemaNodes } from '@weir/json-schemas';
import { credentialFields } from './credential-fields.ts';
import { pointerMatcher } from './walk-config.ts';

/**
 * The fields that an image's own specification calls credentials, that the pattern lets be given, and that it calls none:
 * pointers, sorted. What lies within a credential of the pattern is one. Pure.
 */
export function undeclaredCredentials(
  told: unknown,
  { spec, declared }: { spec: Schema; declared: readonly string[] },
): string[] {
  if (!isSchema(told)) return [];
  const isDeclared = pointerMatcher(declared);
  return credentialFields(told, []).filter((pointer) => !above(pointer).some(isDeclared) && takes(spec, pointer));
}

/** A pointer and all those that it lies within. */
function above(pointer: string): string[] {
  const parts = pointer.split('/');
  return parts.slice(1).map((_, at) => parts.slice(0, at + 2).join('/'));
}

/** Whether a configuration of this specification may have something at a place; `*` stands for any item or member. */
function takes(spec: Schema, pointer: string): boolean {
  const nodesOf = schemaNodes(spec);
  let nodes: readonly Schema[] = nodesOf.root;
  for (const segment of pointerSegments(pointer)) {
    nodes = segment === '*' ? [...nodesOf.items(nodes), ...nodesOf.free(nodes)] : nodesOf.member(nodes, segment);
    if (nodes.length === 0) return false;
  }
  return true;
}
