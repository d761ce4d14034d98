import { fault } from '../fault.ts';

/** Plain JSON, as a manifest holds it. */
export type Plain = null | boolean | number | string | readonly Plain[] | { readonly [name: string]: Plain };
export type PlainObject = { readonly [name: string]: Plain };

/** Where in the manifest a value was written, beside its place after references were followed. */
export type Origins = WeakMap<object, string>;

const MAX_DEPTH = 200;
const MAX_NODES = 200_000;

export function isPlainObject(value: unknown): value is PlainObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export const pointerTo = (at: string, name: string | number) =>
  `${at}/${String(name).replaceAll('~', '~0').replaceAll('/', '~1')}`;

/**
 * Follows every `$ref` of a manifest: an object with one takes the members of what it names, its own before those; a text
 * that begins with `#/` is what it names. Gives where each object was written. `manifest_invalid` for a reference to nowhere
 * or to itself, and for a manifest that grows out of bounds.
 */
export function resolveRefs(manifest: PlainObject): { manifest: PlainObject; origins: Origins } {
  const origins: Origins = new WeakMap();
  let nodes = 0;
  const resolve = (value: Plain, at: string, open: readonly string[]): Plain => {
    nodes += 1;
    if (nodes > MAX_NODES || open.length > MAX_DEPTH)
      throw fault('manifest_invalid', { at, what: 'its references make it too large' });
    if (typeof value === 'string') return value.startsWith('#/') ? followed(value, at, open) : value;
    if (Array.isArray(value)) return value.map((item: Plain, index) => resolve(item, pointerTo(at, index), open));
    if (!isPlainObject(value)) return value;
    const { $ref: reference, ...own } = value;
    const taken = typeof reference === 'string' ? followed(reference, at, open) : {};
    const members = Object.entries(own).map(
      ([name, held]) => [name, resolve(held, pointerTo(at, name), open)] as const,
    );
    if (typeof reference === 'string' && members.length === 0) return taken;
    const base = isPlainObject(taken) ? taken : {};
    const made: PlainObject = Object.fromEntries([...Object.entries(base), ...members]);
    origins.set(made, at);
    return made;
  };
  const followed = (reference: string, at: string, open: readonly string[]): Plain => {
    const target = reference.replace(/^#/, '');
    if (open.includes(target)) throw fault('manifest_invalid', { at, what: 'a reference leads to itself' });
    const found = lookUp(manifest, target);
    if (found === undefined) throw fault('manifest_invalid', { at, what: 'a reference leads nowhere' });
    return resolve(found, target, [...open, target]);
  };
  const { definitions: _, ...used } = manifest;
  return { manifest: resolve(used, '', []) as PlainObject, origins };
}

/** What a pointer names; a part of it may hold slashes, as the reference interpreter has it, so the longest name wins. */
function lookUp(root: Plain, pointer: string): Plain | undefined {
  const segments = pointer.split('/').slice(1);
  let at: Plain | undefined = root;
  for (let index = 0; index < segments.length; ) {
    const within: Plain | undefined = at;
    if (Array.isArray(within)) {
      at = within[Number(segments[index])];
      index += 1;
    } else if (isPlainObject(within)) {
      const width = segments.length - index;
      const taken = Array.from({ length: width }, (_, cut) => width - cut).find((size) =>
        Object.hasOwn(within, segments.slice(index, index + size).join('/')),
      );
      if (taken === undefined) return undefined;
      at = within[segments.slice(index, index + taken).join('/')];
      index += taken;
    } else return undefined;
  }
  return at;
}
