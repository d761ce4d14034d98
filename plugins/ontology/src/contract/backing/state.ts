import { type Static, Type } from '@sinclair/typebox';
import {
  endpoint,
  Id,
  kernelProblems,
  listQuery,
  Nullable,
  OneOf,
  Page,
  Readiness,
  Timestamp,
} from '@weir/kernel/contract';
import { NumericSnapshotId } from '@weir/plugin-datasets/contract';
import { listOntology, readOntology } from '../access.ts';
import { ontologyOff } from '../entity-types.ts';
import { ontologyProblems } from '../problems.ts';
import { backingParams } from './backing-datasets.ts';
import { PENDING_REASONS } from './sync-words.ts';

const Exact = Nullable(Type.String({ description: '64-bit snapshot id, all digits' }));

const PendingSync = Type.Object({
  backing_dataset_id: Id,
  tenant: Type.String({ description: 'Alias of the tenant that has it' }),
  name: Type.String(),
  reason: OneOf(PENDING_REASONS),
  sync: OneOf(['on_snapshot', 'manual']),
  snapshot_id: NumericSnapshotId({ nullable: true }),
  snapshot_id_exact: Exact,
  applied_snapshot_id: NumericSnapshotId({ nullable: true }),
  applied_snapshot_id_exact: Exact,
  since: Timestamp,
});
export type PendingSyncView = Static<typeof PendingSync>;

/** `GET /backing-datasets/pending-syncs` */
export const listPendingSyncs = endpoint({
  id: 'ontology.list_pending_syncs',
  method: 'GET',
  path: '/backing-datasets/pending-syncs',
  summary: 'List the backing datasets whose entities are not those of the table, longest first',
  access: listOntology,
  query: listQuery(['since'], {}),
  response: Page(PendingSync),
  errors: [kernelProblems.invalidPageToken, ontologyOff],
  cli: {
    words: 'ontology backing-datasets pending',
    columns: ['backing_dataset_id', 'name', 'reason', 'snapshot_id_exact', 'applied_snapshot_id_exact', 'since as age'],
  },
});

export const HEALTH_CHECKS = [
  ...(['binding', 'table', 'columns', 'type_version', 'key_mapped', 'relationships'] as const),
  ...(['store_reachable', 'last_run', 'lag_snapshots', 'drift'] as const),
] as const;

const HealthCheck = Type.Object({
  check: OneOf(HEALTH_CHECKS),
  status: OneOf(['pass', 'warning', 'fail']),
  detail: Type.String(),
  hint: Nullable(Type.String()),
});
export type BackingCheckView = Static<typeof HealthCheck>;

/** `GET /backing-datasets/{backing_dataset_id}/health` */
export const getBackingHealth = endpoint({
  id: 'ontology.get_backing_dataset_health',
  method: 'GET',
  path: '/backing-datasets/:backing_dataset_id/health',
  summary:
    'Check what a sync of a backing dataset needs, how the last one ended, and whether entities are as it left them',
  access: readOntology,
  params: backingParams,
  response: Type.Object({ checks: Type.Array(HealthCheck) }),
  errors: [kernelProblems.notFound, ontologyProblems.bindingMissing, ontologyOff],
  cli: { words: 'ontology backing-datasets health', columns: ['check', 'status', 'detail'] },
});

/** What readiness calls a backing dataset, and runs their subject. */
export const BACKING_SUBJECT = 'backing-dataset';

/** `GET /backing-datasets/{backing_dataset_id}/readiness` (ours) */
export const getBackingReadiness = endpoint({
  id: 'ontology.get_backing_dataset_readiness',
  method: 'GET',
  path: '/backing-datasets/:backing_dataset_id/readiness',
  summary: 'Check whether a backing dataset is ready to sync, and what blocks it',
  access: readOntology,
  params: backingParams,
  response: Readiness,
  errors: [kernelProblems.notFound, ontologyOff],
  cli: 'ontology backing-datasets readiness',
});
