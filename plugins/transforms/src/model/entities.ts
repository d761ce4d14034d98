import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { RUN_STATUSES } from '@weir/kernel/contract';
import type { CheckBody, CheckReportView, CheckResultView } from '../contract/checks.ts';
import type { TransformOriginView } from '../contract/origin.ts';
import { RUN_EXTENTS, RUN_REASONS } from '../contract/runs.ts';
import { type DefinitionView, DIALECTS, MATERIALIZATIONS } from '../contract/transforms.ts';
import type { ArtifactContent } from './artifact-content.ts';

/** A row of `transforms.transform`. */
export const TransformEntity = defineEntity({
  name: 'Transform',
  schema: 'transforms',
  tableName: 'transform',
  properties: {
    tenantId: p.uuid().primary(),
    transformId: p.uuid().primary(),
    name: p.string(),
    description: p.text().nullable(),
    tags: p.array<string>(),
    dialect: p.enum(DIALECTS),
    sql: p.text(),
    /** A dataset id. */
    output: p.string(),
    materialization: p.enum(MATERIALIZATIONS),
    /** Column names. */
    key: p.array<string>().default([]),
    partitionBy: p.array<string>().default([]),
    /** The dataset id of an input. */
    incremental: p.string().nullable(),
    checks: p.json<CheckBody[]>().default([]),
    /** The form that the statement was made from. */
    origin: p.json<TransformOriginView>().nullable(),
    /** That of the version in force. Null until the first hydrate: then the definition above is the draft. */
    artifactId: p.string().nullable(),
    hydratedAt: p.datetime().nullable(),
    /** The version in force. */
    currentVersion: p.integer().nullable(),
    /** A definition beside the one in force. */
    draft: p.json<DefinitionView>().nullable(),
    /** The `version` with which the draft changed last. */
    draftRevision: p.integer().nullable(),
    draftedBy: p.string().nullable(),
    draftedAt: p.datetime().nullable(),
    archivedAt: p.datetime().nullable(),
    /** Counts changes: the etag. */
    version: p.integer().default(1),
    createdBy: p.string(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
});
export type TransformRow = InferEntity<typeof TransformEntity>;

/** A row of `transforms.transform_version`, which is only ever added. */
export const TransformVersionEntity = defineEntity({
  name: 'TransformVersion',
  schema: 'transforms',
  tableName: 'transform_version',
  properties: {
    tenantId: p.uuid().primary(),
    transformId: p.uuid().primary(),
    version: p.integer().primary(),
    artifactId: p.string(),
    definition: p.json<DefinitionView>(),
    /** What differs from the version before, in words. */
    changes: p.array<string>(),
    restoredFrom: p.integer().nullable(),
    createdBy: p.string(),
    createdAt: p.datetime(),
  },
});
export type TransformVersionRow = InferEntity<typeof TransformVersionEntity>;

/** A row of `transforms.artifact`: never changed, shared by whoever hydrates to the same content. */
export const ArtifactEntity = defineEntity({
  name: 'TransformArtifact',
  schema: 'transforms',
  tableName: 'artifact',
  properties: {
    tenantId: p.uuid().primary(),
    /** SHA-256 of the canonical content, in hex. */
    artifactId: p.string().primary(),
    runtime: p.string(),
    content: p.json<ArtifactContent>(),
    createdAt: p.datetime(),
  },
});
export type ArtifactRow = InferEntity<typeof ArtifactEntity>;

/** A row of `transforms.hydration`: that a transform was hydrated to an artifact. */
export const HydrationEntity = defineEntity({
  name: 'TransformHydration',
  schema: 'transforms',
  tableName: 'hydration',
  properties: {
    tenantId: p.uuid().primary(),
    transformId: p.uuid().primary(),
    artifactId: p.string().primary(),
    hydratedAt: p.datetime(),
  },
});
export type HydrationRow = InferEntity<typeof HydrationEntity>;

/** A dataset at the snapshot that a run reads; decimal digits, null for a table without rows. */
export interface PinnedSnapshot {
  dataset_id: string;
  snapshot_id: string | null;
}

/** A row of `transforms.transform_run`: what a run of the kernel's table does for one transform. */
export const TransformRunEntity = defineEntity({
  name: 'TransformRun',
  schema: 'transforms',
  tableName: 'transform_run',
  properties: {
    tenantId: p.uuid().primary(),
    /** The id of the kernel's run. */
    runId: p.uuid().primary(),
    transformId: p.uuid(),
    triggeringTransformId: p.uuid().nullable(),
    orchestratorRunId: p.string().nullable(),
    artifactId: p.string().nullable(),
    /** Follows the kernel's run, for lists. */
    status: p.enum(RUN_STATUSES).default('pending'),
    reason: p.enum(RUN_REASONS).nullable(),
    /** Dataset ids. */
    movedInputs: p.array<string>().default([]),
    inputs: p.json<PinnedSnapshot[]>().default([]),
    /** It was asked for whether or not anything moved. */
    forced: p.boolean().default(false),
    /** A rebuild of the whole output was requested. */
    fullAsked: p.boolean().default(false),
    extent: p.enum(RUN_EXTENTS).nullable(),
    /** The dataset id at the time of the run. */
    output: p.string(),
    outputSnapshotId: p.bigint('string').nullable(),
    rowCount: p.bigint('string').nullable(),
    /** How they ended. */
    checks: p.json<CheckResultView[]>().default([]),
    createdAt: p.datetime(),
  },
});
export type TransformRunRow = InferEntity<typeof TransformRunEntity>;

type Sample = NonNullable<CheckReportView['sample']>;

/** A row of `transforms.check_sample`: rows that break a check of a run. */
export const CheckSampleEntity = defineEntity({
  name: 'TransformCheckSample',
  schema: 'transforms',
  tableName: 'check_sample',
  properties: {
    tenantId: p.uuid().primary(),
    runId: p.uuid().primary(),
    name: p.string().primary(),
    columns: p.json<Sample['columns']>(),
    rows: p.json<Sample['rows']>(),
  },
});

/** The rows that this plugin keeps. */
export const entities = [
  ...[TransformEntity, TransformVersionEntity, ArtifactEntity, HydrationEntity],
  ...[TransformRunEntity, CheckSampleEntity],
];
