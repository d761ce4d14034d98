import type { WantedColumn } from '../process/sync-types.ts';

type Schema = Readonly<Record<string, unknown>>;

/** How the types of columns that come from JSON values are said in a record schema. */
const PROPERTIES: Readonly<Record<string, Schema>> = {
  boolean: { type: ['boolean', 'null'] },
  long: { type: ['integer', 'null'] },
  double: { type: ['number', 'null'] },
  string: { type: ['string', 'null'] },
  timestamptz: { type: ['string', 'null'], format: 'date-time', airbyte_type: 'timestamp_with_timezone' },
  date: { type: ['string', 'null'], format: 'date' },
};

/** A record schema with columns more, each such that a table made from it has them in these types. Pure. */
export function withColumns(schema: Schema, columns: readonly WantedColumn[]): Record<string, unknown> {
  const properties = isObject(schema.properties) ? schema.properties : {};
  const fresh = columns.map(({ name, type }) => [name, propertyOf(type)] as const);
  // Where the order of the names is kept apart, new ones come last there too.
  const order = Array.isArray(schema.weir_order) ? schema.weir_order : Object.keys(properties);
  const names = [...new Set([...order, ...columns.map(({ name }) => name)])];
  const after = { ...properties, ...Object.fromEntries(fresh) };
  const isKept = Object.keys(after).every((name, index) => name === names[index]);
  return { ...schema, properties: after, ...(isKept ? {} : { weir_order: names }) };
}

function propertyOf(type: unknown): Schema {
  const known = typeof type === 'string' ? PROPERTIES[type] : undefined;
  if (known !== undefined) return known;
  return typeof type === 'string' ? { type: ['string', 'null'], weir_type: type } : { type: ['object', 'null'] };
}

function isObject(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
