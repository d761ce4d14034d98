import { fault } from '../fault.ts';
import { type Part, placeOf, readPart } from '../manifest/part.ts';
import { isPlainObject, type Plain, pointerTo } from '../manifest/resolve-refs.ts';
import { type Dictionary, isDictionary, member, textOf, type Value } from '../template/value.ts';
import type { Authenticator } from './authenticator.ts';

const CHOICES = [
  'BearerAuthenticator',
  'ApiKeyAuthenticator',
  'BasicHttpAuthenticator',
  'OAuthAuthenticator',
  'NoAuth',
  'JwtAuthenticator',
  'SessionTokenAuthenticator',
];

/** The one of several authenticators that a value of the configuration names. */
export function selectiveAuthenticator(
  part: Part,
  config: Dictionary,
  build: (part: Part) => Authenticator,
): Authenticator {
  const path = part.fields.authenticator_selection_path;
  const choices = part.fields.authenticators;
  if (!Array.isArray(path) || !isPlainObject(choices ?? null))
    throw fault('manifest_invalid', { at: part.at, what: 'a list of names and a set of authenticators are expected' });
  const name = textOf(path.map(String).reduce<Value>((at, step) => (isDictionary(at) ? member(at, step) : ''), config));
  const at = placeOf(part, 'authenticators');
  const chosen = Object.hasOwn(choices as object, name) ? (choices as Record<string, Plain>)[name] : undefined;
  if (chosen === undefined) throw fault('config_invalid', { at, what: 'the configuration chooses none of them' });
  const origins = new WeakMap<object, string>();
  return build(
    readPart(chosen, pointerTo(at, name), CHOICES, { origins, parameters: part.parameters as Record<string, Plain> }),
  );
}
