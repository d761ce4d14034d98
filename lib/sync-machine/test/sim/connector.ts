import type { Segment } from '../../src/index.ts';
import type { Chance } from './chance.ts';
import { rowsAt, type Scenario, type SimStream, type SourceRow } from './scenario.ts';
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
    const id = firstId + segments.length;
    segments.push({ id, stream: stream.id, hasRows: rows.length > 0, rows, state, isShared: false, isFinal });
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

/**
 * Reads the streams that share a state, from it to where the source ends now, or to where the connector fails: then all of
 * them have failed, as the state that would cover the others is not kept.
 */
export function readTogether(
  chance: Chance,
  scenario: Pick<Scenario, 'log'>,
  { streams, from, end: wanted, faults }: { streams: readonly SimStream[]; from: number; end: number; faults: number },
): Map<string, Reading> {
  const fails = chance.happens(faults);
  const end = fails ? from + chance.below(wanted - from + 1) : wanted;
  const readings = new Map<string, SimSegment[]>(streams.map(({ id }) => [id, []]));
  const at = new Map(streams.map((stream) => [stream.id, rowsAt(scenario, stream, from)]));
  const seal = (stream: SimStream, to: number, state: number | undefined, isFinal = false): void => {
    const segments = readings.get(stream.id) ?? [];
    const rows = stream.rows.slice(at.get(stream.id), to);
    const id = Number(stream.id.slice(1)) * 1_000 + segments.length;
    const isShared = state !== undefined;
    segments.push({ id, stream: stream.id, hasRows: rows.length > 0, rows, state, isShared, isFinal });
    at.set(stream.id, to);
  };
  let mark = from;
  while (mark < end) {
    mark = Math.min(end, mark + 1 + chance.below(MAX_SEGMENT_ROWS));
    const tells = mark === end ? !fails : chance.happens(0.5);
    for (const stream of streams) {
      const to = rowsAt(scenario, stream, mark);
      // A piece of one stream may be sealed for its size alone.
      if (tells || chance.happens(0.3)) seal(stream, to, tells ? mark : undefined);
    }
  }
  for (const stream of streams) seal(stream, at.get(stream.id) ?? 0, undefined, true);
  const failure = fails ? 'the source failed' : undefined;
  return new Map([...readings].map(([id, segments]) => [id, { segments, failure }]));
}
