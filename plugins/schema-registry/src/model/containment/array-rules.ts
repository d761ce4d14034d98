import { keyword, type Place } from '../schema/places.ts';
import { type Comparison, type Failure, failure, type Rule } from './comparison.ts';
import { conjuncts, itemPlaces, limitOf, prefixOf, type State } from './state.ts';

const MAX_ITEMS = 1_000;

const arraysOf = ({ samples }: Comparison, state: State): unknown[][] =>
  samples(state.all).filter((value): value is unknown[] => Array.isArray(value));

/** The positions of a tuple one by one, and then all that follow. */
const items: Rule = (state, target, frames, compare) => {
  if (state.type !== 'array') return [];
  const prefixes = [...state.all.map((one) => prefixOf(compare.a, one)), prefixOf(compare.b, target)];
  const behind = Math.max(...prefixes.map(({ length }) => length));
  const most = limitOf(state.all, 'maxItems', 'least') ?? Number.POSITIVE_INFINITY;
  const found: Failure[] = [];
  for (let at = 0; at <= behind && at < most; at += 1) {
    const own = itemPlaces(compare.a, state.all, at).flatMap((place: Place) => conjuncts(compare.a, place));
    const wanted = itemPlaces(compare.b, [target], at);
    const within = [...frames, { all: state.all, segment: at }];
    for (const place of wanted) found.push(...compare.within(own, place, within));
  }
  return found;
};

const minItems: Rule = (state, target, frames, compare) => {
  const wanted = keyword(target, 'minItems');
  if (state.type !== 'array' || typeof wanted !== 'number' || wanted === 0) return [];
  if ((limitOf(state.all, 'minItems', 'most') ?? 0) >= wanted) return [];
  const shorter = () => arraysOf(compare, state).map((one) => one.slice(0, wanted - 1));
  return failure('minItems', target, frames, () => [...arraysOf(compare, state), ...shorter()]);
};

const maxItems: Rule = (state, target, frames, compare) => {
  const wanted = keyword(target, 'maxItems');
  if (state.type !== 'array' || typeof wanted !== 'number') return [];
  const own = limitOf(state.all, 'maxItems', 'least');
  if (own !== undefined && own <= wanted) return [];
  const longer = (one: unknown[]) => {
    const length = Math.min(wanted + 1, MAX_ITEMS);
    return Array.from({ length }, (_, at) => (at < one.length ? one[at] : (one.at(-1) ?? at)));
  };
  return failure('maxItems', target, frames, () => {
    const some = arraysOf(compare, state);
    return [...some, ...some.map(longer), Array.from({ length: Math.min(wanted + 1, MAX_ITEMS) }, (_, at) => at)];
  });
};

const uniqueItems: Rule = (state, target, frames, compare) => {
  if (state.type !== 'array' || keyword(target, 'uniqueItems') !== true) return [];
  if (state.all.some((one) => keyword(one, 'uniqueItems') === true)) return [];
  if ((limitOf(state.all, 'maxItems', 'least') ?? 2) <= 1) return [];
  return failure('uniqueItems', target, frames, () =>
    arraysOf(compare, state).flatMap((one) => [one, [...one, ...one.slice(-1)], [one[0] ?? 0, one[0] ?? 0]]),
  );
};

/** Rules of arrays; those of items are asked once, whichever keyword there is. */
export const arrayRules: Readonly<Record<string, Rule>> = {
  items,
  prefixItems: (state, target, ...rest) =>
    keyword(target, 'items') === undefined ? items(state, target, ...rest) : [],
  minItems,
  maxItems,
  uniqueItems,
};
