import { isSchema, linearPatterns } from '@weir/json-schemas';
import { type Document, held, keyword, type Node, type Place, partsInPlace } from '../schema/places.ts';
import type { Validator } from '../schema/validator.ts';

/** One of the two schemas that are compared. */
export interface Side {
  readonly document: Document;
  readonly validator: Validator;
}

export const JSON_TYPES = ['null', 'boolean', 'number', 'string', 'array', 'object'] as const;
export type JsonType = (typeof JSON_TYPES)[number];

/** One schema of several that all judge the same value; references and `allOf` are taken apart before. */
export interface Conjunct extends Place {
  /** As the document has it. */
  readonly origin: Node;
}

/** Values of one type that meet all the conjuncts. */
export interface State {
  readonly all: readonly Conjunct[];
  readonly type: JsonType;
}

/** Limit of separate alternatives. Beyond it they are dropped, which allows more values. */
const MAX_ALTERNATIVES = 64;
const SPLIT = ['anyOf', 'oneOf'];

/** Everything that judges a value at a place, as a list. */
export function conjuncts(side: Side, place: Place, seen: ReadonlySet<string> = new Set()): Conjunct[] {
  const { node, pointer } = place;
  if (node === true || seen.has(pointer)) return [];
  if (node === false) return [{ node, pointer, origin: node }];
  const target = side.document.resolve(node.$ref);
  const inner = [...(target === undefined ? [] : [target]), ...held(place, 'allOf')];
  const known = new Set(seen).add(pointer);
  const { $ref: _reference, allOf: _all, ...rest } = node;
  return [{ node: rest, pointer, origin: node }, ...inner.flatMap((one) => conjuncts(side, one, known))];
}

/** The same values as lists without alternatives: a value meets one of them if it meets `all`. */
export function alternatives(side: Side, all: readonly Conjunct[]): (readonly Conjunct[])[] {
  let lists: (readonly Conjunct[])[] = [all];
  for (;;) {
    const at = lists.findIndex((list) => list.some((one) => splitOf(one) !== undefined));
    const list = lists[at];
    if (list === undefined) return lists;
    const one = list.find((some) => splitOf(some) !== undefined) as Conjunct;
    const name = splitOf(one) as string;
    const { [name]: _split, ...rest } = one.node as Record<string, unknown>;
    const others = list.map((other) => (other === one ? { ...one, node: rest } : other));
    const branches = held(one, name).map((branch) => [...others, ...conjuncts(side, branch)]);
    const split = lists.length + branches.length > MAX_ALTERNATIVES ? [others] : branches;
    lists = [...lists.slice(0, at), ...split, ...lists.slice(at + 1)];
  }
}

const splitOf = (one: Conjunct) => SPLIT.find((name) => held(one, name).length > 0);

/** The types that a value may have, by `type` and `nullable`. */
export function typesOf(all: readonly Conjunct[]): JsonType[] {
  if (all.some(({ node }) => node === false)) return [];
  return JSON_TYPES.filter((type) => all.every((one) => takesType(one, type)));
}

function takesType(place: Place, type: JsonType): boolean {
  const named = namedTypes(place);
  return named === undefined || named.includes(type) || (type === 'number' && named.includes('integer'));
}

/** The names in `type`, or undefined where every type is taken. */
export function namedTypes(place: Place): readonly unknown[] | undefined {
  const type = keyword(place, 'type');
  if (type === undefined) return undefined;
  return [type, ...(keyword(place, 'nullable') === true ? ['null'] : [])].flat();
}

/** Whether numbers of a state are integers. */
export const isInteger = ({ all }: Pick<State, 'all'>): boolean =>
  all.some((one) => {
    const named = namedTypes(one);
    return named?.includes('integer') === true && !named.includes('number');
  });

/** The values of a list that names all of them, in `enum` or `const`; undefined for others. */
export function namedValues(side: Side, all: readonly Conjunct[]): readonly unknown[] | undefined {
  for (const one of all) {
    const values = keyword(one, 'enum');
    const fixed = keyword(one, 'const');
    const named = Array.isArray(values) ? values : fixed === undefined ? undefined : [fixed];
    if (named !== undefined) return named.filter((value) => meets(side, all, value));
  }
  return undefined;
}

/** Whether a value meets all conjuncts. */
export const meets = (side: Side, all: readonly Conjunct[], value: unknown): boolean =>
  all.every(({ pointer }) => side.validator.accepts(pointer, value));

const matcherOf = linearPatterns();
export const matches = (pattern: string, name: string): boolean => matcherOf(pattern)?.(name) === true;

/** What judges the member `name`; nothing where it is free. */
export function memberPlaces(all: readonly Conjunct[], name: string): Place[] {
  return all.flatMap((one) => {
    const own = held(one, 'properties').filter(({ key }) => key === name);
    const patterns = held(one, 'patternProperties').filter(({ key }) => matches(key, name));
    const found = [...own, ...patterns];
    return found.length > 0 ? found : held(one, 'additionalProperties');
  });
}

