import { randomBytes } from 'node:crypto';
import type { Tenant } from '@weir/kernel';
import {
  type Column,
  createTable,
  currentSchema,
  evolveSchema,
  jsonSchemaToColumns,
  LakehouseError,
  prepareAppend,
  type TableMetadata,
  withMetaColumns,
} from '@weir/lakehouse';
import { datasetProblems } from '../contract/problems.ts';
import type { PreparedTable, TableOwner, TableRef } from '../contract/tables.ts';
import { assertWritable } from '../table-ref.ts';
import { identOf, type TableStore } from './store.ts';

const MAX_TRIES = 5;
const SUFFIX_BYTES = 4;

/**
 * Makes the table, or evolves its schema additively, so that it holds every column of the JSON schema. Two callers at
 * once end with one table: who loses the race reads what the winner made.
 */
export async function prepareTable(
  store: TableStore,
  tenant: TableOwner,
  ref: TableRef,
  jsonSchema: object,
): Promise<PreparedTable> {
  assertWritable(tenant, ref);
  const columns = withMetaColumns(jsonSchemaToColumns(jsonSchema));
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const made = await tryPrepare(store, tenant, ref, columns);
    if (made !== undefined) return made;
  }
  throw datasetProblems.commitConflict({ values: { attempts: MAX_TRIES } });
}

async function tryPrepare(
  store: TableStore,
  tenant: Tenant,
  ref: TableRef,
  columns: readonly Column[],
): Promise<PreparedTable | undefined> {
  const { db, catalog, scanner } = store;
  const pointer = await db(tenant).transaction((tx) => catalog.loadPointer(tx.sql, identOf(ref)));
  if (pointer === undefined) return create(store, tenant, ref, columns);
  const metadata = await scanner.metadata(pointer);
  const { schema, changed } = evolve(metadata, columns);
  if (!changed) return prepared(ref, metadata, schema);
  const next = await prepareAppend({ io: store.io, metadata, metadataLocation: pointer, files: [], schema });
  const swapped = await db(tenant).transaction((tx) =>
    catalog.swapPointer(tx.sql, identOf(ref), pointer, next.newMetadataLocation),
  );
  if (swapped) return prepared(ref, next.metadata, schema);
  await Promise.all(next.written.map((location) => store.io.remove(location)));
  return undefined;
}

async function create(
  { db, catalog, io, locationOf }: TableStore,
  tenant: Tenant,
  ref: TableRef,
  columns: readonly Column[],
): Promise<PreparedTable | undefined> {
  const location = locationOf(ref, randomBytes(SUFFIX_BYTES).toString('hex'));
  const { metadata, metadataLocation } = await createTable({ io, location, columns });
  try {
    await db(tenant).transaction(async (tx) => {
      await catalog.ensureNamespace(tx.sql, ref.namespace);
      await catalog.insertTable(tx.sql, identOf(ref), metadataLocation);
    });
  } catch (error) {
    if (!(error instanceof LakehouseError && error.code === 'table_exists')) throw error;
    await io.remove(metadataLocation);
    return undefined;
  }
  return prepared(ref, metadata, currentSchema(metadata));
}

function evolve(metadata: TableMetadata, columns: readonly Column[]): ReturnType<typeof evolveSchema> {
  try {
    return evolveSchema(currentSchema(metadata), columns, metadata['last-column-id']);
  } catch (error) {
    if (!(error instanceof LakehouseError)) throw error;
    const values = { count: Math.max(1, error.columns.length) };
    throw datasetProblems.schemaIncompatible({ values, members: { columns: error.columns }, cause: error });
  }
}

function prepared(ref: TableRef, metadata: TableMetadata, schema: object): PreparedTable {
  const { location } = metadata;
  return { ref, location, dataLocation: `${location}/data`, schema, tableUuid: metadata['table-uuid'] };
}
