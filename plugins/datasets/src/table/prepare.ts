import type { Tenant } from '@weir/kernel';
import { kernelProblems } from '@weir/kernel/contract';
import {
  currentSchema,
  evolveSchema,
  jsonSchemaToColumns,
  LakehouseError,
  prepareAppend,
  type TableMetadata,
  withMetaColumns,
} from '@weir/lakehouse';
import {
  datasetProblems,
  type PreparedTable,
  type PrepareOptions,
  type TableHead,
  type TableRef,
} from '../contract.ts';
import { LostRace, retryCommit } from './retry.ts';
import { dataLocation } from './staged-files.ts';
import { type CurrentTable, identOf, loadTables, makeTable, type TableDeps } from './table-store.ts';

/** Makes the table or evolves it until its current schema holds every column of the JSON schema; idempotent. */
export async function prepareTable(
  deps: TableDeps,
  tenant: Tenant,
  { ref, jsonSchema, policy }: { ref: TableRef; jsonSchema: object } & PrepareOptions,
): Promise<PreparedTable> {
  const columns = withMetaColumns(jsonSchemaToColumns(jsonSchema));
  return retryCommit(async () => {
    const [found] = await loadTables(deps, tenant, [ref]);
    const current = found ?? (await makeTable(deps, tenant, { ref, columns }));
    if (current === undefined) throw new LostRace();
    const { metadata } = current;
    const { schema, changed } = evolveSchema(currentSchema(metadata), columns, metadata['last-column-id']);
    if (!changed) return preparedView(deps, ref, current);
    if (policy === 'freeze') throw frozen(currentSchema(metadata), schema);
    return preparedView(deps, ref, await evolve(deps, tenant, { ref, current, schema }));
  });
}

/** The table as it stands now; `not_found` when there is none. */
export async function tableHead(deps: TableDeps, tenant: Tenant, ref: TableRef): Promise<TableHead> {
  const [found] = await loadTables(deps, tenant, [ref]);
  if (found === undefined) throw kernelProblems.notFound();
  return headOf(found);
}

function headOf({ metadata, metadataLocation }: CurrentTable): TableHead {
  return { metadataLocation, snapshotId: metadata['current-snapshot-id']?.toString() ?? null };
}

type Schema = ReturnType<typeof currentSchema>;

/** Names the fields by which the wanted schema differs from the one that may not change. */
function frozen(has: Schema, wants: Schema) {
  const known = new Map(has.fields.map((field) => [field.id, field]));
  const columns = wants.fields.filter((field) => known.get(field.id) !== field).map((field) => field.name);
  return datasetProblems.schemaFrozen({ values: { count: columns.length }, members: { columns } });
}

async function evolve(
  { kernel, catalog, io }: TableDeps,
  tenant: Tenant,
  { ref, current, schema }: { ref: TableRef; current: CurrentTable; schema: ReturnType<typeof currentSchema> },
): Promise<CurrentTable> {
  const { metadata, metadataLocation } = current;
  const next = await prepareAppend({ io, metadata, metadataLocation, files: [], schema });
  const moved = await kernel
    .db(tenant)
    .transaction((tx) => catalog.swapPointer(tx.sql, identOf(ref), metadataLocation, next.newMetadataLocation));
  if (!moved) {
    await Promise.all(next.written.map((location) => io.remove(location)));
    throw new LostRace();
  }
  return { metadata: next.metadata, metadataLocation: next.newMetadataLocation };
}

function preparedView({ warehouse }: TableDeps, ref: TableRef, current: CurrentTable): PreparedTable {
  const { metadata } = current;
  return {
    ...headOf(current),
    ref,
    location: metadata.location,
    dataLocation: dataLocation(metadata),
    schema: currentSchema(metadata),
    spec: defaultSpec(metadata),
    tableUuid: metadata['table-uuid'],
    store: { warehouse },
  };
}

function defaultSpec(metadata: TableMetadata): object {
  const spec = metadata['partition-specs'].find((one) => one['spec-id'] === metadata['default-spec-id']);
  if (spec === undefined) throw new LakehouseError('metadata_invalid', 'A table names no partition spec');
  return spec;
}
