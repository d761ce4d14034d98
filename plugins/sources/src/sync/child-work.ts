import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { SealedSegment } from '@weir/connector-runtime';
import type { SyncEvent } from '@weir/engine';
import { createStager, type TableSchema } from '@weir/plugin-datasets/stage';
import { failureOf } from './failure.ts';
import type { ChildPlan, Work } from './messages.ts';
import { RECORD_SHAPE } from './record-shape.ts';
import type { Sync } from './sync-types.ts';

export interface WorkDeps {
  plan: Pick<ChildPlan, 'runId' | 'store'>;
  segments: ReadonlyMap<number, SealedSegment>;
  scratch: string;
}

export interface ChildWork {
  /** Does one piece of work; a failure is an event too. */
  perform(work: Work): Promise<SyncEvent<Sync>>;
  close(): void;
}

/** Types rows into files, writes rejected lines and merges batches, one piece of work after the other. */
export async function childWork({ plan, segments, scratch }: WorkDeps): Promise<ChildWork> {
  const stager = await createStager({ tempDirectory: scratch });

  const stage = async ({ segment: id, folder, shape }: Extract<Work, { kind: 'stage' }>): Promise<SyncEvent<Sync>> => {
    const segment = segments.get(id);
    if (segment?.path === undefined) throw new Error('a segment without rows cannot be staged');
    await mkdir(fileURLToPath(folder), { recursive: true });
    const { file, ...counts } = await stager.copy({
      source: segment.path,
      shape: RECORD_SHAPE,
      schema: shape.schema as TableSchema,
      target: `${folder}/${randomUUID()}.parquet`,
      runId: plan.runId,
    });
    const part = {
      files: file === undefined ? [] : [file],
      ...counts,
      bytes: segment.bytes,
      checksum: undefined,
      captured: [],
    };
    return { type: 'staged', part, rejected: 0, unknown: [] };
  };

  const perform = async (work: Work): Promise<SyncEvent<Sync>> => {
    if (work.kind === 'stage') return stage(work);
    throw new Error('not yet');
  };
  return {
    perform: (work) =>
      perform(work).catch((error: unknown): SyncEvent<Sync> => ({ type: 'failed', failure: failureOf(error) })),
    close: () => stager.close(),
  };
}
