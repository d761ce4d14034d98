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
    const rows = stream.rows.slice(at, to).filter((row) => !isWrittenAnew(stream, row, size));
    const id = firstId + segments.length;
    const replacedFiles = [...(stream.files ?? [])].flatMap(([row, file]) => (row >= at && row < to ? [file] : []));
    const own = { id, stream: stream.id, hasRows: rows.length > 0, rows, replacedFiles };
    segments.push({ ...own, state, isShared: false, isFinal });
    at = to;
  };
  while (at < end) {
    const to = Math.min(end, at + 1 + chance.below(MAX_SEGMENT_ROWS));
    const isFirst = from === 0 && segments.every(({ state }) => state === undefined);
    const mustTell = to === end && !fails && (!endsUncovered || isFirst);
    const tells = stream.tellsStates && (chance.happens(0.5) || mustTell) && isWhole(stream, { from, to, size });
    seal(to, tells ? to : undefined, false);
  }
  // What lies behind the last state of a stream that fails is cut off by the spool only where it is not sealed yet.
  seal(at, undefined, true);
  return { segments, failure: fails ? 'the source failed' : undefined };
}

/** Whether a file begins anew between a row of it and the end of the source: then it does not have that row any more. */
function isWrittenAnew({ files }: SimStream, { id, file }: SourceRow, size: number): boolean {
  return [...(files ?? [])].some(([row, other]) => row > id && row < size && other === file);
}

/** Whether a state may stand before a row: every file before it is whole, as it is in the source by now. */
function isWhole({ files, rows }: SimStream, { from, to, size }: { from: number; to: number; size: number }): boolean {
  if (files === undefined || to === size) return true;
  const later = [...files].flatMap(([row, file]) => (row >= to && row < size ? [file] : []));
  return files.has(to) && !rows.slice(from, to).some(({ file }) => later.includes(file));
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
    const own = { id, stream: stream.id, hasRows: rows.length > 0, rows, replacedFiles: [] };
    segments.push({ ...own, state, isShared, isFinal });
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
