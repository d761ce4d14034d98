import { isSchema, pointerBelow, pointerSegments } from '@weir/json-schemas';
import { canonicalSha256 } from '@weir/kernel';
import { fieldPointer } from './credential-fields.ts';
import { pointerMatcher, walkConfig } from './walk-config.ts';

type Config = Readonly<Record<string, unknown>>;

/** What of a pattern says which fields lead to a place. */
interface PlacedPattern {
  spec: Config;
  namedCredentials: readonly string[];
  fields?: readonly { path: string; place?: boolean }[];
  egress?: readonly string[];
}

/** Words in names of fields that lead to a place, for patterns that mark none. */
const PLACE_WORDS = new Set(
  'address addresses broker brokers domain endpoint host hostname hosts port proxy server servers ssl subdomain tls tunnel uri url urls'.split(
    ' ',
  ),
);

/**
 * The visible fields of a configuration that say where its connector goes, by pointer: those that the pattern marks with
 * `place` and the members that `egress` names. Where it marks none, names decide. Pure.
 */
export function configPlaces(config: Config, pattern: PlacedPattern): Record<string, unknown> {
  const isPlace = placeMatcher(pattern);
  const places: Record<string, unknown> = {};
  const visit = (value: unknown, pointer: string): void => {
    if (pointer !== '' && isPlace(pointer)) places[pointer] = value;
    else if (isSchema(value) || Array.isArray(value))
      for (const [key, member] of Object.entries(value)) visit(member, pointerBelow(pointer, key));
  };
  visit(walkConfig(config, pattern.spec, pattern.namedCredentials).visible, '');
  return places;
}

/** A digest of the place that a configuration leads to. Pure. */
export function placeDigest(config: Config, pattern: PlacedPattern): string {
  return canonicalSha256(configPlaces(config, pattern));
}

/** Pointers of the place fields in which two configurations differ. Pure. */
export function changedPlaces(before: Config, after: Config, pattern: PlacedPattern): string[] {
  const [one, other] = [configPlaces(before, pattern), configPlaces(after, pattern)];
  const digest = (value: unknown) => (value === undefined ? undefined : canonicalSha256({ value }));
  return [...new Set([...Object.keys(one), ...Object.keys(other)])]
    .filter((pointer) => digest(one[pointer]) !== digest(other[pointer]))
    .sort();
}

function placeMatcher({ fields = [], egress = [] }: PlacedPattern): (pointer: string) => boolean {
  const marked = fields.filter(({ place }) => place !== undefined);
  const reached = egress.flatMap((hint) => Array.from(hint.matchAll(/\{([^}]+)\}/g), ([, name = '']) => `/${name}`));
  const named = [...marked.filter(({ place }) => place).map(({ path }) => fieldPointer(path)), ...reached];
  const isNamed = pointerMatcher(named);
  return marked.length > 0 ? isNamed : (pointer) => isNamed(pointer) || hasPlaceWord(pointer);
}

/** Whether the name of a field says that it leads to a place. */
export function hasPlaceWord(pointer: string): boolean {
  return nameWords(pointer).some((word) => PLACE_WORDS.has(word));
}

/** The words that the name of a field is made of, in lower case. Pure. */
export function nameWords(pointer: string): string[] {
  const words = (pointerSegments(pointer).at(-1) ?? '').split(/[^A-Za-z]+|(?<=[a-z])(?=[A-Z])/);
  return words.filter((word) => word !== '').map((word) => word.toLowerCase());
}
