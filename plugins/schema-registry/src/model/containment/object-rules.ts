import { isSchema } from '@weir/json-schemas';
import { held, keyword, type Place } from '../schema/places.ts';
import { type Comparison, type Failure, type Frames, failure, type Rule, saysSame } from './comparison.ts';
import {
  type Conjunct,
  conjuncts,
  isUndeclared,
  limitOf,
  matches,
  memberNames,
  memberPlaces,
  otherMembers,
  patternPlaces,
  patternsOf,
  requiredNames,
  type State,
  stringsOf,
} from './state.ts';

type Members = Record<string, unknown>;

/** Whether an object of the state can have no member beside those that are named or matched. */
const isClosed = (all: readonly Conjunct[]) => all.some((one) => keyword(one, 'additionalProperties') === false);

const below = (state: State, frames: Frames, segment: string): Frames => [...frames, { all: state.all, segment }];

/** The members that these places judge, held to a schema of the target. */
function members(compare: Comparison, places: readonly Place[], target: Place, frames: Frames): readonly Failure[] {
  return compare.within(
    places.flatMap((place) => conjuncts(compare.a, place)),
    target,
    frames,
  );
}

const properties: Rule = (state, target, frames, compare) => {
  if (state.type !== 'object') return [];
  return held(target, 'properties').flatMap((declared) => {
    const name = declared.key;
    if (compare.isFriendly && isUndeclared(state.all, name)) return [];
    return members(compare, memberPlaces(state.all, name), declared, below(state, frames, name));
  });
};

/** A name that nothing declares. */
function freshName(state: State, target: Place): string {
  const known = memberNames([...state.all, target]);
  for (let at = 0; ; at += 1) {
    const name = `other${at === 0 ? '' : at}`;
    if (!known.has(name) && !patternsOf(state.all).some((pattern) => matches(pattern, name))) return name;
  }
}

const additionalProperties: Rule = (state, target, frames, compare) => {
  const [wanted] = held(target, 'additionalProperties');
  if (state.type !== 'object' || wanted === undefined || wanted.node === true) return [];
  const declared = new Set(held(target, 'properties').map(({ key }) => key));
  const patterns = held(target, 'patternProperties').map(({ key }) => key);
  const named = [...memberNames(state.all)].filter(
    (name) => !declared.has(name) && !patterns.some((pattern) => matches(pattern, name)),
  );
  const classes = patternsOf(state.all).filter((pattern) => !patterns.includes(pattern));
  const at = (name: string) => below(state, frames, name);
  return [
    ...named.flatMap((name) => members(compare, memberPlaces(state.all, name), wanted, at(name))),
    ...classes.flatMap((pattern) =>
      members(compare, patternPlaces(state.all, pattern), wanted, at(compare.text(pattern) ?? 'other')),
    ),
    ...(isClosed(state.all) ? [] : members(compare, otherMembers(state.all), wanted, at(freshName(state, target)))),
  ];
};

const patternProperties: Rule = (state, target, frames, compare) => {
  if (state.type !== 'object') return [];
  return held(target, 'patternProperties').flatMap((wanted) => {
    const at = (name: string) => below(state, frames, name);
    const names = [...memberNames([...state.all, target])].filter((name) => matches(wanted.key, name));
    const text = compare.text(wanted.key) ?? 'other';
    return [
      ...names.flatMap((name) => members(compare, memberPlaces(state.all, name), wanted, at(name))),
      ...patternsOf(state.all).flatMap((pattern) =>
        members(compare, patternPlaces(state.all, pattern), wanted, at(compare.text(pattern) ?? text)),
      ),
      ...(isClosed(state.all) ? [] : members(compare, otherMembers(state.all), wanted, at(text))),
    ];
  });
};

/** Objects of the state, and the same without a member. */
const objectsOf = (compare: Comparison, state: State, without?: string): Members[] =>
  compare.samples(state.all).flatMap((value) => {
    if (!isSchema(value)) return [];
    if (without === undefined) return [value];
    const { [without]: _gone, ...rest } = value;
    return [rest];
  });

const required: Rule = (state, target, frames, compare) => {
  if (state.type !== 'object') return [];
  const own = requiredNames(state.all);
  return stringsOf(keyword(target, 'required'))
    .filter((name) => !own.has(name))
    .flatMap((name) => failure('required', target, frames, () => objectsOf(compare, state, name)));
};

