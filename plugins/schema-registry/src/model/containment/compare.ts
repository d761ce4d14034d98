import type { Place } from '../schema/places.ts';
import { arrayRules } from './array-rules.ts';
import { choiceRules } from './choice-rules.ts';
import type { Comparison, Failure, Frames, Rule } from './comparison.ts';
import { failure } from './comparison.ts';
import { objectRules } from './object-rules.ts';
import { samplesOf, textFor } from './samples.ts';
import { scalarRules } from './scalar-rules.ts';
import { alternatives, type Conjunct, conjuncts, meets, namedValues, type Side, typesOf } from './state.ts';

/** Comparisons of two places, after which a pair counts as undetermined. */
const MAX_STEPS = 20_000;

const RULES: Readonly<Record<string, Rule>> = { ...scalarRules, ...objectRules, ...arrayRules, ...choiceRules };

/** The pair of schemas takes more comparisons than a call may. */
export class TooManySteps extends Error {}

/**
 * A comparison of two schemas by rules: `within` finds every rule of `b` that a value of `a` may break. What it passes
 * holds for all values; what it reports need not, so a failure counts once a value shows it.
 */
export function comparison(a: Side, b: Side, isFriendly: boolean): Comparison {
  const open = new Set<string>();
  let steps = 0;
  const texts = new Map<string, string | undefined>();
  const sampled = new Map<string, readonly unknown[]>();
  const compare: Comparison = {
    a,
    b,
    isFriendly,
    samples(all) {
      const key = keyOf(all);
      const found = sampled.get(key) ?? samplesOf(a, all);
      sampled.set(key, found);
      return found;
    },
    text(pattern) {
      if (!texts.has(pattern)) texts.set(pattern, textFor(pattern));
      return texts.get(pattern);
    },
    within(all, target, frames) {
      steps += 1;
      if (steps > MAX_STEPS) throw new TooManySteps('too many steps');
      const targets = conjuncts(b, target);
      const key = `${keyOf(all)} ${target.pointer}`;
      // Values are finite: what holds for the parts of a value that repeats its own schema holds for the whole.
      if (targets.length === 0 || open.has(key)) return [];
      open.add(key);
      try {
        return alternatives(a, all).flatMap((list) => withinAlternative(compare, list, targets, frames));
      } finally {
        open.delete(key);
      }
    },
  };
  return compare;
}

const keyOf = (all: readonly Conjunct[]) =>
  all.map(({ pointer, node }) => `${pointer}:${typeof node === 'object' ? Object.keys(node).join() : node}`).join('|');

function withinAlternative(
  compare: Comparison,
  all: readonly Conjunct[],
  targets: readonly Conjunct[],
  frames: Frames,
): readonly Failure[] {
  const values = namedValues(compare.a, all);
  const isMet = (value: unknown) => meets(compare.a, all, value);
  if (values !== undefined) return targets.flatMap((target) => ofValues(compare, values, target, frames));
  return typesOf(all).flatMap((type) =>
    targets.flatMap((target) => {
      if (type === 'null' || type === 'boolean')
        return ofValues(compare, (type === 'null' ? [null] : [true, false]).filter(isMet), target, frames);
      if (target.node === false) return falseFailure(compare, all, target, frames);
      return Object.keys(target.node).flatMap((name) =>
        Object.hasOwn(RULES, name) ? (RULES[name]?.({ all, type }, target, frames, compare) ?? []) : [],
      );
    }),
  );
}

/** Values that are known are tried: no rule has to be read. */
function ofValues({ b }: Comparison, values: readonly unknown[], target: Place, frames: Frames): readonly Failure[] {
  const refused = values.filter((value) => !b.validator.accepts(target.pointer, value));
  if (refused.length === 0) return [];
  const { node } = target;
  const names = typeof node === 'boolean' ? [] : Object.keys(node);
  const name = ['enum', 'const', 'type'].find((one) => names.includes(one)) ?? names.find((one) => one in RULES);
  return name === undefined
    ? [{ rule: 'false', pointer: target.pointer, frames, candidates: () => refused }]
    : failure(name, target, frames, () => refused);
}

function falseFailure({ samples }: Comparison, all: readonly Conjunct[], target: Place, frames: Frames) {
  return [{ rule: 'false', pointer: target.pointer, frames, candidates: () => samples(all) }];
}
