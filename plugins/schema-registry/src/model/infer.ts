import { isSchema, type Schema } from '@weir/json-schemas';
import { isReserved } from '@weir/plugin-datasets/contract';

const MAX_LEVELS = 20;
const SCHEMA = 'https://json-schema.org/draft/2020-12/schema';

/** The schema of documents that were seen: types of what is there, required what is always there. */
export function schemaOfDocuments(documents: readonly Schema[], title: string): Schema {
  return { $schema: SCHEMA, title, ...ofValues(documents, MAX_LEVELS) };
}

function ofValues(values: readonly unknown[], levels: number): Schema {
  const names = [...new Set(values.map(typeName))].sort();
  const types = names.filter((name) => name !== 'integer' || !names.includes('number'));
  const objects = values.filter(isSchema);
  const items = values.filter((value): value is unknown[] => Array.isArray(value)).flat();
  if (levels === 0 || types.length === 0) return {};
  return {
    type: types.length === 1 ? types[0] : types,
    ...(objects.length > 0 && membersOf(objects, levels)),
    ...(items.length > 0 && { items: ofValues(items, levels - 1) }),
  };
}

function membersOf(objects: readonly Schema[], levels: number): Schema {
  const names = [...new Set(objects.flatMap((one) => Object.keys(one)))];
  const valuesOf = (name: string) => objects.flatMap((one) => (Object.hasOwn(one, name) ? [one[name]] : []));
  const required = names.filter((name) => objects.every((one) => Object.hasOwn(one, name)));
  return {
    properties: Object.fromEntries(names.map((name) => [name, ofValues(valuesOf(name), levels - 1)])),
    ...(required.length > 0 && { required }),
  };
}

function typeName(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
}

const COLUMN_TYPES: Readonly<Record<string, Schema>> = {
  boolean: { type: 'boolean' },
  int: { type: 'integer' },
  long: { type: 'integer' },
  float: { type: 'number' },
  double: { type: 'number' },
  decimal: { type: 'number' },
  date: { type: 'string', format: 'date' },
  timestamptz: { type: 'string', format: 'date-time' },
  uuid: { type: 'string', format: 'uuid' },
  list: { type: 'array' },
  struct: { type: 'object' },
  map: { type: 'object' },
};

/** Columns that change data has beside those of the platform; no producer of rows knows either. */
const OF_CHANGES = /^_(?:op|lsn)$/;

/** The schema of the rows of a table; a column may always be without a value. */
export function schemaOfColumns(columns: readonly { name: string; type: string }[], title: string): Schema {
  const shown = columns.filter(({ name }) => !isReserved(name) && !OF_CHANGES.test(name));
  const properties = Object.fromEntries(
    shown.map(({ name, type }) => [name, COLUMN_TYPES[base(type)] ?? { type: 'string' }]),
  );
  return { $schema: SCHEMA, title, type: 'object', properties };
}

const base = (type: string): string => /^[a-z]+/.exec(type)?.[0] ?? '';

/** Values of a column as JSON has them: long integers and decimals arrive as text. */
export const jsonValue = (type: string, value: unknown): unknown =>
  typeof value === 'string' && ['long', 'decimal'].includes(base(type)) ? Number(value) : value;
