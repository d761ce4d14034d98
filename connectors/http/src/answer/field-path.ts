import { isDictionary, member, type Value } from '../template/value.ts';

/** What a path leads to; a `*` goes to everything that is there. Empty when it leads nowhere. */
export function valuesAt(value: Value, path: readonly string[]): Value[] {
  const [name, ...rest] = path;
  if (name === undefined) return [value];
  return stepsOf(value, name).flatMap((next) => valuesAt(next, rest));
}

function stepsOf(value: Value, name: string): Value[] {
  if (Array.isArray(value)) {
    if (name === '*') return value;
    const item = /^\d+$/.test(name) ? value[Number(name)] : undefined;
    return item === undefined ? [] : [item];
  }
  if (!isDictionary(value)) return [];
  if (name === '*') return Object.values(value);
  return Object.hasOwn(value, name) ? [member(value, name)] : [];
}
