import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import type { BackingSpecView } from '../contract/backing/document.ts';
import { TYPE_STATUSES, type VersionDocumentView } from '../contract/documents.ts';
import { type TypeChangeView, VERDICTS } from '../contract/type-versions.ts';
import {
  PENDING_REASONS,
  REPLAY_REASONS,
  SYNC_MODES,
  SYNC_STARTS,
  type SyncCounts,
  type SyncLineage,
} from './sync/words.ts';
import type { TypeLabels } from './type/document.ts';

/** A relationship of the newest version, as lists show it. */
export interface ShortRelationship {
  code: string;
  target_type: string;
  cardinality: 'one' | 'many';
}

/** A row of `ontology.entity_type`: an entity type with what lists show of its newest version. */
export const EntityTypeEntity = defineEntity({
  name: 'EntityType',
  schema: 'ontology',
  tableName: 'entity_type',
  properties: {
    tenantId: p.uuid().primary(),
    code: p.text().primary(),
    name: p.text(),
    description: p.text().nullable(),
    icon: p.text().nullable(),
    status: p.enum(TYPE_STATUSES),
    version: p.integer(),
    fingerprint: p.text(),
    labels: p.json<TypeLabels>(),
    propertiesCount: p.integer(),
    relationships: p.json<ShortRelationship[]>(),
    createdBy: p.text(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
    etag: p.integer(),
  },
});
export type EntityTypeRow = InferEntity<typeof EntityTypeEntity>;

/** A row of `ontology.entity_type_version`, which is only ever added. */
export const TypeVersionEntity = defineEntity({
  name: 'EntityTypeVersion',
  schema: 'ontology',
  tableName: 'entity_type_version',
  properties: {
    tenantId: p.uuid().primary(),
    code: p.text().primary(),
    version: p.integer().primary(),
    fingerprint: p.text(),
    document: p.json<VersionDocumentView>(),
    verdict: p.enum(VERDICTS).nullable(),
    changes: p.json<TypeChangeView[]>(),
    note: p.text().nullable(),
    createdBy: p.text(),
    createdAt: p.datetime(),
  },
});
export type TypeVersionRow = InferEntity<typeof TypeVersionEntity>;

/** A row of `ontology.backing_dataset`: which table fills which entity type, and what is applied of it. */
export const BackingDatasetEntity = defineEntity({
  name: 'BackingDataset',
  schema: 'ontology',
  tableName: 'backing_dataset',
  properties: {
    tenantId: p.uuid().primary(),
    backingDatasetId: p.uuid().primary(),
    name: p.text(),
    datasetId: p.text(),
    entityTypeCode: p.text(),
    entityTypeVersion: p.integer(),
    spec: p.json<BackingSpecView>(),
    maxRejectedRows: p.integer(),
    sync: p.enum(SYNC_STARTS),
    pendingSince: p.datetime().nullable(),
    pendingSnapshotId: p.decimal('string').nullable(),
    pendingReason: p.enum(PENDING_REASONS).nullable(),
    createdBy: p.text(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
    etag: p.integer(),
    appliedSyncSpecFingerprint: p.text().nullable(),
    appliedSnapshotId: p.decimal('string').nullable(),
    appliedRunId: p.uuid().nullable(),
    appliedAt: p.datetime().nullable(),
    /** A run that sent a chunk and has not succeeded: what is stored is neither what was applied nor what it attempted. */
    dirtyRunId: p.uuid().nullable(),
  },
});
export type BackingDatasetRow = InferEntity<typeof BackingDatasetEntity>;

/** A row of `ontology.sync_run`: what a run of a backing dataset attempted, did and left applied. */
export const SyncRunEntity = defineEntity({
  name: 'SyncRun',
  schema: 'ontology',
  tableName: 'sync_run',
  properties: {
    tenantId: p.uuid().primary(),
    runId: p.uuid().primary(),
    backingDatasetId: p.uuid(),
    contract: p.integer(),
    force: p.boolean(),
    /** The specification as the run found it when it started; a later change waits for the next run. */
    spec: p.json<BackingSpecView>(),
    mode: p.enum(SYNC_MODES).nullable(),
    snapshotId: p.decimal('string').nullable(),
    previousSnapshotId: p.decimal('string').nullable(),
    /** The snapshot that was pending before the run pinned its own, which covers it. */
    pendingSnapshotId: p.decimal('string').nullable(),
    counts: p.json<SyncCounts>(),
    lineage: p.json<SyncLineage>().nullable(),
    createdAt: p.datetime(),
    attemptedSyncSpecFingerprint: p.text().nullable(),
    /** What is applied after the run: of one that did not succeed, what was before. */
    appliedSyncSpecFingerprint: p.text().nullable(),
    effectiveSpecChanged: p.boolean().nullable(),
    replayReason: p.enum(REPLAY_REASONS).nullable(),
  },
});
export type SyncRunRow = InferEntity<typeof SyncRunEntity>;
