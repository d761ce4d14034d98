import type { Tenant } from '@weir/kernel';
import { currentSchema, evolveSchema, jsonSchemaToColumns, prepareAppend, withMetaColumns } from '@weir/lakehouse';
import type { PreparedTable, TableRef } from '../contract.ts';
import { LostRace, retryCommit } from './retry.ts';
import { dataLocation } from './staged-files.ts';
import { type CurrentTable, identOf, loadTables, makeTable, type TableDeps } from './table-store.ts';

/** Makes the table or evolves it until its current schema holds every column of the JSON schema; idempotent. */
export async function prepareTable(
  deps: TableDeps,
  tenant: Tenant,
  { ref, jsonSchema }: { ref: TableRef; jsonSchema: object },
): Promise<PreparedTable> {
  const columns = withMetaColumns(jsonSchemaToColumns(jsonSchema));
  return retryCommit(async () => {
    const [found] = await loadTables(deps, tenant, [ref]);
    const current = found ?? (await makeTable(deps, tenant, { ref, columns }));
    if (current === undefined) throw new LostRace();
    const { metadata } = current;
    const { schema, changed } = evolveSchema(currentSchema(metadata), columns, metadata['last-column-id']);
    if (!changed) return preparedView(ref, current);
    return preparedView(ref, await evolve(deps, tenant, { ref, current, schema }));
  });
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

function preparedView(ref: TableRef, { metadata }: CurrentTable): PreparedTable {
  return {
    ref,
    location: metadata.location,
    dataLocation: dataLocation(metadata),
    schema: currentSchema(metadata),
    tableUuid: metadata['table-uuid'],
  };
}
