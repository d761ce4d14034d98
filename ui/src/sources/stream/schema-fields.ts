import type { StreamView } from '@weir/plugin-sources/contract';

/** One field of a record schema. */
export interface SchemaField {
  /** Outermost first. */
  path: string[];
  /** Its type, for people. */
  type: string;
  isNullable: boolean;
  description?: string;
  /** Whether it is kept as its JSON text. */
  isJson: boolean;
}

type Node = Readonly<Record<string, unknown>>;

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && !Array.isArray(value);
const typesOf = ({ type }: Node): unknown[] => (Array.isArray(type) ? type : [type]);

/** The fields of a stream in the order of its schema; those of an object follow it. Pure. */
export function schemaFields({ schema }: Pick<StreamView, 'schema'>): SchemaField[] {
  return fieldsBelow(schema, []);
}

function fieldsBelow(schema: Node, above: readonly string[]): SchemaField[] {
  const { properties } = schema;
  if (!isNode(properties)) return [];
  return Object.entries(properties).flatMap(([name, value]) => {
    const node = isNode(value) ? value : {};
    const path = [...above, name];
    const { description } = node;
    const field: SchemaField = {
      path,
      type: typeText(node),
      isNullable: typesOf(node).includes('null'),
      isJson: isJson(node),
      ...(typeof description === 'string' && { description }),
    };
    return [field, ...fieldsBelow(node, path)];
  });
}

/** Objects, lists and choices of schemas are kept as their JSON text. */
function isJson(node: Node): boolean {
  const types = typesOf(node);
  const isChoice = node.weir_type === undefined && (node.oneOf ?? node.anyOf ?? node.allOf) !== undefined;
  const said = [node.weir_type, node.airbyte_type].some((word) => word === 'object' || word === 'array');
  return types.includes('object') || types.includes('array') || isChoice || said;
}

/** The most exact of the names of a type. */
function typeText(node: Node): string {
  const types = typesOf(node).filter((type) => type !== 'null' && type !== undefined);
  const exact = [node.postgres_type, node.weir_type, node.airbyte_type, node.format].find(
    (word) => typeof word === 'string',
  );
  if (typeof exact === 'string') return exact;
  const [first, ...more] = types;
  if (first === undefined) return 'any';
  return more.length === 0 ? String(first) : types.join(' or ');
}

/** A path as people read it: names with dots of their own are kept whole. */
export const pathText = (path: readonly string[]): string => path.join(' › ');

/** Whether two paths name the same field. */
export const samePath = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((name, at) => name === other[at]);
