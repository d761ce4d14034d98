import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { SealedSegment, SyncReading } from '@weir/connector-runtime';
import type { Stager, TableSchema } from '@weir/plugin-datasets/stage';
import type { Ask, ChildStream } from './messages.ts';

/** Where the parts of a RECORD line are. */
const RECORD_SHAPE = {
  data: ['record', 'data'],
  extractedAt: ['record', 'emitted_at'],
  changes: ['record', 'meta', 'changes'],
} as const satisfies {
  data: readonly [string, string];
  extractedAt: readonly [string, string];
  changes: readonly [string, string, string];
};

interface Batch {
  files: object[];
  rows: number;
  rowsWithErrors: number;
  bytes: number;
  /** The state that everything in the batch is covered by. */
  state: string | undefined;
}

export interface LoadDeps {
  runId: string;
  streams: readonly ChildStream[];
  segments: AsyncIterable<SealedSegment>;
  stager: Stager;
  /** Answered by the parent when it is done; rejects when it could not. */
  ask(ask: Ask): Promise<void>;
  /** The verdicts, once the connector has ended. */
  reading: Promise<SyncReading>;
}

/**
 * Types sealed segments into data files and has them committed. Rows are committed with the STATE that covers them and
 * never before it; rows behind the last STATE of a stream that failed are dropped, to be read again from that STATE. A
 * stream that commits at its end, or has no STATE at all, is committed once, and only if it ended well.
 */
export async function loadSegments({ runId, streams, segments, stager, ask, reading }: LoadDeps): Promise<void> {
  const byKey = new Map(streams.map((stream) => [stream.key, stream]));
  const batches = new Map<string, Batch>(streams.map((stream) => [stream.streamId, emptyBatch()]));
  const commit = async ({ streamId, atEnd }: ChildStream) => {
    const { state, ...batch } = batches.get(streamId) ?? emptyBatch();
    batches.set(streamId, emptyBatch());
    if (batch.files.length === 0 && state === undefined && !atEnd) return;
    await ask({ kind: 'commit', streamId, ...batch, ...(state === undefined ? {} : { state }) });
  };

  for (const stream of streams) await mkdir(fileURLToPath(stream.dataLocation), { recursive: true });
  for await (const segment of segments) {
    const stream = byKey.get(segment.stream);
    const batch = stream && batches.get(stream.streamId);
    if (stream === undefined || batch === undefined) continue;
    if (segment.path !== undefined) await stage(segment.path, segment.bytes, { runId, stream, batch, stager, ask });
    segment.release();
    if (segment.state === undefined) continue;
    batch.state = segment.state;
    if (!stream.atEnd && !segment.final) await commit(stream);
  }

  const { streams: verdicts } = await reading;
  for (const stream of streams) {
    const succeeded = verdicts.get(stream.key)?.verdict.outcome === 'success';
    const covered = !stream.atEnd && batches.get(stream.streamId)?.state !== undefined;
    if (succeeded || covered) await commit(stream);
  }
}

interface StageContext {
  runId: string;
  stream: ChildStream;
  batch: Batch;
  stager: Stager;
  ask(ask: Ask): Promise<void>;
}

async function stage(
  source: string,
  bytes: number,
  { runId, stream, batch, stager, ask }: StageContext,
): Promise<void> {
  const target = `${stream.dataLocation}/${randomUUID()}.parquet`;
  await ask({ kind: 'stage', streamId: stream.streamId, location: target });
  try {
    const schema = stream.schema as TableSchema;
    const staged = await stager.copy({ source, shape: RECORD_SHAPE, schema, target, runId });
    if (staged.file !== undefined) batch.files.push(staged.file);
    batch.rows += staged.rows;
    batch.rowsWithErrors += staged.rowsWithErrors;
    batch.bytes += bytes;
  } finally {
    await ask({ kind: 'staged', location: target });
  }
}

function emptyBatch(): Batch {
  return { files: [], rows: 0, rowsWithErrors: 0, bytes: 0, state: undefined };
}
