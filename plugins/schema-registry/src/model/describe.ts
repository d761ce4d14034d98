import { isSchema } from '@weir/json-schemas';

const MAX_WORDS = 4_000;
const MAX_TITLE = 200;
const MAX_LEVELS = 4;

/** The title of a schema; its subject without one. */
export const titleOf = (schema: unknown, otherwise: string): string =>
  isSchema(schema) && typeof schema.title === 'string' && schema.title.trim() !== ''
    ? schema.title.slice(0, MAX_TITLE)
    : otherwise;

/** What a search looks at beside the title: description, names of members and theirs. */
export function wordsOf(schema: unknown): string {
  const found: string[] = [];
  const look = (node: unknown, levels: number) => {
    if (!isSchema(node) || levels === 0) return;
    if (typeof node.description === 'string') found.push(node.description);
    for (const key of ['allOf', 'anyOf', 'oneOf'])
      if (Array.isArray(node[key])) for (const one of node[key]) look(one, levels - 1);
    look(node.items, levels - 1);
    for (const [name, member] of isSchema(node.properties) ? Object.entries(node.properties) : []) {
      found.push(name);
      look(member, levels - 1);
    }
  };
  look(schema, MAX_LEVELS);
  return found.join(' ').slice(0, MAX_WORDS);
}

/** Places in which two JSON values differ, as JSON pointers. */
export function editsOf(
  one: unknown,
  other: unknown,
  at = '',
): { pointer: string; edit: 'added' | 'removed' | 'changed' }[] {
  if (isSchema(one) && isSchema(other)) {
    return [...new Set([...Object.keys(one), ...Object.keys(other)])].flatMap((key) => {
      const pointer = `${at}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
      if (!Object.hasOwn(one, key)) return [{ pointer, edit: 'added' as const }];
      if (!Object.hasOwn(other, key)) return [{ pointer, edit: 'removed' as const }];
      return editsOf(one[key], other[key], pointer);
    });
  }
  if (Array.isArray(one) && Array.isArray(other) && one.length === other.length)
    return one.flatMap((item, index) => editsOf(item, other[index], `${at}/${index}`));
  return JSON.stringify(one) === JSON.stringify(other) ? [] : [{ pointer: at, edit: 'changed' }];
}
