import { pointerSegments } from '@weir/json-schemas';

/**
 * A configuration with values put back at their pointers, so that `joinConfig(visible, hidden)` of a walked configuration is
 * that configuration. Objects on the way that are not there are made; items of lists are not: a value below one that is not
 * there is left out. Pure.
 */
export function joinConfig(
  visible: Readonly<Record<string, unknown>>,
  hidden: Iterable<readonly [string, unknown]>,
): Record<string, unknown> {
  const joined = structuredClone(visible) as Record<string, unknown>;
  for (const [pointer, value] of hidden) {
    const segments = pointerSegments(pointer);
    const last = segments.pop();
    if (last !== undefined) put(segments.reduce<unknown>(below, joined), last, structuredClone(value));
  }
  return joined;
}

/** The value at a pointer; undefined when there is none. */
export function valueAt(config: unknown, pointer: string): unknown {
  return pointerSegments(pointer).reduce<unknown>(memberOf, config);
}

function memberOf(parent: unknown, key: string): unknown {
  return typeof parent === 'object' && parent !== null && Object.hasOwn(parent, key)
    ? (parent as Record<string, unknown>)[key]
    : undefined;
}

function below(parent: unknown, key: string): unknown {
  const found = memberOf(parent, key);
  if (found !== undefined || typeof parent !== 'object' || parent === null || Array.isArray(parent)) return found;
  const made = {};
  define(parent, key, made);
  return made;
}

function put(parent: unknown, key: string, value: unknown): void {
  if (typeof parent !== 'object' || parent === null) return;
  if (Array.isArray(parent) && Number(key) >= parent.length) return;
  define(parent, key, value);
}

/** Unlike an assignment this makes an own member of any name. */
function define(parent: object, key: string, value: unknown): void {
  Object.defineProperty(parent, key, { value, writable: true, enumerable: true, configurable: true });
}
