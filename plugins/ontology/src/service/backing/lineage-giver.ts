import type { Kernel } from '@weir/kernel';
import type { JobRun, LineageColumnView, LineageGiver } from '@weir/plugin-lineage/contract';
import { BackingDatasetEntity, type BackingDatasetRow } from '../../model/rows.ts';
import { lastRuns } from './rows.ts';

/** Backing datasets, which fill entity types from tables, as lineage knows them. */
export function lineageOfBacking({ db }: Pick<Kernel, 'db'>): LineageGiver {
  return {
    kind: 'backing_dataset',
    jobs: (tenant) =>
      db(tenant).transaction(async (tx) => {
        const rows = await tx.find(BackingDatasetEntity, {});
        return rows.map(({ backingDatasetId: id, name, datasetId, entityTypeCode: fills }) => {
          return { id, name, reads: [datasetId], writes: [], fills };
        });
      }),
    columns: (tenant, ids) =>
      db(tenant).transaction(async (tx) => {
        const rows = await tx.find(BackingDatasetEntity, { backingDatasetId: { $in: [...ids] } });
        return new Map(rows.map((row) => [row.backingDatasetId, columnsOf(row)]));
      }),
    runs: (tenant, ids) =>
      db(tenant).transaction(async (tx) => {
        const rows = await tx.find(BackingDatasetEntity, { backingDatasetId: { $in: [...ids] } });
        const last = await lastRuns(tx, ids);
        return new Map(
          rows.map((row): [string, JobRun] => {
            const { backingDatasetId: id, datasetId, appliedSnapshotId, appliedRunId, pendingReason } = row;
            const runId = appliedRunId ?? undefined;
            const read = new Map(runId === undefined ? [] : [[datasetId, appliedSnapshotId ?? null]]);
            const isChanged = runId !== undefined && pendingReason !== null && pendingReason !== 'new_snapshot';
            return [id, { last: last.get(id), read, runId, wrote: undefined, isChanged }];
          }),
        );
      }),
  };
}

/** A column by name says where a property comes from; an expression may read any. */
function columnsOf({ datasetId, spec }: BackingDatasetRow): LineageColumnView[] {
  const of = (column: string) => ({ dataset_id: datasetId, column });
  const { primary_key_mapping: keys, property_mappings: properties, row_filter: filter } = spec;
  const influences = keys.map(({ column }) => of(column));
  const column = (property: string, from: string | undefined): LineageColumnView => {
    const sources = from === undefined ? [] : [of(from)];
    return { column: property, sources, influences, complete: from !== undefined && filter === null };
  };
  const mapped = new Set(properties.map(({ property }) => property));
  return [
    ...keys.filter(({ property }) => !mapped.has(property)).map((one) => column(one.property, one.column)),
    ...properties.map((one) => column(one.property, one.column)),
  ];
}
