import {
  FILE_REPLACED,
  type Message,
  parseExact,
  READ_NOTE,
  type ReadNote,
  type ReplacedFile,
  type SegmentFacts,
  type State,
  type StreamDescriptor,
  type StreamStatus,
  type Trace,
  type TraceError,
} from '@weir/connector-sdk';
import { ConnectorError, type ConnectorErrorCode } from './connector-error.ts';
import type { RouterOptions } from './router.ts';
import { holdsShared, isShared, sharedState, toldState } from './shared-state.ts';
import type { Spool } from './spool.ts';
import { type StreamKey, streamKey } from './stream-key.ts';
import { dropSegment, isSegmentName, type SegmentPlace, type TakenTo, takeSegment } from './take-segment.ts';
import { type RunEvidence, type Verdict, verdictOf } from './verdict.ts';

/** How many records of a stream arrived, those of segments and rejected ones included, and what came of it. */
export type StreamReading = { readonly records: number; readonly verdict: Verdict };

type Seen = {
  records: number;
  sinceState: number;
  /** Files that were named as replaced since the last STATE. */
  replaced: number;
  countsAgree: boolean;
  status: StreamStatus | undefined;
  error: TraceError | undefined;
  /** What made us stop taking its records. */
  broken: ConnectorErrorCode | undefined;
};

/** The longest line of a STATE. Each stream stores a copy of one for all of them. */
export const MAX_STATE_CHARS = 16 * 1024 * 1024;

/** How many files may be replaced by one STATE: their names wait in memory. */
const MAX_REPLACED_FILES = 100_000;

export type EvidenceDeps = {
  readonly streams: readonly StreamDescriptor[];
  readonly spool: Spool;
  readonly onSaid: (said: Message | string) => void;
  /** Told the configuration that the connector wants to be kept: renewed credentials are in it. */
  readonly onRotated: (config: Readonly<Record<string, unknown>>) => void;
  /** The position of the last state for all streams that was stored. */
  readonly lastPosition: number;
  /** Told what the read of a stream passes over. */
  readonly onNote: (stream: StreamKey, note: ReadNote) => void;
  /** Where segments lie; undefined when none were asked for. */
  readonly segmentFolder: SegmentPlace | undefined;
};

type Evidence = {
  /** Of all streams together. */
  readonly records: () => number;
  /** Records and states of all streams together. */
  readonly progress: () => number;
  /** Whether a state for all streams was told and not kept, as one of them had failed: no row behind the last one is covered. */
  readonly isHeld: () => boolean;
  readonly handlers: Omit<RouterOptions, 'streams' | 'maxLineBytes'>;
  readonly conclude: (run: Omit<RunEvidence, 'error'>) => Map<StreamKey, StreamReading>;
};

