import { join } from 'node:path';
import { type SealedSegment, streamOfKey } from '@weir/connector-runtime';
import { recordEnvelope } from '@weir/connector-sdk';
import type { SyncEvent } from '@weir/engine';
import {
  createStager,
  NO_ROWS_CHECKSUM,
  openStore,
  type PartitionSpec,
  type RejectedLines,
  type StoreOptions,
  type TableSchema,
  writeRejected,
} from '@weir/plugin-datasets/stage';
import type { ChildPlan, Work } from '../model/process/messages.ts';
import type { StagedPart, Sync } from '../model/process/sync-types.ts';
import { childFaultpoint as faultpoint } from '../model/runtime/child-faultpoint.ts';
import { mergeParts } from './merge-parts.ts';
import { recordShape } from './record-shape.ts';
import { thrownFailure } from './thrown-failure.ts';
import { newMembers } from './value-texts.ts';

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

/** A part without rows. */
const NO_PART: StagedPart = {
  files: [],
  rows: 0,
  rowsWithErrors: 0,
  rowsWithExtra: 0,
  bytes: 0,
  checksum: NO_ROWS_CHECKSUM,
  captured: [],
};

/** Types rows into files, writes rejected lines and merges batches, one piece of work after the other. */
export async function childWork({ plan, segments, scratch }: WorkDeps): Promise<ChildWork> {
  const { runId } = plan;
  const store = openStore({ ...(plan.store as Omit<StoreOptions, 'scratch'>), scratch: join(scratch, 'cache') });
  const io = {
    ...store,
    async upload(path: string, location: string): Promise<void> {
      await faultpoint('S6');
      await store.upload(path, location);
      await faultpoint('S7');
    },
  };
  const stager = await createStager({ io, scratch: join(scratch, 'work') });
  /** The lines of the segment that was staged last. */
  let rejected: RejectedLines[] = [];

  const stage = async ({ segment: id, folder, shape }: Extract<Work, { kind: 'stage' }>): Promise<SyncEvent<Sync>> => {
    const segment = segments.get(id);
    if (segment === undefined) throw new Error('a segment that was let go cannot be staged');
    rejected = [];
    const dropped = segment.rejected.map(({ head, ...line }) => ({ ...line, raw: Buffer.from(head) }));
    if (dropped.length > 0) rejected.push(await writeRejected(join(scratch, `dropped-${id}.ndjson`), dropped));
    if (segment.path === undefined) {
      return { type: 'staged', part: NO_PART, rejected: dropped.length, unknown: [] };
    }
    const { position, path: source, bytes, extractedAt, file } = segment;
    await faultpoint('S5');
    const request = {
      source,
      folder,
      runId,
      position,
      lines: segment.lines,
      schema: shape.schema as TableSchema,
      spec: shape.spec as PartitionSpec,
      ...(shape.key === undefined ? {} : { key: shape.key, ordered: true }),
    };
    const facts = { extractedAt: extractedAt ?? 0, file };
    const from = file === undefined ? {} : { file };
    const envelope = () => recordEnvelope(streamOfKey(segment.stream), facts.extractedAt, from);
    const lines = { ...request, json: shape.json, shape: recordShape(request.schema) };
    const typed = {
      parquet: () => stager.segment({ ...request, ...facts }),
      jsonl: () => stager.copy({ ...lines, bare: { ...facts, ...envelope() } }),
      lines: () => stager.copy({ ...lines, longNumbers: segment.detected }),
    };
    const copied = await typed[segment.format]();
    if (copied.rejected !== undefined) rejected.unshift(copied.rejected);
    const { files, rows, rowsWithErrors, rowsWithExtra, checksum } = copied;
    const unknown = copied.unknown.filter(({ name }) => !shape.extra.includes(name));
    const part = { files, rows, rowsWithErrors, rowsWithExtra, bytes, checksum, captured: unknown };
    const count = rejected.reduce((sum, one) => sum + one.count, 0);
    const columns = (shape.schema as TableSchema).fields;
    return { type: 'staged', part, rejected: count, unknown: newMembers(unknown, { columns, rowsWithErrors }) };
  };

  const perform = async (work: Work): Promise<SyncEvent<Sync>> => {
    if (work.kind === 'stage') return stage(work);
    if (work.kind === 'merge') return { type: 'merged', merged: await mergeParts({ io, stager, runId }, work) };
    const { folder, stream, schema } = work;
    const file = await stager.quarantine({ rejected, schema: schema as TableSchema, folder, runId, stream });
    return { type: 'quarantined', part: { ...NO_PART, files: file === undefined ? [] : [file] } };
  };
  return {
    perform: (work) =>
      perform(work).catch(
        async (error: unknown): Promise<SyncEvent<Sync>> => ({ type: 'failed', failure: await thrownFailure(error) }),
      ),
    close: () => stager.close(),
  };
}
