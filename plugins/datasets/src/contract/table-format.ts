import { Type } from '@sinclair/typebox';
import { endpoint, listQuery, Nullable, Page, Timestamp } from '@weir/kernel/contract';
import { DatasetSnapshotTwin, NumericSnapshotId, newestFirstQuery, read, readErrors, SnapshotId } from './datasets.ts';
import { datasetProblems } from './problems.ts';

/** A table as the deprecated list shows it: the newest snapshot as a number, and its exact twin. */
export const LegacyTable = Type.Object({
  table: Type.String({ description: 'The dotted dataset id' }),
  namespace: Type.String(),
  name: Type.String(),
  updated_at: Nullable(Timestamp),
  latest_snapshot_id: NumericSnapshotId({ nullable: true }),
  latest_snapshot_id_exact: Nullable(SnapshotId),
});

/** The day on which the specification deprecated these routes. */
const DEPRECATED_SINCE = '2026-11-21';

export const listLegacyTables = endpoint({
  id: 'datasets.list_legacy_tables',
  method: 'GET',
  path: '/table-format/tables',
  summary: 'List the tables that the tenant may read; use /datasets',
  access: read,
  query: listQuery(['table'], {
    namespace: Type.Optional(Type.String({ maxLength: 255, description: 'Only this <layer>.<scope>' })),
  }),
  response: Page(LegacyTable),
  deprecated: { since: DEPRECATED_SINCE, successor: '/datasets' },
});

export const listLegacySnapshots = endpoint({
  id: 'datasets.list_legacy_snapshots',
  method: 'GET',
  path: '/table-format/snapshots/:table',
  summary: 'List the snapshots of a table; use /datasets/{dataset_id}/snapshots',
  access: read,
  params: Type.Object({ table: Type.String({ description: '<layer>.<scope>.<table>' }) }),
  query: newestFirstQuery('sequence_number'),
  response: Page(DatasetSnapshotTwin),
  errors: [...readErrors, datasetProblems.datasetUnreadable],
  deprecated: { since: DEPRECATED_SINCE, successor: '/datasets/:table/snapshots' },
});