/** Collects what is seen of each stream while the output is routed. */
export function createEvidence({ streams, spool, onSaid, onRotated, segmentFolder, ...deps }: EvidenceDeps): Evidence {
  const seen = new Map<StreamKey, Seen>(streams.map((stream) => [streamKey(stream), unseen()]));
  let runError: TraceError | undefined;
  let firstError: TraceError | undefined;
  let records = 0;
  let states = 0;
  let position = deps.lastPosition;
  /** Whether the states of this run are for all streams; undefined before the first. */
  let isSharing: boolean | undefined;
  let lastShared: string | undefined;
  /** A state for all streams was told and could not be kept. */
  let isHeld = false;

  /** One state for all streams: each keeps a copy with its own rows, and none does once one of them has failed. */
  const onSharedState = (state: State, line: string) => {
    if (!holdsShared(state)) throw new ConnectorError('state_invalid');
    const all = [...seen.values()];
    isHeld ||= runError !== undefined || all.some(hasFailed);
    if (isHeld) return;
    const counted = state.sourceStats?.recordCount;
    const arrived = all.reduce((sum, { sinceState }) => sum + sinceState, 0);
    const agrees = counted === undefined || counted === arrived;
    for (const one of all) Object.assign(one, { sinceState: 0, countsAgree: one.countsAgree && agrees });
    isHeld = !all.every(({ countsAgree }) => countsAgree);
    const told = toldState(line);
    const text = JSON.stringify(told);
    // A state that is told again covers nothing more.
    if (isHeld || (text === lastShared && arrived === 0)) return;
    position += 1;
    lastShared = text;
    spool.markAll([...seen.keys()], sharedState(told, position));
  };
  const onStreamState = ({ type, stream, sourceStats }: State, line: string) => {
    const descriptor = stream?.stream_descriptor;
    if (type !== 'STREAM' || typeof descriptor?.name !== 'string') throw new ConnectorError('state_invalid');
    const key = streamKey(descriptor);
    const state = seen.get(key);
    if (state === undefined) throw new ConnectorError('state_of_other_stream');
    // The state of a stream that failed is none of a clean boundary, however well it looks.
    if (hasFailed(state) || runError !== undefined) return;
    const counted = sourceStats?.recordCount;
    if (counted !== undefined && counted !== state.sinceState) state.countsAgree = false;
    Object.assign(state, { sinceState: 0, replaced: 0 });
    if (state.countsAgree) spool.mark(key, stateText(line));
  };
  const onState = ({ state }: Partial<Extract<Message, { type: 'STATE' }>>, line: string) => {
    states += 1;
    if (typeof state !== 'object' || state === null) throw new ConnectorError('state_invalid');
    if (line.length > MAX_STATE_CHARS) throw new ConnectorError('state_too_large');
    const shared = isShared(state);
    if (shared !== (isSharing ?? shared)) throw new ConnectorError('state_types_mixed');
    isSharing = shared;
    if (shared) onSharedState(state, line);
    else onStreamState(state, line);
  };
  const onControl = (line: string) => {
    const config = controlConfig(line);
    if (config !== undefined) onRotated(config);
  };
  /** Rows of a stream whose records are not taken any more stay as they are. */
  const onReplaced = (value: string | null | undefined) => {
    const { place, file } = replacedFile(value);
    const state = seen.get(place);
    if (state === undefined) throw new ConnectorError('protocol_violation');
    state.replaced += 1;
    if (state.replaced > MAX_REPLACED_FILES) throw new ConnectorError('protocol_violation');
    if (state.broken === undefined) spool.replaceFile(place, file);
  };
  const onTrace = ({ trace }: Extract<Message, { type: 'TRACE' }>) => {
    if (isReplacement(trace)) onReplaced(trace.analytics?.value);
    if (isNote(trace)) {
      const { place, note } = readNote(trace.analytics?.value);
      if (!seen.has(place)) throw new ConnectorError('protocol_violation');
      deps.onNote(place, note);
    }
    if (trace.type === 'STREAM_STATUS') {
      const state = seen.get(streamKey(trace.stream_status.stream_descriptor));
      if (state !== undefined) state.status = trace.stream_status.status;
    } else if (trace.type === 'ERROR') {
      firstError ??= trace.error;
      const { stream_descriptor: named } = trace.error;
      const state = named === undefined || named === null ? undefined : seen.get(streamKey(named));
      if (state !== undefined) state.error ??= trace.error;
      else runError ??= trace.error;
    }
  };
  /** Counts rows of a stream; gives its facts while its rows are still taken. */
  const arrived = (key: StreamKey, count: number): Seen | undefined => {
    const state = seen.get(key);
    if (state === undefined) return undefined;
    state.records += count;
    state.sinceState += count;
    records += count;
    return state.broken === undefined ? state : undefined;
  };
  const onSegment = ({ segment }: Extract<Message, { type: 'SEGMENT' }>) => {
    const key = segmentKey(segment);
    if (segmentFolder === undefined || !seen.has(key)) throw new ConnectorError('protocol_violation');
    // It could not be acknowledged, so that the connector would wait for ever.
    if (!isSegmentName(segment.file)) throw new ConnectorError('segment_invalid');
    const fill = (to: TakenTo) => takeSegment(segmentFolder, segment, to);
    const { format, rows, bytes, emitted_at: extractedAt = Date.now() } = segment;
    const file = typeof segment.source_file === 'string' ? segment.source_file : undefined;
    const state = arrived(key, Number.isSafeInteger(rows) ? Math.max(0, rows) : 0);
    try {
      if (state !== undefined) spool.take(key, { format, rows, bytes, extractedAt, file, fill });
      else dropSegment(segmentFolder.path, segment);
    } catch (error) {
      if (!(error instanceof ConnectorError) || error.code === 'spool_failed' || state === undefined) throw error;
      state.broken = error.code;
    }
  };
  return {
    records: () => records,
    progress: () => records + states,
    isHeld: () => isHeld,
    handlers: {
      onRecords(key, lines, count) {
        if (arrived(key, count) !== undefined) spool.write(key, lines, count);
      },
      onOversized(key, head) {
        if (arrived(key, 1) !== undefined) spool.reject(key, { reason: 'line_too_large', head });
      },
      onMessage(message, line) {
        if (message.type === 'STATE') onState(message, line);
        else if (message.type === 'SEGMENT') onSegment(message);
        else if (message.type === 'TRACE') onTrace(message);
        else if (message.type === 'CONTROL') onControl(line);
        if (
          message.type === 'LOG' ||
          (message.type === 'TRACE' && !isReplacement(message.trace) && !isNote(message.trace))
        )
          onSaid(message);
      },
      onLogLine: onSaid,
    },
    conclude: (run) => readingsOf(seen, { ...run, error: firstError }, runError),
  };
}

