import { isCredential, pointerBelow, type Schema, schemaNodes } from '@weir/json-schemas';
import { walkFields } from './walk-fields.ts';

const MAX_FIELDS = 1_000;

/**
 * The fields that a specification calls credentials, in any branch, and those that the pattern names: JSON pointers, `*`
 * standing for an item of a list or a member whose name is free; a list of credentials is one as a whole. Sorted. Pure.
 */
export function credentialFields(spec: Schema, named: readonly string[]): string[] {
  const { items } = schemaNodes(spec);
  const found = new Set(named);
  walkFields(spec, (pointer, nodes) => {
    if (found.size >= MAX_FIELDS || found.has(pointer)) return false;
    const isOne = nodes.some(isCredential) || items(nodes).some(isCredential);
    if (isOne) found.add(pointer);
    return !isOne;
  });
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
