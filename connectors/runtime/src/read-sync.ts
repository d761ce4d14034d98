import type { Message, StreamDescriptor } from '@weir/connector-sdk';
import { ConnectorError, type ConnectorErrorCode } from './connector-error.ts';
import type { ConnectorExit, ConnectorProcess } from './connector-runtime.ts';
import { endOf } from './end-of.ts';
import { createEvidence, type StreamReading } from './evidence.ts';
import { createRouter } from './router.ts';
import type { Spool } from './spool.ts';
import type { StreamKey } from './stream-key.ts';

export type ReadSyncOptions = {
  readonly connector: ConnectorProcess;
  /** The configured streams. */
  readonly streams: readonly StreamDescriptor[];
  readonly spool: Spool;
  /** What the connector says beside its rows: LOG and TRACE messages, of any shape, and lines that are no messages; unmasked. */
  readonly onSaid?: (said: Message | string) => void;
  /** Called after each chunk with the records so far, all streams together. */
  readonly onProgress?: (records: number) => void;
};

export type SyncReading = { readonly streams: ReadonlyMap<StreamKey, StreamReading>; readonly exit: ConnectorExit };

/**
 * Reads a `read` run to its end: records and segments to the spool, STATEs as its marks, evidence into a verdict for each
 * stream. Holds the connector back while the spool is full. At the end every stream is finished in the spool (a
 * failed one only up to its last STATE) and the spool is closed. What the connector does wrong is a verdict; only
 * a failure of the spool, or of its consumer, rejects, after the connector was stopped.
 */
export async function readSync({ connector, streams, spool, ...options }: ReadSyncOptions): Promise<SyncReading> {
  const { onSaid = () => undefined } = options;
  const evidence = createEvidence({ streams, spool, onSaid, segmentFolder: connector.segments });
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
  } finally {
    await connector.segments?.destroy();
  }
  const exit = await endOf(connector);
  const readings = evidence.conclude({ exit, truncated, broken });
  for (const [key, { verdict }] of readings) {
    spool.finish(key, verdict.outcome === 'success' ? 'all' : 'until-last-state');
  }
  spool.close();
  return { streams: readings, exit };
}

/** The state file of the next `read`: an array of the states that were stored, in any order. */
export function stateFile(states: readonly string[]): string {
  return `[${states.join(',')}]`;
}
