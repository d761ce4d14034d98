import { isSchema, pointerBelow } from '@weir/json-schemas';
import { Secret, type SecretValues } from '@weir/vault';
import { credentialProblems } from '../../contract.ts';
import { joinConfig, valueAt } from '../config/join-config.ts';
import { pointerMatcher, walkConfig } from '../config/walk-config.ts';
import type { Pattern } from '../pattern/pattern-file.ts';

type Config = Record<string, unknown>;

const ROOT = '/credential_values';
const MAX_FAULTS = 20;

/** A configuration without its credentials, and these by their pointers; `joinConfig` makes one of both. */
export interface SplitConfig {
  visible: Config;
  values: SecretValues;
}

/** Takes the credentials out of a configuration; whatever its specification does not declare goes with them. Pure. */
export function splitConfig(config: Config, pattern: Pattern): SplitConfig {
  const { visible, hidden } = walkConfig(config, pattern.spec, pattern.namedCredentials);
  return { visible, values: new Map(Array.from(hidden, ([pointer, value]) => [pointer, new Secret(value)])) };
}

/** A configuration with its credentials; it is as secret as they are. Pure. */
export function withValues(visible: Readonly<Config>, values: SecretValues | undefined): Config {
  return joinConfig(
    visible,
    Array.from(values ?? [], ([pointer, value]) => [pointer, value.reveal()] as const),
  );
}

/**
 * A configuration with the values of a request, `null` where one is taken away. Members of `given` are nested as in the
 * configuration; one whose name begins with `/` is a pointer itself. Throws `undeclared_credential_field` with the places
 * of all fields that the pattern does not declare there. Pure.
 */
export function applyValues(config: Readonly<Config>, given: Readonly<Config>, pattern: Pattern): Config {
  const isField = pointerMatcher(pattern.credentialFields);
  const values = new Map<string, unknown>();
  const undeclared: string[] = [];
  const collect = (value: unknown, pointer: string): void => {
    if (isField(pointer)) {
      values.set(pointer, value);
      return;
    }
    const entries = isSchema(value) || Array.isArray(value) ? Object.entries(value) : [];
    if (entries.length === 0) undeclared.push(pointer);
    for (const [key, member] of entries) collect(member, pointerBelow(pointer, key));
  };
  for (const [name, value] of Object.entries(given)) {
    collect(value, name.startsWith('/') ? name : pointerBelow('', name));
  }
  const joined = joinConfig(config, values);
  const hidden = new Set(walkConfig(joined, pattern.spec, pattern.namedCredentials).credentials);
  // A place that the configuration does not have, or where its branch declares something else.
  for (const pointer of values.keys()) if (!hidden.has(pointer)) undeclared.push(pointer);
  if (undeclared.length > 0) {
    const errors = undeclared.map((pointer) => ({ pointer: `${ROOT}${pointer}`, code: 'undeclared_credential_field' }));
    throw credentialProblems.undeclaredCredentialField({ errors: errors.slice(0, MAX_FAULTS) });
  }
  for (const [pointer, value] of values) if (value === null) removeAt(joined, pointer);
  return joined;
}

/** Pointers of the credentials that stand in a configuration. Pure. */
export function credentialsIn(config: Readonly<Config>, pattern: Pattern): string[] {
  return walkConfig(config, pattern.spec, pattern.namedCredentials).credentials;
}

/**
 * The configuration of a source after a merge patch that was made of what is visible of it: credentials stay. Lists are
 * replaced by a patch as a whole; an item that is as it was before keeps its credentials, and no other item gets them. Pure.
 */
export function keepValues(before: Config, after: Config, pattern: Pattern): Config {
  const { visible, values } = splitConfig(before, pattern);
  const { visible: seen } = splitConfig(after, pattern);
  const kept = Array.from(values, ([pointer, value]) => [pointer, value.reveal()] as const).filter(
    ([pointer]) => valueAt(after, pointer) === undefined && isUnchangedItem(visible, seen, pointer),
  );
  return joinConfig(after, kept);
}

/** Whether the outermost list item above a pointer is the same, as far as it is visible; false when there is no list. */
function isUnchangedItem(visible: Config, after: Config, pointer: string): boolean {
  const segments = pointer.split('/');
  for (let end = 2; end < segments.length; end += 1) {
    const list = segments.slice(0, end).join('/');
    if (!Array.isArray(valueAt(visible, list))) continue;
    const item = segments.slice(0, end + 1).join('/');
    return Array.isArray(valueAt(after, list)) && isSame(valueAt(visible, item), valueAt(after, item));
  }
  return false;
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function removeAt(config: Config, pointer: string): void {
  const at = pointer.lastIndexOf('/');
  const parent = valueAt(config, pointer.slice(0, at));
  const key = pointer
    .slice(at + 1)
    .replaceAll('~1', '/')
    .replaceAll('~0', '~');
  if (isSchema(parent)) delete (parent as Config)[key];
}
