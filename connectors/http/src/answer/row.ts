import type { Value } from '../template/value.ts';

/** A record while it is worked on: ours to change. */
export type Row = Record<string, Value>;

/** Sets an own member of any name; an assignment would not for `__proto__`. */
export function put(target: object, name: string, value: unknown): void {
  Object.defineProperty(target, name, { value, writable: true, enumerable: true, configurable: true });
}