const minProperties: Rule = (state, target, frames, compare) => {
  const wanted = keyword(target, 'minProperties');
  if (state.type !== 'object' || typeof wanted !== 'number') return [];
  const least = Math.max(limitOf(state.all, 'minProperties', 'most') ?? 0, requiredNames(state.all).size);
  return least >= wanted ? [] : failure('minProperties', target, frames, () => objectsOf(compare, state));
};

const maxProperties: Rule = (state, target, frames, compare) => {
  const wanted = keyword(target, 'maxProperties');
  if (state.type !== 'object' || typeof wanted !== 'number') return [];
  const isCounted = isClosed(state.all) && patternsOf(state.all).length === 0;
  const most = Math.min(
    limitOf(state.all, 'maxProperties', 'least') ?? Number.POSITIVE_INFINITY,
    isCounted ? memberNames(state.all).size : Number.POSITIVE_INFINITY,
  );
  if (most <= wanted) return [];
  const extra = Object.fromEntries(Array.from({ length: Math.min(wanted + 1, 100) }, (_, at) => [`other${at}`, 0]));
  const objects = () => objectsOf(compare, state);
  return failure('maxProperties', target, frames, () => [
    ...objects(),
    ...objects().map((one) => ({ ...extra, ...one })),
  ]);
};

/** Whether no object of the state can have a member. */
const isNever = (state: State, name: string) => memberPlaces(state.all, name).some(({ node }) => node === false);

const NEWER = ['2019-09', '2020-12'];

/** Members that an object has which has the one of this name. Older dialects read `dependencies` alone. */
const alwaysWith = ({ a }: Comparison, state: State, name: string): ReadonlySet<string> =>
  new Set([
    ...requiredNames(state.all),
    ...state.all.flatMap((one) =>
      [...(NEWER.includes(a.validator.dialect) ? ['dependentRequired'] : []), 'dependencies'].flatMap((keywordName) => {
        const lists = keyword(one, keywordName);
        return isSchema(lists) && Object.hasOwn(lists, name) ? stringsOf(lists[name]) : [];
      }),
    ),
  ]);

const dependentRequired: Rule = (state, target, frames, compare) => {
  if (state.type !== 'object') return [];
  return ['dependentRequired', 'dependencies'].flatMap((keywordName) => {
    const lists = keyword(target, keywordName);
    if (!isSchema(lists)) return [];
    return Object.entries(lists).flatMap(([name, list]) => {
      const own = alwaysWith(compare, state, name);
      const missing = stringsOf(list).find((other) => !own.has(other));
      if (missing === undefined || isNever(state, name)) return [];
      if (compare.isFriendly && isUndeclared(state.all, name)) return [];
      return failure(keywordName, target, frames, () => objectsOf(compare, state, missing));
    });
  });
};

const dependentSchemas: Rule = (state, target, frames, compare) => {
  if (state.type !== 'object') return [];
  return ['dependentSchemas', 'dependencies'].flatMap((keywordName) =>
    held(target, keywordName).flatMap((schema) => {
      if (isNever(state, schema.key) || saysSame(state.all, target, [keywordName])) return [];
      return compare.within(state.all, schema, frames);
    }),
  );
};

const propertyNames: Rule = (state, target, frames, compare) => {
  const [wanted] = held(target, 'propertyNames');
  if (state.type !== 'object' || wanted === undefined || saysSame(state.all, target, ['propertyNames'])) return [];
  const { pointer } = wanted;
  const refused = [...memberNames(state.all)].filter(
    (name) => !isNever(state, name) && !compare.b.validator.accepts(pointer, name),
  );
  const isBounded = isClosed(state.all) && patternsOf(state.all).length === 0;
  if (refused.length === 0 && isBounded) return [];
  const odd = ['', 'Other Name', 'other', 'x'.repeat(300), '0'];
  const pick = (name: string) => objectsOf(compare, state).map((one) => ({ [name]: 0, ...one }));
  return failure('propertyNames', target, frames, () => [...objectsOf(compare, state), ...odd.flatMap(pick)]);
};

/** Rules of objects. `dependencies` is asked for by two of them. */
export const objectRules: Readonly<Record<string, Rule>> = {
  properties,
  additionalProperties,
  patternProperties,
  required,
  minProperties,
  maxProperties,
  dependentRequired,
  dependentSchemas,
  dependencies: (...given) => [...dependentRequired(...given), ...dependentSchemas(...given)],
  propertyNames,
};
