import { held, keyword, type Place } from '../schema/places.ts';
import { type Comparison, type Failure, failure, type Rule, saysSame } from './comparison.ts';
import {
  type Conjunct,
  conjuncts,
  type JsonType,
  meets,
  memberPlaces,
  namedValues,
  requiredNames,
  typesOf,
} from './state.ts';

const MAX_LEVELS = 4;

/** Whether no value meets both; false also where that is not known. */
function isDisjoint(compare: Comparison, all: readonly Conjunct[], place: Place, levels = MAX_LEVELS): boolean {
  const { a, b } = compare;
  const others = conjuncts(b, place);
  const types = new Set(typesOf(others));
  if (!typesOf(all).some((type) => types.has(type))) return true;
  const values = namedValues(a, all);
  if (values?.every((value) => !b.validator.accepts(place.pointer, value))) return true;
  if (namedValues(b, others)?.every((value) => !meets(a, all, value))) return true;
  const isObject = (list: readonly Conjunct[]) => typesOf(list).join() === 'object';
  if (levels === 0 || !isObject(all) || !isObject(others)) return false;
  const own = requiredNames(all);
  return [...requiredNames(others)].some((name) => {
    if (!own.has(name)) return false;
    const inner = memberPlaces(all, name).flatMap((member) => conjuncts(a, member));
    return memberPlaces(others, name).some((member) => isDisjoint(compare, inner, member, levels - 1));
  });
}

/** Of the failures by several branches those of the only one that takes the type, or else one of the whole. */
function ofBranches(name: string, failures: readonly (readonly Failure[])[], of: Parameters<Rule>): readonly Failure[] {
  const [state, target, frames, { b, samples }] = of;
  const takes = (place: Place, type: JsonType) => typesOf(conjuncts(b, place)).includes(type);
  const taking = held(target, name).flatMap((place, at) => (takes(place, state.type) ? [failures[at] ?? []] : []));
  const [only] = taking;
  if (taking.length === 1 && only !== undefined && only.length > 0) return only;
  return failure(name, target, frames, () => [
    ...samples(state.all),
    ...failures.flat().flatMap((one) => (one.frames.length === frames.length ? one.candidates() : [])),
  ]);
}

const anyOf: Rule = (...given) => {
  const [state, target, frames, compare] = given;
  if (saysSame(state.all, target, ['anyOf'])) return [];
  const failures: (readonly Failure[])[] = [];
  for (const branch of held(target, 'anyOf')) {
    const found = compare.within(state.all, branch, frames);
    if (found.length === 0) return [];
    failures.push(found);
  }
  return ofBranches('anyOf', failures, given);
};

const oneOf: Rule = (...given) => {
  const [state, target, frames, compare] = given;
  if (saysSame(state.all, target, ['oneOf'])) return [];
  const branches = held(target, 'oneOf');
  const failures = branches.map((branch) => compare.within(state.all, branch, frames));
  const at = failures.findIndex(({ length }) => length === 0);
  if (at === -1) return ofBranches('oneOf', failures, given);
  const others = branches.filter((_, other) => other !== at);
  if (others.every((other) => isDisjoint(compare, state.all, other))) return [];
  return failure('oneOf', target, frames, () => compare.samples(state.all));
};

const not: Rule = (state, target, frames, compare) => {
  const [refused] = held(target, 'not');
  if (refused === undefined || saysSame(state.all, target, ['not'])) return [];
  if (isDisjoint(compare, state.all, refused)) return [];
  return failure('not', target, frames, () => compare.samples(state.all));
};

const CONDITION = ['if', 'then', 'else'];

/** Whichever way the condition goes; or the same condition. */
const condition: Rule = (state, target, frames, compare) => {
  if (saysSame(state.all, target, CONDITION)) return [];
  const ways = ['then', 'else'].flatMap((name) => held(target, name));
  if (ways.every((way) => compare.within(state.all, way, frames).length === 0)) return [];
  return failure('if', target, frames, () => compare.samples(state.all));
};

/** What is taken as kept only where the first schema says exactly the same. */
const same =
  (type: JsonType, name: string, names: readonly string[]): Rule =>
  (state, target, frames, compare) => {
    if (state.type !== type || keyword(target, name) === undefined) return [];
    if (saysSame(state.all, target, names)) return [];
    return failure(name, target, frames, () => compare.samples(state.all));
  };

const CONTAINS = ['contains', 'minContains', 'maxContains'];
const OF_OBJECTS = [
  'properties',
  'patternProperties',
  'additionalProperties',
  'allOf',
  'anyOf',
  'oneOf',
  'if',
  'then',
  'else',
  'dependentSchemas',
  '$ref',
  'unevaluatedProperties',
];
const OF_ARRAYS = [
  'items',
  'prefixItems',
  'contains',
  'allOf',
  'anyOf',
  'oneOf',
  'if',
  'then',
  'else',
  '$ref',
  'unevaluatedItems',
];

/** Rules that choose between schemas. */
export const choiceRules: Readonly<Record<string, Rule>> = {
  anyOf,
  oneOf,
  not,
  if: condition,
  contains: same('array', 'contains', CONTAINS),
  unevaluatedItems: same('array', 'unevaluatedItems', OF_ARRAYS),
  unevaluatedProperties: same('object', 'unevaluatedProperties', OF_OBJECTS),
};
