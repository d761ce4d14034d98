import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import type { RunFailureRecord } from '@weir/kernel';
import { RUN_STATUSES } from '@weir/kernel/contract';
import { type FieldNoteView, type LeftOutView, type PullView, SYNC_PHASES, VERDICTS } from '../../contract.ts';
import type { SyncImage } from '../runtime/named-image.ts';

const counters = {
  rowsRead: p.bigint('number'),
  rowsWritten: p.bigint('number'),
  rowsWithErrors: p.bigint('number'),
  rowsWithExtra: p.bigint('number'),
  rowsRejected: p.bigint('number'),
  /** Null where a release has committed that did not count them. */
  rowsDeduplicated: p.bigint('number').nullable(),
  bytesRead: p.bigint('number'),
  filesRead: p.bigint('number').default(0),
  filesUnchanged: p.bigint('number').default(0),
  filesLeftOut: p.bigint('number').default(0),
  filesGone: p.bigint('number').default(0),
  rowsLeftOut: p.bigint('number').default(0),
};

/** A row of `sources.sync_run`: what the kernel's run row does not hold. */
export const SyncRunEntity = defineEntity({
  name: 'SyncRun',
  schema: 'sources',
  tableName: 'sync_run',
  properties: {
    tenantId: p.uuid().primary(),
    runId: p.uuid().primary(),
    sourceId: p.uuid(),
    phase: p.enum(SYNC_PHASES),
    /** How far the image is pulled, while it is. */
    pull: p.json<PullView>().nullable(),
    verdict: p.enum(VERDICTS).nullable(),
    attempt: p.integer(),
    specFingerprint: p.string().nullable(),
    /** The image that was run, when it was in a container. */
    image: p.json<SyncImage>().nullable(),
    ...counters,
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
});
export type SyncRunRow = InferEntity<typeof SyncRunEntity>;

/**
 * A row of `sources.stream_run`: what one sync did for one stream. `rowsInTable` and `checksum` are of the rows that carry
 * the run's id in the table at `snapshotId`, so that they can be found again from the table alone: of a merge they are
 * fewer than were written when a later row of a key has taken the place of an earlier one.
 */
export const StreamRunEntity = defineEntity({
  name: 'StreamRun',
  schema: 'sources',
  tableName: 'stream_run',
  properties: {
    tenantId: p.uuid().primary(),
    runId: p.uuid().primary(),
    streamId: p.uuid().primary(),
    name: p.string(),
    namespace: p.string().nullable(),
    datasetId: p.string(),
    status: p.enum(RUN_STATUSES),
    ...counters,
    leftOut: p.json<LeftOutView[]>(),
    rowsReplaced: p.bigint('number').default(0),
    rowsInTable: p.bigint('number').nullable(),
    checksum: p.string().nullable(),
    schemaId: p.integer().nullable(),
    schemaChanges: p.json<FieldNoteView[]>(),
    stateSha256: p.string().nullable(),
    snapshotIds: p.json<string[]>(),
    commits: p.integer(),
    snapshotId: p.string().nullable(),
    committedAt: p.datetime().nullable(),
    failure: p.json<RunFailureRecord>().nullable(),
  },
});
export type StreamRunRow = InferEntity<typeof StreamRunEntity>;

/** The counters of a run or stream before anything was read. */
export const NO_ROWS = {
  rowsRead: 0,
  rowsWritten: 0,
  rowsWithErrors: 0,
  rowsWithExtra: 0,
  rowsRejected: 0,
  rowsDeduplicated: 0,
  bytesRead: 0,
  filesRead: 0,
  filesUnchanged: 0,
  filesLeftOut: 0,
  filesGone: 0,
  rowsLeftOut: 0,
} as const;
