import { isCredential, isSchema, pointerBelow, type Schema, schemaNodes } from '@weir/json-schemas';

/** Specifications that refer to themselves are followed this deep, and until this many fields are found. */
const MAX_DEPTH = 12;
const MAX_FIELDS = 1_000;

/**
 * The fields that a specification calls credentials, in any branch, and those that the pattern names: JSON pointers, `*`
 * standing for an item of a list or a member whose name is free. Sorted. Pure.
 */
export function credentialFields(spec: Schema, named: readonly string[]): string[] {
  const nodesOf = schemaNodes(spec);
  const found = new Set(named);
  const visit = (nodes: readonly Schema[], pointer: string, depth: number): void => {
    if (depth > MAX_DEPTH || found.size >= MAX_FIELDS) return;
    const follow = (schemas: readonly Schema[], at: string) => {
      if (schemas.length === 0 || found.has(at)) return;
      if (schemas.some(isCredential)) found.add(at);
      else visit(schemas, at, depth + 1);
    };
    const items = nodesOf.items(nodes);
    if (items.some(isCredential)) found.add(pointer);
    else follow(items, `${pointer}/*`);
    for (const key of new Set(
      nodes.flatMap(({ properties }) => (isSchema(properties) ? Object.keys(properties) : [])),
    )) {
      follow(nodesOf.member(nodes, key), pointerBelow(pointer, key));
    }
    follow(nodesOf.free(nodes), `${pointer}/*`);
  };
  visit(nodesOf.root, '', 0);
  return [...found].sort();
}

type Field = { path: string; type: string; credential?: boolean };

/** Whether a pattern calls a field a credential, by its mark or its type. */
export const isCredentialField = ({ credential, type }: Omit<Field, 'path'>): boolean =>
  credential === true || type === 'password';

/** Pointers of the fields that a pattern itself calls credentials; a path may be written with dots. */
export const namedCredentials = (fields: readonly Field[] = []): string[] =>
  fields.filter(isCredentialField).map(({ path }) => fieldPointer(path));

/** The pointer of a field whose path is a pointer already, or names with dots between them. */
export function fieldPointer(path: string): string {
  return path.startsWith('/') ? path : path.split('.').reduce<string>(pointerBelow, '');
}
