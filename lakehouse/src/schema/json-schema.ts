import { type Column, type ColumnType, parsePrimitive } from './types.ts';

/** Digits that a decimal of unstated shape gets: the widest decimal, with nine digits behind the point. */
const WIDE_DECIMAL: ColumnType = 'decimal(38, 9)';
/** The widest decimal without fraction, for integers of any size. */
const WIDE_INTEGER: ColumnType = 'decimal(38, 0)';

const ANNOTATED: ReadonlyMap<unknown, ColumnType> = new Map<unknown, ColumnType>(
  Object.entries<ColumnType>({
    timestamp_with_timezone: 'timestamptz',
    timestamp_without_timezone: 'timestamp',
    time_without_timezone: 'time',
    // Iceberg has no time of day with an offset; the text keeps it.
    time_with_timezone: 'string',
    big_integer: WIDE_INTEGER,
    big_number: WIDE_DECIMAL,
    integer: 'long',
  }),
);
const FORMATS = new Map<unknown, ColumnType>([
  ['date-time', 'timestamptz'],
  ['date', 'date'],
  ['time', 'time'],
]);
const PLAIN = new Map<unknown, ColumnType>([
  ['boolean', 'boolean'],
  ['integer', 'long'],
  ['number', 'double'],
]);

type Node = { readonly [key: string]: unknown };
const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && !Array.isArray(value);

/** The one type beside `null` that a node admits, or undefined if it admits several or states none. */
function singleType(node: Node): string | undefined {
  const types = (Array.isArray(node.type) ? node.type : [node.type]).filter((type) => type !== 'null');
  return types.length === 1 && typeof types[0] === 'string' ? types[0] : undefined;
}

/**
 * The column type of one property. What states the type most exactly wins: `weir_type` (a table type by name, such as
 * `decimal(18, 2)`), then `airbyte_type`, then `format`, then `type`. An object, an array, a choice of schemas and
 * everything unstated is kept as `string`: its JSON text.
 */
export function jsonSchemaType(property: unknown): ColumnType {
  if (!isNode(property)) return 'string';
  const exact = typeof property.weir_type === 'string' ? parsePrimitive(property.weir_type) : undefined;
  if (exact) return exact;
  if (property.oneOf || property.anyOf || property.allOf) return 'string';
  const type = singleType(property);
  if (type === 'string' || type === 'integer' || type === 'number') {
    const annotated = ANNOTATED.get(property.airbyte_type);
    if (annotated) return annotated;
  }
  if (type === 'string') return FORMATS.get(property.format) ?? 'string';
  return PLAIN.get(type) ?? 'string';
}

/**
 * The properties of a schema in the order of its `weir_order`, those that it does not list behind: names that are whole
 * numbers lose their place in an object.
 */
function orderedProperties(jsonSchema: unknown): [name: string, property: unknown][] {
  const node = isNode(jsonSchema) ? jsonSchema : {};
  const properties = new Map(Object.entries(isNode(node.properties) ? node.properties : {}));
  const order: readonly unknown[] = Array.isArray(node.weir_order) ? node.weir_order : [];
  const listed = order.filter((name): name is string => typeof name === 'string' && properties.has(name));
  return [...new Set([...listed, ...properties.keys()])].map((name) => [name, properties.get(name)]);
}

/** The names of the properties that are objects or lists and nothing else: their columns hold JSON texts. */
export function jsonTextColumns(jsonSchema: unknown): string[] {
  return orderedProperties(jsonSchema).flatMap(([name, property]) => {
    if (!isNode(property) || jsonSchemaType(property) !== 'string' || property.weir_type !== undefined) return [];
    if (property.oneOf || property.anyOf || property.allOf) return [];
    const type = singleType(property);
    return type === 'object' || type === 'array' ? [name] : [];
  });
}

/** The columns that the `properties` of a JSON schema name, in their order. */
export function jsonSchemaToColumns(jsonSchema: unknown): Column[] {
  return orderedProperties(jsonSchema).map(([name, property]) => ({ name, type: jsonSchemaType(property) }));
}
