import type { Message, ReadNote, StreamDescriptor } from '@weir/connector-sdk';
import { ConnectorError, type ConnectorErrorCode } from './connector-error.ts';
import type { ConnectorExit, ConnectorProcess } from './connector-runtime.ts';
import { DEFAULT_DEADLINES, type Deadlines, watchDeadlines } from './deadlines.ts';
import { endOf } from './end-of.ts';
import { createEvidence, type StreamReading } from './evidence.ts';
import { saidTail } from './last-words.ts';
import { createRouter } from './router.ts';
import type { Spool } from './spool.ts';
import { stopLate } from './stop-late.ts';
import type { StreamKey } from './stream-key.ts';

export type ReadSyncOptions = {
  readonly connector: ConnectorProcess;
  /** The configured streams. */
  readonly streams: readonly StreamDescriptor[];
  readonly spool: Spool;
  /** What the connector says beside its rows: LOG and TRACE messages, of any shape, and lines that are no messages; unmasked. */
  readonly onSaid?: (said: Message | string) => void;
  /** Told the configuration that the connector wants to be kept, with renewed credentials in it; unmasked, to be kept at once. */
  readonly onRotated?: (config: Readonly<Record<string, unknown>>) => void;
  /** Told what the read of a stream passes over. */
  readonly onNote?: (stream: StreamKey, note: ReadNote) => void;
  /** The position of the last state for all streams that was stored; see `lastPosition`. */
  readonly lastPosition?: number;
  readonly deadlines?: Deadlines;
  /** Called after each chunk with the records so far, all streams together. */
  readonly onProgress?: (records: number) => void;
};

export type SyncReading = {
  readonly streams: ReadonlyMap<StreamKey, StreamReading>;
  readonly exit: ConnectorExit;
  /** A state for all streams was told and not kept, as one of them had failed: nothing behind the last kept one counts. */
  readonly isHeld: boolean;
};

/**
 * Reads a `read` run to its end: records and segments to the spool, STATEs as its marks, evidence into a verdict for each
 * stream. Holds the connector back while the spool is full. At the end every stream is finished in the spool (a
 * failed one only up to its last STATE) and the spool is closed. What the connector does wrong is a verdict; only
 * a failure of the spool, or of its consumer, rejects, after the connector was stopped.
 */
export async function readSync({ connector, streams, spool, ...options }: ReadSyncOptions): Promise<SyncReading> {
  const { onSaid = () => undefined, onRotated = () => undefined, lastPosition = 0 } = options;
  const tail = saidTail();
  const evidence = createEvidence({
    streams,
    spool,
    onSaid(said) {
      tail.take(said);
      onSaid(said);
    },
    onRotated,
    onNote: options.onNote ?? (() => undefined),
    lastPosition,
    segmentFolder: connector.segments,
  });
  const router = createRouter({ streams, ...evidence.handlers });
  let truncated = false;
  let broken: ConnectorErrorCode | undefined;
  let late: ConnectorErrorCode | undefined;
  const watch = watchDeadlines(options.deadlines ?? DEFAULT_DEADLINES, (code) => {
    void stopLate(connector, code, (told) => {
      late = told;
    });
  });
  try {
    for await (const chunk of connector.stdout) {
      watch.heard();
      const before = evidence.progress();
      router.push(chunk as Buffer);
      if (evidence.progress() !== before) watch.progressed();
      options.onProgress?.(evidence.records());
      await watch.during(spool.ready());
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
  } finally {
    watch.end();
    // What could not be removed is looked at again when the attempt is over; no row depends on it.
    await connector.segments?.destroy().catch(() => undefined);
  }
  const exit = await endOf(connector);
  const readings = evidence.conclude({ exit, truncated, broken: broken ?? late, words: tail.words(connector) });
  for (const [key, { verdict }] of readings) {
    spool.finish(key, verdict.outcome === 'success' ? 'all' : 'until-last-state');
  }
  spool.close();
  return { streams: readings, exit, isHeld: evidence.isHeld() };
}
