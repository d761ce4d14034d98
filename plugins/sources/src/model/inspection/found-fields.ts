import { isSchema, type Schema } from '@weir/json-schemas';
import { hasPlaceWord, nameWords } from '../config/config-places.ts';
import { credentialFields } from '../config/credential-fields.ts';
import { pointerMatcher } from '../config/walk-config.ts';
import { walkFields } from '../config/walk-fields.ts';

/** What a specification says of its fields beyond their form: pointers, sorted. */
export interface FoundFields {
  /** It calls them secret. */
  credentials: string[];
  /** They are named like secrets, but it does not call them so. */
  asked: string[];
  /** They say where the connector goes. */
  places: string[];
}

const SECRET_WORDS = new Set(
  'apikey bearer credential credentials passphrase passwd password pwd secret secrets token tokens'.split(' '),
);
/** What makes a key one that is kept secret. */
const KEY_WORDS = new Set('access account api auth client encryption private secret shared signing'.split(' '));
/** Last words of what is said of a secret in the open: where it is had, until when it counts. */
const ABOUT_SECRETS = new Set(
  'at date endpoint expires expiration expiry field header host lifetime location method mode name parameter path seconds ttl type uri url'.split(
    ' ',
  ),
);
const PLACE_FORMATS: readonly unknown[] = ['uri', 'url', 'hostname', 'ipv4', 'ipv6'];

/** Reads which fields of a specification are credentials, may be some, and lead to a place. Pure. */
export function foundFields(spec: Schema): FoundFields {
  const credentials = credentialFields(spec, []);
  const isKnown = pointerMatcher(credentials);
  const asked: string[] = [];
  walkFields(spec, (pointer, nodes) => {
    if (isKnown(pointer)) return false;
    if (isText(nodes) && isNamedSecret(pointer)) asked.push(pointer);
    return true;
  });
  const isSecret = pointerMatcher([...credentials, ...asked]);
  const places: string[] = [];
  walkFields(spec, (pointer, nodes) => {
    if (isSecret(pointer)) return false;
    const isPlace = hasPlaceWord(pointer) || nodes.some(({ format }) => PLACE_FORMATS.includes(format));
    if (isPlace) places.push(pointer);
    return !isPlace;
  });
  return { credentials, asked: asked.sort(), places: places.sort() };
}

/** A text that is not chosen from a list: a choice is no secret. */
function isText(nodes: readonly Schema[]): boolean {
  const types = nodes.flatMap(({ type }) => type ?? []);
  const isFixed = nodes.some((node) => node.const !== undefined || node.enum !== undefined);
  const holdsMore = nodes.some(({ properties, items }) => isSchema(properties) || isSchema(items));
  return !isFixed && !holdsMore && (types.length === 0 || types.includes('string'));
}

function isNamedSecret(pointer: string): boolean {
  const words = nameWords(pointer);
  if (ABOUT_SECRETS.has(words.at(-1) ?? '')) return false;
  return words.some((word, at) => SECRET_WORDS.has(word) || (word === 'key' && KEY_WORDS.has(words[at - 1] ?? '')));
}
