import { type Part, partIn } from '../manifest/part.ts';
import { isPlainObject, type Plain } from '../manifest/resolve-refs.ts';
import { literalOf } from '../template/literal.ts';
import { doubleOf, isNumeric, whole, wholeOf } from '../template/number.ts';
import { type Dictionary, isDictionary, textOf, type Value } from '../template/value.ts';
import { put, type Row } from './row.ts';

/** Brings the values of a record to the types of the stream's schema, where the selector asks for it; what does not fit stays. */
export function normaliserOf(stream: Part, selector: Part, _config: Dictionary): (row: Row) => void {
  const loader = partIn(stream, 'schema_loader');
  const schema = loader?.fields.schema;
  if (selector.fields.schema_normalization !== 'Default' || !isPlainObject(schema ?? null)) return () => undefined;
  return (row) => normaliseObject(row, schema as Plain);
}

function normaliseObject(row: Dictionary, schema: Plain): void {
  const properties = isPlainObject(schema) ? schema.properties : undefined;
  if (!isPlainObject(properties)) return;
  for (const [name, wanted] of Object.entries(properties)) {
    if (Object.hasOwn(row, name)) put(row, name, normalised(row[name] as Value, wanted));
  }
}

function normalised(value: Value, schema: Plain): Value {
  if (!isPlainObject(schema) || value === null) return value;
  const given = schema.type;
  const types = (Array.isArray(given) ? given : [given]).filter((type) => type !== 'null');
  if (isDictionary(value) && types.includes('object')) normaliseObject(value, schema);
  if (Array.isArray(value) && types.includes('array'))
    return value.map((item) => normalised(item, schema.items ?? null));
  const [type] = types;
  return types.length === 1 && typeof type === 'string' ? cast(value, type) : value;
}

function cast(value: Value, type: string): Value {
  if (type === 'string')
    return typeof value === 'string' ? value : typeof value === 'object' ? JSON.stringify(value) : textOf(value);
  if (type === 'boolean') return typeof value === 'string' ? (TRUTHS.get(value.toLowerCase()) ?? value) : value;
  if (type !== 'number' && type !== 'integer') return value;
  const number = typeof value === 'string' ? literalOf(value.trim()) : value;
  if (number === undefined || !isNumeric(number)) return value;
  if (type === 'number' || wholeOf(number) !== undefined) return number;
  return typeof value === 'string' ? value : whole(BigInt(Math.trunc(doubleOf(number))));
}

const TRUTHS: ReadonlyMap<string, boolean> = new Map([
  ...['true', 't', 'yes', 'y', 'on', '1'].map((word): [string, boolean] => [word, true]),
  ...['false', 'f', 'no', 'n', 'off', '0'].map((word): [string, boolean] => [word, false]),
]);
