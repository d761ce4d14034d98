import {
  type Message,
  parseExact,
  type StreamDescriptor,
  type StreamStatus,
  type TraceError,
} from '@weir/connector-sdk';
import { ConnectorError, type ConnectorErrorCode } from './connector-error.ts';
import type { ConnectorExit, ConnectorProcess } from './connector-runtime.ts';
import { endOf } from './end-of.ts';
import { createRouter } from './router.ts';
import type { Spool } from './spool.ts';
import { type StreamKey, streamKey } from './stream-key.ts';
import { type RunEvidence, type Verdict, verdictOf } from './verdict.ts';

export type ReadSyncOptions = {
  readonly connector: ConnectorProcess;
  /** The configured streams. */
  readonly streams: readonly StreamDescriptor[];
  readonly spool: Spool;
  /** Log lines of the connector, unmasked. */
  readonly onLog?: (level: string, message: string) => void;
  /** Called after each chunk with the records so far, all streams together. */
  readonly onProgress?: (records: number) => void;
};

export type StreamReading = { readonly records: number; readonly verdict: Verdict };
export type SyncReading = { readonly streams: ReadonlyMap<StreamKey, StreamReading>; readonly exit: ConnectorExit };

type Seen = {
  records: number;
  sinceState: number;
  countsAgree: boolean;
  status: StreamStatus | undefined;
  error: TraceError | undefined;
};

/**
 * Reads a `read` run to its end: records to the spool, STATEs as its marks, evidence into a verdict for each
 * stream. Holds the connector back while the spool is full. At the end every stream is finished in the spool (a
 * failed one only up to its last STATE) and the spool is closed. What the connector does wrong is a verdict; only
 * a failure of the spool, or of its consumer, rejects, after the connector was stopped.
 */
export async function readSync({ connector, streams, spool, ...options }: ReadSyncOptions): Promise<SyncReading> {
  const evidence = createEvidence(streams, spool, options.onLog ?? (() => undefined));
  const router = createRouter({ streams, ...evidence.handlers });
  let truncated = false;
  let broken: ConnectorErrorCode | undefined;
  try {
    for await (const chunk of connector.stdout) {
      router.push(chunk as Buffer);
      options.onProgress?.(evidence.records());
      await spool.ready();
    }
    truncated = router.end().truncated;
  } catch (error) {
    const exit = connector.stop();
    const ours = error instanceof ConnectorError && error.code !== 'spool_failed';
    if (!ours) {
      spool.close(error);
      await exit;
      throw error;
    }
    broken = error.code;
  }
  const exit = await endOf(connector);
  const readings = evidence.conclude({ exit, truncated, broken });
  for (const [key, { verdict }] of readings) {
    spool.finish(key, verdict.outcome === 'success' ? 'all' : 'until-last-state');
  }
  spool.close();
  return { streams: readings, exit };
}

/** Collects what is seen of each stream while the output is routed. */
function createEvidence(
  streams: readonly StreamDescriptor[],
  spool: Spool,
  onLog: (level: string, text: string) => void,
) {
  const seen = new Map<StreamKey, Seen>(streams.map((stream) => [streamKey(stream), unseen()]));
  let runError: TraceError | undefined;
  let firstError: TraceError | undefined;
  let records = 0;

  const onState = (message: Extract<Message, { type: 'STATE' }>, line: string) => {
    const { stream, type, sourceStats } = message.state;
    if (type !== 'STREAM' || stream === undefined) throw new ConnectorError('state_kind_unsupported');
    const key = streamKey(stream.stream_descriptor);
    const state = seen.get(key);
    if (state === undefined) throw new ConnectorError('protocol_violation');
    // The state of a stream that failed is none of a clean boundary, however well it looks.
    if (state.status === 'INCOMPLETE' || state.error !== undefined || runError !== undefined) return;
    const counted = sourceStats?.recordCount;
    if (counted !== undefined && counted !== state.sinceState) state.countsAgree = false;
    state.sinceState = 0;
    if (state.countsAgree) spool.mark(key, stateText(line));
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
  return {
    records: () => records,
    handlers: {
      onRecords(key: StreamKey, lines: Uint8Array, count: number) {
        const state = seen.get(key);
        if (state === undefined) return;
        state.records += count;
        state.sinceState += count;
        records += count;
        spool.write(key, lines, count);
      },
      onMessage(message: Message, line: string) {
        if (message.type === 'STATE') onState(message, line);
        else if (message.type === 'TRACE') onTrace(message);
        else if (message.type === 'LOG') onLog(message.log.level, message.log.message);
      },
      onLogLine: (text: string) => onLog('INFO', text),
    },
    conclude: (run: Omit<RunEvidence, 'error'>) => readingsOf(seen, { ...run, error: firstError }, runError),
  };
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

function unseen(): Seen {
  return { records: 0, sinceState: 0, countsAgree: true, status: undefined, error: undefined };
}

/** The exact JSON text of a STATE line's state, as it goes back into the state file. */
function stateText(line: string): string {
  return JSON.stringify((parseExact(line) as { state: unknown }).state);
}

/** The state file of the next `read`: an array of the states that were stored, in any order. */
export function stateFile(states: readonly string[]): string {
  return `[${states.join(',')}]`;
}
