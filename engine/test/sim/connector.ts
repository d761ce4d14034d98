import type { Segment } from '../../src/index.ts';
import type { Chance } from './chance.ts';
import type { SimStream, SourceRow } from './scenario.ts';
import type { SimSync } from './staging.ts';

/** A sealed segment with its rows. */
export interface SimSegment extends Segment<SimSync> {
  readonly rows: readonly SourceRow[];
}

/** What a connector sends of a stream, and how it ends. */
export interface Reading {
  readonly segments: SimSegment[];
  readonly failure: string | undefined;
}

const MAX_SEGMENT_ROWS = 6;

/** Reads a stream from a state to where the source ends now, or to where the connector fails. */
export function readStream(
  chance: Chance,
  stream: SimStream,
  { from, size, faults, firstId }: { from: number; size: number; faults: number; firstId: number },
): Reading {
  const fails = chance.happens(faults);
  const end = fails ? from + chance.below(size - from + 1) : size;
  const endsUncovered = !fails && stream.tellsStates && chance.happens(faults / 4);
  const segments: SimSegment[] = [];
  let at = from;
  const seal = (to: number, state: number | undefined, isFinal: boolean): void => {
    const rows = stream.rows.slice(at, to);
    segments.push({ id: firstId + segments.length, stream: stream.id, hasRows: rows.length > 0, rows, state, isFinal });
    at = to;
  };
  while (at < end) {
    const to = Math.min(end, at + 1 + chance.below(MAX_SEGMENT_ROWS));
    const isFirst = from === 0 && segments.every(({ state }) => state === undefined);
    const mustTell = to === end && !fails && (!endsUncovered || isFirst);
    const tells = stream.tellsStates && (chance.happens(0.5) || mustTell);
    seal(to, tells ? to : undefined, false);
  }
  // What lies behind the last state of a stream that fails is cut off by the spool only where it is not sealed yet.
  seal(at, undefined, true);
  return { segments, failure: fails ? 'the source failed' : undefined };
}
