import { fault } from '../fault.ts';
import { conditionIn, flagIn, type Part, partsIn, placeOf, templateIn } from '../manifest/part.ts';
import { isNumeric } from '../template/number.ts';
import { type Dictionary, isDictionary, member, type Value } from '../template/value.ts';
import { put, type Row } from './row.ts';

export type Transform = (row: Row, scope: Dictionary) => void;
const NAMES = ['record', 'stream_slice', 'next_page_token'];

/** One change of every record of a stream. */
export function transformationOf(part: Part, config: Dictionary): Transform {
  switch (part.type) {
    case 'AddFields':
      return addFields(part);
    case 'RemoveFields':
      return removeFields(part);
    case 'KeysToLower':
      return (row) => renameAll(row, (name) => name.toLowerCase(), false);
    case 'KeysToSnakeCase':
      return (row) => renameAll(row, snakeCase, true);
    case 'KeysReplace':
      return keysReplace(part);
    default: {
      const lists = part.fields.flatten_lists === undefined || flagIn(part, 'flatten_lists', config);
      return (row) => replaceAll(row, flattened(row, lists));
    }
  }
}

function addFields(part: Part): Transform {
  const condition = conditionIn(part, 'condition', [...NAMES, 'value', 'path']);
  const additions = partsIn(part, 'fields').map((field) => {
    const path = field.fields.path;
    const value = templateIn(field, 'value', NAMES);
    if (!Array.isArray(path) || path.length === 0 || value === undefined)
      throw fault('manifest_invalid', { at: placeOf(field, 'path'), what: 'a list of names is expected' });
    return { path: path.map(String), value, type: field.fields.value_type };
  });
  return (record, scope) => {
    for (const { path, value, type } of additions) {
      const inner = { ...scope, record };
      const made = typed(value.value(inner), value.raw, inner, type);
      if (condition?.({ ...inner, value: made, path }) ?? true) putAt(record, path, made);
    }
  };
}

/** A value is kept as its text where the manifest names a type that it is not of. */
function typed(value: Value, raw: (scope: Dictionary) => string, scope: Dictionary, type: unknown): Value {
  if (typeof type !== 'string') return value;
  const fits = {
    string: typeof value === 'string',
    number: isNumeric(value),
    integer: isNumeric(value),
    boolean: typeof value === 'boolean',
  };
  return fits[type as keyof typeof fits] ? value : raw(scope);
}

function putAt(record: Row, path: readonly string[], value: Value): void {
  let at: object = record;
  for (const name of path.slice(0, -1)) {
    const held: unknown = Object.hasOwn(at, name) ? (at as Row)[name] : undefined;
    if (typeof held !== 'object' || held === null) put(at, name, {});
    at = (at as Record<string, object>)[name] as object;
  }
  put(at, path.at(-1) ?? '', value);
}

function removeFields(part: Part): Transform {
  const condition = conditionIn(part, 'condition', ['property']);
  const given = part.fields.field_pointers;
  const isPaths = Array.isArray(given) && given.every((path) => Array.isArray(path) && path.length > 0);
  if (!isPaths)
    throw fault('manifest_invalid', { at: placeOf(part, 'field_pointers'), what: 'lists of names are expected' });
  const pointers = (given as readonly (readonly unknown[])[]).map((path) => path.map(String));
  return (row, scope) => {
    for (const pointer of pointers) removeAt(row, pointer, (property) => condition?.({ ...scope, property }) ?? true);
  };
}

function removeAt(value: Value, path: readonly string[], allows: (property: Value) => boolean): void {
  const [name = '', ...rest] = path;
  if (Array.isArray(value)) {
    const items = name === '*' || name === '**' ? value : value.slice(Number(name), Number(name) + 1);
    if (rest.length > 0) for (const item of items) removeAt(item, rest, allows);
    return;
  }
  if (!isDictionary(value)) return;
  const names = name === '*' ? Object.keys(value) : Object.hasOwn(value, name) ? [name] : [];
  for (const found of names) {
    if (rest.length > 0) removeAt(member(value, found), rest, allows);
    else if (allows(member(value, found))) delete (value as Row)[found];
  }
  if (name !== '**') return;
  removeAt(value, rest, allows);
  for (const held of Object.values(value)) removeAt(held, path, allows);
}

function keysReplace(part: Part): Transform {
  const [old, next] = [templateIn(part, 'old', NAMES), templateIn(part, 'new', NAMES)];
  return (record, scope) => {
    const inner = { ...scope, record };
    const [from, to] = [old?.raw(inner) ?? '', next?.raw(inner) ?? ''];
    if (from !== '') renameAll(record, (name) => name.replaceAll(from, () => to), true);
  };
}

function renameAll(row: Row, rename: (name: string) => string, deep: boolean): void {
  const renamed = (value: Value): Value => {
    if (!isDictionary(value)) return value;
    const made = {};
    for (const [name, held] of Object.entries(value)) put(made, rename(name), deep ? renamed(held) : held);
    return made as Value;
  };
  replaceAll(row, renamed(row) as Row);
}

function replaceAll(row: Row, by: Row): void {
  for (const name of Object.keys(row)) delete row[name];
  for (const [name, value] of Object.entries(by)) put(row, name, value);
}

const TOKEN = /[A-Z]+[a-z]*|[a-z]+|\d+|[^a-zA-Z\d]+/g;

/** `camelCase`, `Title Case` and `kebab-case` as `snake_case`; letters lose their marks first. */
export function snakeCase(name: string): string {
  const plain = name.normalize('NFKD').replace(/\p{M}/gu, '');
  let tokens = (plain.match(TOKEN) ?? []).map((token) => (/^[a-zA-Z\d]/.test(token) ? token : ''));
  if (tokens.length >= 3)
    tokens = [...tokens.slice(0, 1), ...tokens.slice(1, -1).filter((token) => token !== ''), ...tokens.slice(-1)];
  if (/^\d/.test(tokens[0] ?? '')) tokens = ['', ...tokens];
  return tokens.map((token) => token.toLowerCase()).join('_');
}

/** All leaves of a record side by side: by their own names, with their parents' where those are taken or in lists. */
function flattened(row: Row, lists: boolean): Row {
  const made: Row = {};
  const stack: [Value, string][] = [[row, '_']];
  let withParent = false;
  for (;;) {
    const [value, name] = stack.pop() ?? [undefined, ''];
    if (value === undefined) return made;
    if (isDictionary(value)) {
      for (const [key, held] of Object.entries(value)) {
        stack.push([held, Object.hasOwn(made, key) || withParent ? `${name}.${key}` : key]);
      }
    } else if (Array.isArray(value) && lists) {
      value.forEach((item, index) => {
        withParent = true;
        stack.push([item, `${name}.${index}`]);
      });
    } else put(made, name, value);
  }
}
