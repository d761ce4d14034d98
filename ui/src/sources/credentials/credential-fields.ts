import { type SchemaNode, titleOf } from '../../form/schema-node.ts';

/** One secret value: where it stands in the configuration, and what people call it. */
export interface CredentialField {
  pointer: string;
  title: string;
  description?: string;
  /** Keys and certificates have lines. */
  isLong: boolean;
}

const LONG = 5_000;

/** The fields behind the pointers of a pattern; a `*` is followed to each item that the configuration has there. */
export function credentialFields(spec: SchemaNode, pointers: readonly string[], config: unknown): CredentialField[] {
  return pointers
    .flatMap((pointer) => expand(pointer.split('/').slice(1), config))
    .map((parts) => fieldAt(spec, parts));
}

function expand(parts: readonly string[], value: unknown): string[][] {
  const [part, ...rest] = parts;
  if (part === undefined) return [[]];
  const items = Object(value) as Record<string, unknown>;
  const names = part === '*' ? Object.keys(items) : [part];
  return names.flatMap((name) => expand(rest, items[name]).map((tail) => [name, ...tail]));
}

const unescaped = (part: string) => part.replaceAll('~1', '/').replaceAll('~0', '~');

function fieldAt(spec: SchemaNode, parts: readonly string[]): CredentialField {
  const node = parts.reduce<SchemaNode>((at, part) => childOf(at, unescaped(part)), spec);
  const { description, format, maxLength = 0 } = node;
  return {
    pointer: `/${parts.join('/')}`,
    title: titleOf(parts.map(unescaped).join(' '), node),
    ...(description === undefined ? {} : { description }),
    isLong: format === 'multiline' || maxLength > LONG,
  };
}

/** The schema of a member, in whichever alternative has it. */
function childOf(node: SchemaNode, name: string): SchemaNode {
  const own = node.properties?.[name] ?? node.items;
  if (own !== undefined) return own;
  const branch = node.oneOf?.find(({ properties }) => properties?.[name] !== undefined);
  return branch?.properties?.[name] ?? {};
}
