import { isSchema } from '@weir/json-schemas';
import { documentOf, type Node } from '../schema/places.ts';
import { schemaValidator } from '../schema/validator.ts';
import { comparison, TooManySteps } from './compare.ts';
import type { Comparison, Failure, Frames } from './comparison.ts';
import { samplesOf } from './samples.ts';
import { conjuncts, type Side } from './state.ts';

export type Policy = 'optional_friendly' | 'strict';
export type Outcome = 'compatible' | 'breaking' | 'undetermined';

/** A rule of the second schema that values of the first one break, with one of them if it was found. */
export interface Break {
  rule: string;
  /** Of the rule, in the second schema. */
  pointer: string;
  /** A value that the first schema takes and the second one refuses. */
  counterExample?: { value: unknown };
}

export interface Containment {
  outcome: Outcome;
  breaks: Break[];
}

const MAX_BREAKS = 50;
/** Values that are tried to show one failure. */
const MAX_TRIED = 60;
const MAX_COUNTER_BYTES = 8_192;

/** A schema that can be compared; `lintSchema` has let it pass. */
export const sideOf = (schema: Node): Side => ({ document: documentOf(schema), validator: schemaValidator(schema) });

/**
 * Whether every value of `a` is one of `b`. `compatible` is proved by rules, `breaking` by a value; what neither rules nor
 * values decide is `undetermined`, with the rules that are in question.
 */
export function contain(a: Side, b: Side, policy: Policy): Containment {
  try {
    const compare = comparison(a, b, policy === 'optional_friendly');
    const failures = unique(compare.within(conjuncts(a, a.document.root), b.document.root, []));
    if (failures.length === 0) return { outcome: 'compatible', breaks: [] };
    const breaks = failures.slice(0, MAX_BREAKS).map((one) => shown(compare, one));
    if (breaks.some(({ counterExample }) => counterExample !== undefined)) return { outcome: 'breaking', breaks };
    const value = samplesOf(a, conjuncts(a, a.document.root)).find((one) => differs(compare, one));
    const first = breaks[0];
    if (value === undefined || first === undefined) return { outcome: 'undetermined', breaks };
    return { outcome: 'breaking', breaks: [{ ...first, counterExample: { value } }, ...breaks.slice(1)] };
  } catch (error) {
    if (!(error instanceof TooManySteps) && !(error instanceof RangeError)) throw error;
    return { outcome: 'undetermined', breaks: [{ rule: 'too_many_steps', pointer: '' }] };
  }
}

function unique(failures: readonly Failure[]): Failure[] {
  const byPlace = new Map<string, Failure>();
  for (const one of failures) {
    const key = `${one.rule} ${one.pointer} ${one.frames.map(({ segment }) => segment).join('/')}`;
    if (!byPlace.has(key)) byPlace.set(key, one);
  }
  return [...byPlace.values()];
}

const differs = ({ a, b }: Comparison, value: unknown): boolean =>
  a.validator.accepts('', value) && !b.validator.accepts('', value);

/** The failure with a value that shows it, if one of its candidates does. */
function shown(compare: Comparison, { rule, pointer, frames, candidates }: Failure): Break {
  let tried = 0;
  for (const candidate of candidates()) {
    for (const variant of [0, 1, 2]) {
      tried += 1;
      if (tried > MAX_TRIED) return { rule, pointer };
      const value = wholeOf(compare, frames, candidate, variant);
      if (value === undefined || !differs(compare, value.whole)) continue;
      if (JSON.stringify(value.whole).length <= MAX_COUNTER_BYTES)
        return { rule, pointer, counterExample: { value: value.whole } };
    }
  }
  return { rule, pointer };
}

/** The whole value that has the candidate at the place of the frames; undefined where no sample can hold it. */
function wholeOf(
  compare: Comparison,
  frames: Frames,
  candidate: unknown,
  variant: number,
): { whole: unknown } | undefined {
  let whole = candidate;
  for (const { all, segment } of frames.toReversed()) {
    const holders = compare
      .samples(all)
      .filter((one) => (typeof segment === 'number' ? Array.isArray(one) : isSchema(one)));
    const holder = holders[variant % Math.max(1, holders.length)];
    if (typeof segment === 'string') whole = { ...(isSchema(holder) && holder), [segment]: whole };
    else if (Array.isArray(holder)) whole = planted(holder, segment, whole);
    else return undefined;
  }
  return { whole };
}

function planted(holder: readonly unknown[], at: number, value: unknown): unknown[] {
  const filled = Array.from({ length: Math.max(holder.length, at + 1) }, (_, one) =>
    one < holder.length ? holder[one] : (holder.at(-1) ?? value),
  );
  return filled.map((one, place) => (place === at ? value : one));
}