type Analytics = Extract<Trace, { type: 'ANALYTICS' }>;

const isOfType = (trace: Trace, type: string): trace is Analytics =>
  trace.type === 'ANALYTICS' && trace.analytics?.type === type;
/** There may be one for each of many files: they are for the commit, and no lines of a log. */
const isReplacement = (trace: Trace): trace is Analytics => isOfType(trace, FILE_REPLACED);
const isNote = (trace: Trace): trace is Analytics => isOfType(trace, READ_NOTE);

/** What the analytics of a note say; a note of another kind is one of a later connector. */
function readNote(value: string | null | undefined): { place: StreamKey; note: ReadNote } {
  try {
    const note = JSON.parse(value ?? '') as Partial<ReadNote>;
    const { stream: name, namespace, count } = note;
    if (typeof name === 'string' && Number.isSafeInteger(count) && Number(count) >= 0) {
      return { place: streamKey({ name, ...(namespace === undefined ? {} : { namespace }) }), note: note as ReadNote };
    }
  } catch {
    // No JSON text says nothing.
  }
  throw new ConnectorError('protocol_violation');
}

/** What the analytics of a replaced file say. */
function replacedFile(value: string | null | undefined): { place: StreamKey; file: string | null } {
  try {
    const { stream: name, namespace, file } = JSON.parse(value ?? '') as Partial<ReplacedFile>;
    if (typeof name === 'string' && (typeof file === 'string' || file === null)) {
      return { place: streamKey({ name, ...(namespace === undefined ? {} : { namespace }) }), file };
    }
  } catch {
    // No JSON text says nothing of any file.
  }
  throw new ConnectorError('protocol_violation');
}

/** The stream that a SEGMENT line names; no stream's key when it names none. */
function segmentKey(segment: Partial<SegmentFacts> | undefined): StreamKey {
  const { stream: name = '', namespace } = segment ?? {};
  return streamKey({ name, ...(namespace === undefined ? {} : { namespace }) });
}

function readingsOf(
  seen: ReadonlyMap<StreamKey, Seen>,
  run: RunEvidence,
  runError: TraceError | undefined,
): Map<StreamKey, StreamReading> {
  const reading = (state: Seen): StreamReading => ({
    records: state.records,
    verdict: verdictOf({ ...state, error: state.error ?? runError }, run),
  });
  return new Map([...seen].map(([key, state]) => [key, reading(state)]));
}

/** Whether a stream can come to no clean boundary any more. */
function hasFailed({ status, error, broken }: Seen): boolean {
  return status === 'INCOMPLETE' || error !== undefined || broken !== undefined;
}

function unseen(): Seen {
  const nothing = { status: undefined, error: undefined, broken: undefined };
  return { records: 0, sinceState: 0, replaced: 0, countsAgree: true, ...nothing };
}

/** The configuration that a CONTROL line wants to be kept, exactly; undefined when it holds none. */
export function controlConfig(line: string): Readonly<Record<string, unknown>> | undefined {
  const { control } = parseExact(line) as Partial<Extract<Message, { type: 'CONTROL' }>>;
  const config = control?.type === 'CONNECTOR_CONFIG' ? control.connectorConfig?.config : undefined;
  return config !== null && typeof config === 'object' ? config : undefined;
}

/** The exact JSON text of a STATE line's state, as it goes back into the state file. */
function stateText(line: string): string {
  return JSON.stringify((parseExact(line) as { state: unknown }).state);
}
