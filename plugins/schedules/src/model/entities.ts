import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import type { ScheduleTimesView } from '@weir/plugin-workflow-engine/contract';
import { OVERLAPS } from '../contract.ts';
import type { SkipReason } from './skips.ts';

/** A row of `schedules.schedule`: what is wanted, and what the engine was last given of it. */
export const ScheduleEntity = defineEntity({
  name: 'Schedule',
  schema: 'schedules',
  tableName: 'schedule',
  properties: {
    tenantId: p.uuid().primary(),
    /** Unique over all kinds. */
    subjectId: p.uuid().primary(),
    subjectKind: p.string(),
    times: p.json<ScheduleTimesView>(),
    overlap: p.enum(OVERLAPS),
    pausedAt: p.datetime().nullable(),
    pausedBy: p.string().nullable(),
    pauseReason: p.string().nullable(),
    version: p.integer(),
    /** Kept fresh by the reconciler, for filters and orders; null while nothing is to come. */
    nextRunAt: p.datetime().nullable(),
    /** The first time of which it was not looked whether it was missed; null while nothing is to come. */
    judgedFrom: p.datetime().nullable(),
    appliedVersion: p.integer().nullable(),
    appliedDigest: p.string().nullable(),
    engineMark: p.string().nullable(),
    /** Since when it is to go; the row goes when the engine has let go of it. */
    deletedAt: p.datetime().nullable(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
    updatedBy: p.string(),
  },
});
export type ScheduleRow = InferEntity<typeof ScheduleEntity>;

/** A row of `schedules.firing`. */
export const FiringEntity = defineEntity({
  name: 'ScheduleFiring',
  schema: 'schedules',
  tableName: 'firing',
  properties: {
    tenantId: p.uuid().primary(),
    firingId: p.uuid().primary(),
    subjectId: p.uuid(),
    subjectKind: p.string(),
    origin: p.enum(['schedule', 'trigger']),
    scheduledAt: p.datetime(),
    firedAt: p.datetime(),
    /** When one that waits was last tried again. */
    lookedAt: p.datetime(),
    outcome: p.enum(['started', 'waiting', 'skipped']),
    runId: p.uuid().nullable(),
    reason: p.json<SkipReason>().nullable(),
    requestedBy: p.string(),
  },
});
export type FiringRow = InferEntity<typeof FiringEntity>;

/** The rows that this plugin keeps. */
export const entities = [ScheduleEntity, FiringEntity];
