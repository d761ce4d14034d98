import { pointerBelow } from '@weir/json-schemas';
import { canonicalJson } from '@weir/kernel';
import type { ChangeView, Json } from '../contract.ts';

/** What differs, member by member; lists and scalars as a whole. Pure. */
export function differences(before: Json, after: Json, root = ''): ChangeView[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names.flatMap((name): ChangeView[] => {
    const pointer = pointerBelow(root, name);
    const [was, is] = [ownOf(before, name), ownOf(after, name)];
    if (was === undefined && is === undefined) return [];
    if (was === undefined) return [{ pointer, change: 'add', after: is }];
    if (is === undefined) return [{ pointer, change: 'remove', before: was }];
    if (isObject(was) && isObject(is)) return differences(was, is, pointer);
    return canonicalJson(was) === canonicalJson(is) ? [] : [{ pointer, change: 'replace', before: was, after: is }];
  });
}

/** A member is named by its user, so that it may be called as one that every object has. */
const ownOf = (object: Json, name: string): unknown => (Object.hasOwn(object, name) ? object[name] : undefined);

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
