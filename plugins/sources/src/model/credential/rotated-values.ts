import { pointerBelow } from '@weir/json-schemas';
import { canonicalJson } from '@weir/kernel';
import { Secret, type SecretValues, secretValues } from '@weir/vault';
import { valueAt } from '../config/join-config.ts';
import { walkConfig } from '../config/walk-config.ts';
import type { Pattern } from '../pattern/pattern-file.ts';

type Config = Readonly<Record<string, unknown>>;

/** Credentials that a connector renewed: what it was given, and what counts from now on, by pointers. */
export interface Rotation {
  known: SecretValues;
  next: SecretValues;
  /** Fields that it reported otherwise than it was given them, and that are not for it to change. */
  ignored: number;
}

/**
 * What of a configuration that a connector reports is a renewed credential: a declared credential field with another value
 * than it was given. Everything else that differs is counted and left, as a connector configures no source. Pure.
 */
export function rotationOf(given: Config, reported: Config, pattern: Pattern): Rotation {
  const { credentials } = walkConfig(reported, pattern.spec, pattern.namedCredentials);
  const changed = credentials.filter((pointer) => {
    const value = valueAt(reported, pointer);
    return value !== null && isPlace(given, pointer) && !isSame(value, valueAt(given, pointer));
  });
  const [known, next] = [given, reported].map((config) => {
    const fields = changed.map((pointer) => [pointer, valueAt(config, pointer)] as const);
    return secretValues(fields.filter(([, value]) => value !== undefined));
  });
  const taken = new Set(changed);
  const places = new Set([...Object.keys(given), ...Object.keys(reported)].map((key) => pointerBelow('', key)));
  const ignored = [...places].filter((place) => {
    const holdsTaken = [...taken].some((pointer) => pointer === place || pointer.startsWith(`${place}/`));
    return !holdsTaken && !isSame(valueAt(given, place), valueAt(reported, place));
  });
  return { known: known ?? new Map(), next: next ?? new Map(), ignored: ignored.length };
}

/**
 * The credentials as they are after a rotation; undefined when it changes nothing of them. A field counts only while it has
 * the value that the connector was given: whoever has set it since knows better. So the same rotation again changes nothing,
 * and rotations in their order lead from each to the next. Pure.
 */
export function applyRotation(
  current: SecretValues | undefined,
  { known, next }: Pick<Rotation, 'known' | 'next'>,
): SecretValues | undefined {
  const fields = [...next].filter(([pointer]) => isSameSecret(current?.get(pointer), known.get(pointer)));
  return fields.length === 0 ? undefined : new Map([...(current ?? []), ...fields]);
}

const KNOWN = '/known';
const NEXT = '/next';

/** A rotation as it is sealed. Pure. */
export function packRotation({ known, next }: Pick<Rotation, 'known' | 'next'>): SecretValues {
  const revealed = (values: SecretValues) =>
    Object.fromEntries(Array.from(values, ([pointer, value]) => [pointer, value.reveal()]));
  return new Map([
    [KNOWN, new Secret<unknown>(revealed(known))],
    [NEXT, new Secret<unknown>(revealed(next))],
  ]);
}

/** What `packRotation` made. Pure. */
export function unpackRotation(sealed: SecretValues): Pick<Rotation, 'known' | 'next'> {
  const values = (part: string) => secretValues(Object.entries((sealed.get(part)?.reveal() ?? {}) as object));
  return { known: values(KNOWN), next: values(NEXT) };
}

/** Whether a value can be put there: items of lists are not made. */
function isPlace(config: Config, pointer: string): boolean {
  const parent = pointer.slice(0, pointer.lastIndexOf('/'));
  return !Array.isArray(valueAt(config, parent)) || valueAt(config, pointer) !== undefined;
}

function isSameSecret(one: Secret<unknown> | undefined, other: Secret<unknown> | undefined): boolean {
  return isSame(one?.reveal(), other?.reveal());
}

function isSame(one: unknown, other: unknown): boolean {
  if (one === undefined || other === undefined) return one === other;
  return canonicalJson(one) === canonicalJson(other);
}
