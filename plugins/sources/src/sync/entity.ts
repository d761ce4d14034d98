import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import type { RunFailureRecord } from '@weir/kernel';
import { RUN_STATUSES } from '@weir/kernel/contract';
import { SYNC_PHASES, VERDICTS } from '../contract.ts';

const counters = {
  rowsRead: p.bigint('number'),
  rowsWritten: p.bigint('number'),
  rowsWithErrors: p.bigint('number'),
  rowsRejected: p.bigint('number'),
  bytesRead: p.bigint('number'),
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
    verdict: p.enum(VERDICTS).nullable(),
    attempt: p.integer(),
    ...counters,
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
});
export type SyncRunRow = InferEntity<typeof SyncRunEntity>;

/** A row of `sources.stream_run`: what one sync did for one stream. */
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
    commits: p.integer(),
    snapshotId: p.string().nullable(),
    committedAt: p.datetime().nullable(),
    failure: p.json<RunFailureRecord>().nullable(),
  },
});
export type StreamRunRow = InferEntity<typeof StreamRunEntity>;

/** The counters of a run or stream before anything was read. */
export const NO_ROWS = { rowsRead: 0, rowsWritten: 0, rowsWithErrors: 0, rowsRejected: 0, bytesRead: 0 } as const;
