import { canonicalJson } from '@weir/documents';
import { pointerBelow } from '@weir/json-schemas';
import { keyword, type Node, type Place } from '../schema/places.ts';
import type { Conjunct, Side, State } from './state.ts';

/** The way from the whole value to the part at hand: what judges each whole, and where in it the part is. */
export type Frames = readonly { readonly all: readonly Conjunct[]; readonly segment: string | number }[];

/** A rule by which the second schema may refuse what the first one takes. */
export interface Failure {
  /** The keyword of the rule. */
  readonly rule: string;
  /** Of the rule, in the second schema. */
  readonly pointer: string;
  readonly frames: Frames;
  /** Values for the place that may show it. */
  candidates(): readonly unknown[];
}

/** Whether every value of `a` is one of `b`. */
export interface Comparison {
  readonly a: Side;
  readonly b: Side;
  /** A member of `a` that nothing declares is taken as absent where `b` declares it. */
  readonly isFriendly: boolean;
  /** The rules of `target` that values which meet `all` may break; empty when none can. */
  within(all: readonly Conjunct[], target: Place, frames: Frames): readonly Failure[];
  /** Values that meet all conjuncts, the smallest first. */
  samples(all: readonly Conjunct[]): readonly unknown[];
  /** A text that the pattern matches, if one was found. */
  text(pattern: string): string | undefined;
}

/** Judges one keyword of the target for values of one type. */
export type Rule = (state: State, target: Conjunct, frames: Frames, compare: Comparison) => readonly Failure[];

/** A failure of a keyword; `candidates` is asked when the failure has to be shown. */
export function failure(
  rule: string,
  target: Place,
  frames: Frames,
  candidates: () => readonly unknown[],
): readonly Failure[] {
  return [{ rule, pointer: pointerBelow(target.pointer, rule), frames, candidates }];
}

/** Whether one of the schemas says the same as the target by these keywords; what a reference names may differ. */
export function saysSame(all: readonly Conjunct[], target: Conjunct, names: readonly string[]): boolean {
  const said = (node: Node) =>
    typeof node === 'boolean' ? node : names.map((name) => keyword({ node, pointer: '' }, name) ?? null);
  const text = canonicalJson(said(target.origin));
  return !text.includes('"$ref"') && all.some(({ origin }) => canonicalJson(said(origin)) === text);
}
