import { randomInt } from 'node:crypto';
import { commitMachine, drive } from '@weir/engine';
import type { Tenant } from '@weir/kernel';
import { kernelProblems } from '@weir/kernel/contract';
import { currentSchema, LakehouseError, type TableMetadata } from '@weir/lakehouse';
import { endOf, SEEDS } from '../commit/commit-end.ts';
import { replacedBy } from '../commit/find-commit.ts';
import { dataLocation } from '../commit/staged-files.ts';
import type { PreparedTable, PrepareOptions, TableHead, TableRef } from '../contract.ts';
import { type CurrentTable, loadTables, type TableDeps } from '../store/table-store.ts';
import { schemaEffects } from './schema-effects.ts';
import { wantedColumns } from './wanted-columns.ts';

/** Makes the table or evolves it until its current schema holds every column of the JSON schema; idempotent. */
export async function prepareTable(
  deps: TableDeps,
  tenant: Tenant,
  { ref, jsonSchema, columns: kind, ...options }: { ref: TableRef; jsonSchema: object } & PrepareOptions,
): Promise<PreparedTable> {
  const columns = wantedColumns(jsonSchema, kind);
  const schema = schemaEffects(deps, tenant, { ref, columns, ...options });
  const machine = commitMachine({
    tables: [{ commitId: 'schema', isIdle: false, base: undefined, follows: undefined }],
    isAtomic: true,
    storesCheckpointsApart: false,
    seed: randomInt(SEEDS),
  });
  const driver = drive(machine, schema.perform);
  driver.send({ type: 'start' });
  endOf((await driver.ended).result);
  return preparedView(deps, ref, schema.table());
}

/** The table as it stands now; `not_found` when there is none. */
export async function tableHead(deps: TableDeps, tenant: Tenant, ref: TableRef): Promise<TableHead> {
  const [found] = await loadTables(deps, tenant, [ref]);
  if (found === undefined) throw kernelProblems.notFound();
  return headOf(found);
}

function headOf({ metadata, metadataLocation }: CurrentTable): TableHead {
  const snapshotId = metadata['current-snapshot-id']?.toString() ?? null;
  return { metadataLocation, snapshotId, replacedBy: replacedBy(metadata) };
}

function preparedView({ store }: TableDeps, ref: TableRef, current: CurrentTable): PreparedTable {
  const { metadata } = current;
  return {
    ...headOf(current),
    ref,
    location: metadata.location,
    dataLocation: dataLocation(metadata),
    schema: currentSchema(metadata),
    spec: defaultSpec(metadata),
    tableUuid: metadata['table-uuid'],
    store,
  };
}

function defaultSpec(metadata: TableMetadata): object {
  const spec = metadata['partition-specs'].find((one) => one['spec-id'] === metadata['default-spec-id']);
  if (spec === undefined) throw new LakehouseError('metadata_invalid', 'A table names no partition spec');
  return spec;
}
