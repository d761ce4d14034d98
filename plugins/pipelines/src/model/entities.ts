import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { RUN_STATUSES } from '@weir/kernel/contract';
import { DRAFT_STATES, PIPELINE_PUBLISH, PIPELINE_STATUSES, RUN_CAUSES, type VersionStepView } from '../contract.ts';

/** A step as it is kept; ids of transforms in lower case. */
export interface Step {
  step_id: string;
  transform_id: string;
  after: string[];
}

/** That something was done with steps of this fingerprint. */
export interface Noted {
  fingerprint: string;
  at: string;
  by: string;
}

/** A row of `pipelines.pipeline`. */
export const PipelineEntity = defineEntity({
  name: 'Pipeline',
  schema: 'pipelines',
  tableName: 'pipeline',
  properties: {
    tenantId: p.uuid().primary(),
    pipelineId: p.uuid().primary(),
    name: p.string(),
    description: p.text().nullable(),
    steps: p.json<Step[]>(),
    publish: p.enum(PIPELINE_PUBLISH),
    /** Of the steps with the artifacts in force; follows them. */
    fingerprint: p.string(),
    /** Follows from the members below, for lists. */
    status: p.enum(PIPELINE_STATUSES),
    draftState: p.enum(DRAFT_STATES),
    validated: p.json<Noted>().nullable(),
    sandboxed: p.json<Noted & { run_id: string }>().nullable(),
    /** Fingerprints that were rehearsed with success. */
    rehearsed: p.array<string>(),
    activeVersion: p.integer().nullable(),
    activeFingerprint: p.string().nullable(),
    latestVersion: p.integer().nullable(),
    paused: p.json<{ at: string; by: string; reason: string | null }>().nullable(),
    archivedAt: p.datetime().nullable(),
    /** Counts changes: the etag. */
    version: p.integer().default(1),
    createdBy: p.string(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
});
export type PipelineRow = InferEntity<typeof PipelineEntity>;

/** A row of `pipelines.version`, which is only ever added. */
export const VersionEntity = defineEntity({
  name: 'PipelineVersion',
  schema: 'pipelines',
  tableName: 'version',
  properties: {
    tenantId: p.uuid().primary(),
    pipelineId: p.uuid().primary(),
    version: p.integer().primary(),
    fingerprint: p.string(),
    publish: p.enum(PIPELINE_PUBLISH),
    steps: p.json<VersionStepView[]>(),
    note: p.text().nullable(),
    createdBy: p.string(),
    createdAt: p.datetime(),
  },
});
export type VersionRow = InferEntity<typeof VersionEntity>;

/** A row of `pipelines.uses`: a transform is a step of a version; version 0 is what is not a version yet. */
export const UsesEntity = defineEntity({
  name: 'PipelineUses',
  schema: 'pipelines',
  tableName: 'uses',
  properties: {
    tenantId: p.uuid().primary(),
    transformId: p.uuid().primary(),
    pipelineId: p.uuid().primary(),
    version: p.integer().primary(),
  },
});

/** A row of `pipelines.run`: what a run of the kernel's table does for a pipeline. */
export const PipelineRunEntity = defineEntity({
  name: 'PipelineRun',
  schema: 'pipelines',
  tableName: 'run',
  properties: {
    tenantId: p.uuid().primary(),
    /** The id of the kernel's run. */
    runId: p.uuid().primary(),
    pipelineId: p.uuid(),
    /** Null of a rehearsal. */
    version: p.integer().nullable(),
    fingerprint: p.string(),
    publish: p.enum(['together', 'each', 'none'] as const),
    cause: p.enum(RUN_CAUSES),
    /** The run whose written steps are taken over. */
    fromRunId: p.uuid().nullable(),
    /** Follows the kernel's run, for lists. */
    status: p.enum(RUN_STATUSES).default('pending'),
    createdAt: p.datetime(),
  },
});
export type PipelineRunRow = InferEntity<typeof PipelineRunEntity>;

/** The rows of this plugin. */
export const entities = [PipelineEntity, VersionEntity, UsesEntity, PipelineRunEntity];
