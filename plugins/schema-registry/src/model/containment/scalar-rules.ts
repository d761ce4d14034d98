import { keyword } from '../schema/places.ts';
import { failure, type Rule, saysSame } from './comparison.ts';
import { type Bound, boundsOf, isInteger, isWithin, limitOf, namedTypes, type State, tightest } from './state.ts';

const MAX_TEXT = 4_096;

const type: Rule = (state, target, frames, { samples }) => {
  const named = namedTypes(target) ?? [];
  const isTaken =
    named.includes(state.type) || (state.type === 'number' && named.includes('integer') && isInteger(state));
  if (isTaken) return [];
  return failure('type', target, frames, () => [...samples(state.all)].reverse());
};

/** Values that are named one by one are tried by themselves; others are more than a list can hold. */
const listed =
  (name: 'enum' | 'const'): Rule =>
  (state, target, frames, { samples }) =>
    failure(name, target, frames, () => samples(state.all));

const boundRule =
  (name: 'minimum' | 'maximum', exclusive: boolean): Rule =>
  (state, target, frames, { samples }) => {
    const keywordName = exclusive ? `exclusive${name[0]?.toUpperCase()}${name.slice(1)}` : name;
    if (state.type !== 'number' || typeof keyword(target, keywordName) !== 'number') return [];
    const sign = name === 'minimum' ? 1 : -1;
    const wanted = boundsOf(target, name).filter(({ isOpen }) => !exclusive || isOpen);
    const own = tightest(state, name);
    const broken = wanted.find((bound) => own === undefined || !isWithin(own, bound, sign));
    if (broken === undefined) return [];
    return failure(keywordName, target, frames, () => [...beyond(broken, sign, own), ...samples(state.all)]);
  };

/** Numbers just outside of a bound. */
function beyond({ value, isOpen }: Bound, sign: number, own: Bound | undefined): number[] {
  const middle = own === undefined ? [] : [(own.value + value) / 2, own.value, own.value + sign];
  const further = [0.5, 1, 2, 10, 1_000].map((step) => value - sign * step);
  return [...(isOpen ? [value] : []), ...middle, ...further];
}

const multipleOf: Rule = (state, target, frames, { samples }) => {
  const wanted = keyword(target, 'multipleOf');
  if (state.type !== 'number' || typeof wanted !== 'number') return [];
  const own = state.all.map((one) => keyword(one, 'multipleOf')).filter((value) => typeof value === 'number');
  const steps = isInteger(state) ? [1, ...own] : own;
  const divides = (step: number) =>
    step === wanted || (Number.isSafeInteger(step) && Number.isSafeInteger(wanted) && step % wanted === 0);
  if (steps.some(divides)) return [];
  const some = [...steps, 1, 0.5, wanted / 2, wanted * 1.5, wanted + 1];
  return failure('multipleOf', target, frames, () => [
    ...some.flatMap((step) => [step, -step, 3 * step, 7 * step]),
    ...samples(state.all),
  ]);
};

const minLength: Rule = (state, target, frames, { samples }) => {
  const wanted = keyword(target, 'minLength');
  if (state.type !== 'string' || typeof wanted !== 'number') return [];
  if (wanted === 0 || (limitOf(state.all, 'minLength', 'most') ?? 0) >= wanted) return [];
  const least = limitOf(state.all, 'minLength', 'most') ?? 0;
  return failure('minLength', target, frames, () => [
    ...samples(state.all),
    'a'.repeat(Math.min(wanted - 1, MAX_TEXT)),
    'a'.repeat(Math.min(least, MAX_TEXT)),
  ]);
};

const maxLength: Rule = (state, target, frames, { samples }) => {
  const wanted = keyword(target, 'maxLength');
  if (state.type !== 'string' || typeof wanted !== 'number') return [];
  const own = limitOf(state.all, 'maxLength', 'least');
  if (own !== undefined && own <= wanted) return [];
  const lengths = [wanted + 1, wanted + 2, wanted + 10, own ?? wanted + 100].filter((length) => length <= MAX_TEXT);
  return failure('maxLength', target, frames, () => [
    ...samples(state.all),
    ...lengths.flatMap((length) => ['a'.repeat(length), '1'.repeat(length)]),
  ]);
};

const TEXTS = ['', 'a', 'A', '0', '-', ' ', 'ab', 'a1', 'x y', 'ä', '2026-01-31', 'a@b.c', 'zz-ZZ_99', '🙂'];

/** Two patterns or formats that differ in their text are taken as different. */
const sameText =
  (name: 'pattern' | 'format'): Rule =>
  (state, target, frames, { samples }) => {
    const isJudged = state.type === 'string' || (name === 'format' && state.type === 'number');
    if (!isJudged || saysSame(state.all, target, [name])) return [];
    const numbers = [0.5, 2 ** 31, 2 ** 53];
    return failure(name, target, frames, () => [
      ...samples(state.all),
      ...(state.type === 'string' ? [...TEXTS, ...lengthened(state)] : numbers),
    ]);
  };

/** Texts of the least length that is asked for. */
function lengthened({ all }: State): string[] {
  const least = Math.min(limitOf(all, 'minLength', 'most') ?? 0, MAX_TEXT);
  return TEXTS.filter((text) => text !== '').map((text) =>
    text.repeat(Math.max(1, least)).slice(0, Math.max(1, least)),
  );
}

/** Rules of values that have no parts. */
export const scalarRules: Readonly<Record<string, Rule>> = {
  type,
  enum: listed('enum'),
  const: listed('const'),
  minimum: boundRule('minimum', false),
  maximum: boundRule('maximum', false),
  exclusiveMinimum: boundRule('minimum', true),
  exclusiveMaximum: boundRule('maximum', true),
  multipleOf,
  minLength,
  maxLength,
  pattern: sameText('pattern'),
  format: sameText('format'),
};
