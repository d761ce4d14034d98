import { isDeepStrictEqual } from 'node:util';
import type { FieldChangeView } from '../../contract.ts';

type Schema = Readonly<Record<string, unknown>>;

interface Field {
  path: string[];
  /** The schema of the field without those of its own fields. */
  own: unknown;
  text: string;
}

/**
 * What lies between two record schemas, field by field through nested objects: the fields of the newer one in its order,
 * then those that are gone. The order of fields is no difference. Pure.
 */
export function diffSchemas(before: Schema, after: Schema): FieldChangeView[] {
  const old = new Map(fieldsOf(before, []).map((field) => [JSON.stringify(field.path), field]));
  const changes: FieldChangeView[] = [];
  for (const { path, own, text } of fieldsOf(after, [])) {
    const key = JSON.stringify(path);
    const was = old.get(key);
    old.delete(key);
    if (was === undefined) changes.push({ path, change: 'added', from: null, to: text });
    else if (!isDeepStrictEqual(was.own, own)) changes.push({ path, change: 'changed', from: was.text, to: text });
  }
  for (const { path, text } of old.values()) changes.push({ path, change: 'removed', from: text, to: null });
  return changes;
}

function fieldsOf(schema: Schema, above: readonly string[]): Field[] {
  const { properties } = schema;
  if (!isObject(properties)) return [];
  return Object.entries(properties).flatMap(([name, node]) => {
    const path = [...above, name];
    if (!isObject(node)) return [{ path, own: node, text: 'any' }];
    const { properties: _inner, ...own } = node;
    return [{ path, own, text: typeText(node) }, ...fieldsOf(node, path)];
  });
}

/** A type in a few words, such as `string|null (date-time)`. */
function typeText(node: Schema): string {
  const { type } = node;
  const named = Array.isArray(type) ? type.filter((one) => typeof one === 'string').join('|') : type;
  const branch = ['oneOf', 'anyOf', 'allOf'].find((keyword) => node[keyword] !== undefined);
  const base = typeof named === 'string' && named !== '' ? named : (branch ?? 'any');
  const detail = node.airbyte_type ?? node.format;
  return typeof detail === 'string' ? `${base} (${detail})` : base;
}

function isObject(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
