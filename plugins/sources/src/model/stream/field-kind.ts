/** What the rules of a stream tell apart: which kind of value a field has in a table. */
export type FieldKind = 'text' | 'integer' | 'decimal' | 'double' | 'boolean' | 'date' | 'time' | 'timestamp' | 'json';

type Node = Readonly<Record<string, unknown>>;

/** Words for a type, in the order in which the table looks for them: the most exact one decides. */
const TYPE_WORDS = ['weir_type', 'airbyte_type', 'format', 'type'] as const;

const KINDS: Readonly<Record<string, FieldKind>> = {
  ...{ timestamptz: 'timestamp', timestamp: 'timestamp', 'date-time': 'timestamp', date: 'date', time: 'time' },
  ...{ timestamp_with_timezone: 'timestamp', timestamp_without_timezone: 'timestamp', time_without_timezone: 'time' },
  ...{ time_with_timezone: 'text', big_integer: 'decimal', big_number: 'decimal', decimal: 'decimal' },
  ...{ integer: 'integer', int: 'integer', long: 'integer', number: 'double', float: 'double', double: 'double' },
  ...{ boolean: 'boolean', object: 'json', array: 'json' },
};

/**
 * The kind of a top-level field of a record schema. Objects and lists are kept as their JSON text, and so is a choice of
 * schemas; a field of which nothing is said is text. Pure.
 */
export function fieldKind(schema: Node, name: string): FieldKind {
  const properties = isNode(schema.properties) ? schema.properties : {};
  const node = Object.hasOwn(properties, name) ? properties[name] : undefined;
  if (!isNode(node)) return 'text';
  const types = (Array.isArray(node.type) ? node.type : [node.type]).filter((type) => type !== 'null');
  if (types.some((type) => type === 'object' || type === 'array')) return 'json';
  if (node.weir_type === undefined && (node.oneOf || node.anyOf || node.allOf)) return 'json';
  if (node.weir_type === undefined && types.length !== 1) return 'text';
  for (const word of TYPE_WORDS) {
    const said = word === 'type' ? types[0] : node[word];
    if (word === 'format' && types[0] !== 'string') continue;
    const kind = typeof said === 'string' ? KINDS[said.split('(')[0] as string] : undefined;
    if (kind !== undefined) return kind;
  }
  return 'text';
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