/** What judges members that no name and no pattern declares. */
export const otherMembers = (all: readonly Conjunct[]): Place[] =>
  all.flatMap((one) => held(one, 'additionalProperties'));

/** Names that the schemas speak of, also where an alternative of theirs does. */
export function memberNames(all: readonly Place[], depth = 4): Set<string> {
  const own = all.flatMap((one) => [
    ...held(one, 'properties').map(({ key }) => key),
    ...stringsOf(keyword(one, 'required')),
    ...['dependentRequired', 'dependencies'].flatMap((name) => dependentNames(keyword(one, name))),
  ]);
  const inner = depth === 0 ? [] : all.flatMap((one) => partsInPlace(one));
  return new Set([...own, ...(inner.length === 0 ? [] : memberNames(inner, depth - 1))]);
}

const dependentNames = (lists: unknown): string[] =>
  isSchema(lists) ? Object.entries(lists).flatMap(([name, list]) => [name, ...stringsOf(list)]) : [];

/** Whether nothing speaks of a member, so writers by this schema leave it out. */
export const isUndeclared = (all: readonly Conjunct[], name: string): boolean =>
  !memberNames(all).has(name) && memberPlaces(all, name).every(({ node }) => node === true);

export function patternsOf(all: readonly Conjunct[]): string[] {
  return [...new Set(all.flatMap((one) => held(one, 'patternProperties').map(({ key }) => key)))];
}

export const patternPlaces = (all: readonly Conjunct[], pattern: string): Place[] =>
  all.flatMap((one) => held(one, 'patternProperties').filter(({ key }) => key === pattern));

/** Members that an object must have. */
export const requiredNames = (all: readonly Conjunct[]): Set<string> =>
  new Set(all.flatMap((one) => stringsOf(keyword(one, 'required'))));

export const stringsOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];

/** Schemas of the first items, by position. */
export function prefixOf(side: Side, one: Place): Place[] {
  if (Array.isArray(keyword(one, 'items'))) return held(one, 'items');
  return side.validator.dialect === '2020-12' ? held(one, 'prefixItems') : [];
}

/** What judges the item at a position. */
export function itemPlaces(side: Side, all: readonly Place[], at: number): Place[] {
  return all.flatMap((one) => {
    const prefix = prefixOf(side, one);
    const own = prefix[at];
    if (own !== undefined) return [own];
    return held(one, Array.isArray(keyword(one, 'items')) ? 'additionalItems' : 'items');
  });
}

/** The tightest value of a limit, such as `maxLength`. */
export function limitOf(all: readonly Conjunct[], name: string, tightest: 'most' | 'least'): number | undefined {
  const found = all.map((one) => keyword(one, name)).filter((value) => typeof value === 'number');
  if (found.length === 0) return undefined;
  return tightest === 'most' ? Math.max(...found) : Math.min(...found);
}

export interface Bound {
  value: number;
  /** The value itself is outside. */
  isOpen: boolean;
}

/** A bound of one schema; draft-04 marks an open one beside it. */
export function boundsOf(place: Place, name: 'minimum' | 'maximum'): Bound[] {
  const exclusive = keyword(place, name === 'minimum' ? 'exclusiveMinimum' : 'exclusiveMaximum');
  const value = keyword(place, name);
  return [
    ...(typeof value === 'number' ? [{ value, isOpen: exclusive === true }] : []),
    ...(typeof exclusive === 'number' ? [{ value: exclusive, isOpen: true }] : []),
  ];
}

/** The tightest lower or upper bound of numbers; of integers it is one of them. */
export function tightest(state: Pick<State, 'all'>, name: 'minimum' | 'maximum'): Bound | undefined {
  const sign = name === 'minimum' ? 1 : -1;
  const found = state.all.flatMap((one) => boundsOf(one, name));
  const bounds = isInteger(state) ? found.map((bound) => wholeBound(bound, sign)) : found;
  return bounds.reduce<Bound | undefined>(
    (best, one) => (best === undefined || isTighter(one, best, sign) ? one : best),
    undefined,
  );
}

function wholeBound({ value, isOpen }: Bound, sign: number): Bound {
  const whole = sign * Math.ceil(sign * value);
  return { value: isOpen && whole === value ? value + sign : whole, isOpen: false };
}

/** Whether the first bound lets nothing pass that the second one refuses. */
export const isWithin = (inner: Bound, outer: Bound, sign: number): boolean =>
  sign * inner.value > sign * outer.value || (inner.value === outer.value && (inner.isOpen || !outer.isOpen));

const isTighter = (one: Bound, other: Bound, sign: number) => isWithin(one, other, sign);
