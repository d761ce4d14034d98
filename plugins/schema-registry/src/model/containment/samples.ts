import { isSchema, type Schema } from '@weir/json-schemas';
import fc from 'fast-check';
import { keyword } from '../schema/places.ts';
import {
  alternatives,
  type Conjunct,
  conjuncts,
  isInteger,
  itemPlaces,
  type JsonType,
  limitOf,
  matches,
  meets,
  memberNames,
  memberPlaces,
  namedValues,
  patternsOf,
  requiredNames,
  type Side,
  type State,
  stringsOf,
  tightest,
  typesOf,
} from './state.ts';

const MAX_SAMPLES = 64;
const MAX_OF_TYPE = 8;
const MAX_LEVELS = 6;
const MAX_ITEMS = 20;
const MAX_TEXT = 512;
/** A seed that is always the same: the same pair of schemas gets the same answer. */
const SEED = 57;
const TRIED_TEXTS = 20;

const FORMATS: Readonly<Record<string, string>> = {
  'date-time': '2026-01-31T12:00:00Z',
  date: '2026-01-31',
  time: '12:00:00Z',
  duration: 'P1D',
  email: 'a@example.com',
  hostname: 'example.com',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  uri: 'https://example.com/a',
  'uri-reference': '/a',
  uuid: '0199d3f2-5c1e-7a40-9b6d-3f1c2a7e8d90',
  'json-pointer': '/a',
  regex: '^a$',
};

/** A text that a pattern matches; undefined for patterns that the generator does not know. */
export function textFor(pattern: string): string | undefined {
  return textsFor(pattern).find((text) => matches(pattern, text));
}

function textsFor(pattern: string): string[] {
  try {
    return fc.sample(fc.stringMatching(new RegExp(pattern, 'u')), { seed: SEED, numRuns: TRIED_TEXTS });
  } catch {
    return [];
  }
}

/** Of whatever may be anything. */
const ANYTHING: readonly unknown[] = ['a', 1, {}, [], true, null, 0.5, { other: 0 }, [0]];

/** Values of each type that meet all conjuncts, the smallest first; fewer than there are, and perhaps none. */
export function samplesOf(side: Side, all: readonly Conjunct[], levels = MAX_LEVELS): readonly unknown[] {
  if (all.length === 0) return ANYTHING;
  const found: unknown[] = [];
  for (const list of alternatives(side, all)) {
    const named = namedValues(side, list);
    const values = named ?? typesOf(list).flatMap((type) => ofType(side, { all: list, type }, levels));
    found.push(...values.filter((value) => meets(side, all, value)));
    if (found.length >= MAX_SAMPLES) break;
  }
  return found.slice(0, MAX_SAMPLES);
}

function ofType(side: Side, state: State, levels: number): unknown[] {
  const made = MAKERS[state.type](side, state, levels);
  return made.filter((value) => meets(side, state.all, value)).slice(0, MAX_OF_TYPE);
}

const MAKERS: Readonly<Record<JsonType, (side: Side, state: State, levels: number) => unknown[]>> = {
  null: () => [null],
  boolean: () => [true, false],
  number: (_, state) => numbers(state),
  string: (_, state) => texts(state),
  array: arrays,
  object: objects,
};

function numbers(state: State): number[] {
  const [low, high] = [tightest(state, 'minimum')?.value, tightest(state, 'maximum')?.value];
  const steps = state.all.map((one) => keyword(one, 'multipleOf')).filter((value) => typeof value === 'number');
  const near = [
    ...(low === undefined ? [] : [low, low + 1, low + 0.5]),
    ...(high === undefined ? [] : [high, high - 1, high - 0.5]),
  ];
  const middle = low !== undefined && high !== undefined ? [(low + high) / 2] : [];
  const multiples = steps.flatMap((step) => [...near, ...middle].map((value) => Math.ceil(value / step) * step));
  const whole = isInteger(state) ? [...near, ...middle].flatMap((value) => [Math.ceil(value), Math.floor(value)]) : [];
  return [0, 1, ...near, ...middle, ...multiples, ...whole, ...steps, 0.5, -1, 1_000, -1_000.5];
}

function texts({ all }: State): string[] {
  const least = Math.min(limitOf(all, 'minLength', 'most') ?? 0, MAX_TEXT);
  const most = limitOf(all, 'maxLength', 'least') ?? least + 20;
  const given = all.flatMap(({ node }) => examplesIn(node)).filter((value) => typeof value === 'string');
  const patterns = all.flatMap((one) => stringsOf([keyword(one, 'pattern')]));
  const formats = all.flatMap((one) => stringsOf([keyword(one, 'format')])).flatMap((name) => FORMATS[name] ?? []);
  const plain = ['a', '', 'A', '1', 'ab1', 'x y', 'ä'].map((text) =>
    text.padEnd(least, 'a').slice(0, Math.max(most, 0)),
  );
  const long = most > least ? ['b'.repeat(Math.min(most, MAX_TEXT))] : [];
  return [...formats, ...patterns.flatMap(textsFor), ...plain, ...long, ...given];
}

const examplesIn = (node: unknown): unknown[] =>
  isSchema(node) ? [node.default, node.examples, node.example].flat().filter((value) => value !== undefined) : [];

function arrays(side: Side, state: State, levels: number): unknown[][] {
  if (levels === 0) return [[]];
  const least = Math.min(limitOf(state.all, 'minItems', 'most') ?? 0, MAX_ITEMS);
  const most = Math.min(limitOf(state.all, 'maxItems', 'least') ?? MAX_ITEMS, MAX_ITEMS);
  const itemsAt = (at: number) =>
    samplesOf(
      side,
      itemPlaces(side, state.all, at).flatMap((place) => conjuncts(side, place)),
      levels - 1,
    );
  const length = (count: number) => {
    const made: unknown[] = [];
    for (let at = 0; at < count; at += 1) {
      const some = itemsAt(at);
      if (some.length === 0) return [];
      made.push(some[at % some.length]);
    }
    return [made];
  };
  const lengths = new Set([least, Math.min(least + 1, most), Math.min(3, most)].filter((count) => count >= least));
  return [...lengths].flatMap(length);
}

/** With what must be there, with all that is named, and with each name by itself. */
function objects(side: Side, state: State, levels: number): Schema[] {
  if (levels === 0) return [{}];
  const needed = requiredNames(state.all);
  const valuesAt = new Map<string, readonly unknown[]>();
  const at = (name: string) => {
    const places = memberPlaces(state.all, name).flatMap((place) => conjuncts(side, place));
    const known = valuesAt.get(name) ?? samplesOf(side, places, levels - 1);
    valuesAt.set(name, known);
    return known;
  };
  const build = (names: Iterable<string>, turn = 0) => {
    const made: Record<string, unknown> = {};
    for (const name of names) {
      const some = at(name);
      if (some.length > 0) made[name] = some[turn % some.length];
    }
    return made;
  };
  const named = [...memberNames(state.all)];
  const matched = patternsOf(state.all).flatMap((pattern) => textFor(pattern) ?? []);
  const all = [...needed, ...named];
  const few = named.slice(0, 4);
  const padded = Array.from(
    { length: Math.min(limitOf(state.all, 'minProperties', 'most') ?? 0, 20) },
    (_, one) => `other${one}`,
  );
  return [
    build(needed),
    build([...needed, ...padded]),
    build(all),
    build(all, 1),
    ...few.map((name) => build([...needed, name])),
    build([...all, ...matched]),
  ];
}
