import {
  type Message,
  parseExact,
  type SegmentFacts,
  type State,
  type StreamDescriptor,
  type StreamStatus,
  type TraceError,
} from '@weir/connector-sdk';
import { ConnectorError, type ConnectorErrorCode } from './connector-error.ts';
import type { RouterOptions } from './router.ts';
import { isShared, sharedState } from './shared-state.ts';
import type { Spool } from './spool.ts';
import { type StreamKey, streamKey } from './stream-key.ts';
import { dropSegment, isSegmentName, type SegmentPlace, takeSegment } from './take-segment.ts';
import { type RunEvidence, type Verdict, verdictOf } from './verdict.ts';

/** How many records of a stream arrived, those of segments and rejected ones included, and what came of it. */
export type StreamReading = { readonly records: number; readonly verdict: Verdict };

type Seen = {
  records: number;
  sinceState: number;
  countsAgree: boolean;
  status: StreamStatus | undefined;
  error: TraceError | undefined;
  /** What made us stop taking its records. */
  broken: ConnectorErrorCode | undefined;
};

export type EvidenceDeps = {
  readonly streams: readonly StreamDescriptor[];
  readonly spool: Spool;
  readonly onSaid: (said: Message | string) => void;
  /** Told the configuration that the connector wants to be kept: renewed credentials are in it. */
  readonly onRotated: (config: Readonly<Record<string, unknown>>) => void;
  /** The position of the last state for all streams that was stored. */
  readonly lastPosition: number;
  /** Where segments lie; undefined when none were asked for. */
  readonly segmentFolder: SegmentPlace | undefined;
};

type Evidence = {
  /** Of all streams together. */
  readonly records: () => number;
  /** Records and states of all streams together. */
  readonly progress: () => number;
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

  /** One state for all streams: each keeps a copy with its own rows, and none does once one of them has failed. */
  const onSharedState = ({ sourceStats }: State, line: string) => {
    const all = [...seen.values()];
    if (runError !== undefined || all.some(hasFailed)) return;
    const counted = sourceStats?.recordCount;
    const arrived = all.reduce((sum, { sinceState }) => sum + sinceState, 0);
    const agrees = counted === undefined || counted === arrived;
    for (const state of all) Object.assign(state, { sinceState: 0, countsAgree: state.countsAgree && agrees });
    if (!all.every(({ countsAgree }) => countsAgree)) return;
    position += 1;
    const text = sharedState(line, position);
    for (const key of seen.keys()) spool.mark(key, text);
  };
  const onState = (message: Extract<Message, { type: 'STATE' }>, line: string) => {
    states += 1;
    if (isShared(message.state)) return onSharedState(message.state, line);
    const { stream, type, sourceStats } = message.state;
    if (type !== 'STREAM' || stream === undefined) throw new ConnectorError('protocol_violation');
    const key = streamKey(stream.stream_descriptor);
    const state = seen.get(key);
    if (state === undefined) throw new ConnectorError('protocol_violation');
    // The state of a stream that failed is none of a clean boundary, however well it looks.
    if (hasFailed(state) || runError !== undefined) return;
    const counted = sourceStats?.recordCount;
    if (counted !== undefined && counted !== state.sinceState) state.countsAgree = false;
    state.sinceState = 0;
    if (state.countsAgree) spool.mark(key, stateText(line));
  };
  const onControl = (line: string) => {
    const { control } = parseExact(line) as Partial<Extract<Message, { type: 'CONTROL' }>>;
    const config = control?.type === 'CONNECTOR_CONFIG' ? control.connectorConfig?.config : undefined;
    if (config !== undefined && config !== null && typeof config === 'object') onRotated(config);
  };
  const onTrace = ({ trace }: Extract<Message, { type: 'TRACE' }>) => {
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
    const fill = (path: string) => takeSegment(segmentFolder, segment, path);
    const { rows, bytes, emitted_at: extractedAt = Date.now() } = segment;
    const state = arrived(key, Number.isSafeInteger(rows) ? Math.max(0, rows) : 0);
    try {
      if (state !== undefined) spool.take(key, { rows, bytes, extractedAt, fill });
      else dropSegment(segmentFolder.path, segment);
    } catch (error) {
      if (!(error instanceof ConnectorError) || error.code === 'spool_failed' || state === undefined) throw error;
      state.broken = error.code;
    }
  };
  return {
    records: () => records,
    progress: () => records + states,
    handlers: {
      onRecords(key, lines, count) {
        if (arrived(key, count) !== undefined) spool.write(key, lines, count);
      },
      onOversized(key) {
        if (arrived(key, 1) !== undefined) spool.reject(key, 'line_too_large');
      },
      onMessage(message, line) {
        if (message.type === 'STATE') onState(message, line);
        else if (message.type === 'SEGMENT') onSegment(message);
        else if (message.type === 'TRACE') onTrace(message);
        else if (message.type === 'CONTROL') onControl(line);
        if (message.type === 'LOG' || message.type === 'TRACE') onSaid(message);
      },
      onLogLine: onSaid,
    },
    conclude: (run) => readingsOf(seen, { ...run, error: firstError }, runError),
  };
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
  return { records: 0, sinceState: 0, countsAgree: true, ...nothing };
}

/** The exact JSON text of a STATE line's state, as it goes back into the state file. */
function stateText(line: string): string {
  return JSON.stringify((parseExact(line) as { state: unknown }).state);
}
