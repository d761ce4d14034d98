import { type Input, kernelProblems, type Output } from '@weir/kernel/contract';
import {
  currentSchema,
  findSnapshot,
  isBelow,
  LakehouseError,
  type Snapshot,
  type TableMetadata,
  type TableSchema,
  toLocation,
} from '@weir/lakehouse';
import { type getDatasetSchema, type listSchemaVersions, schemaChanges, type TableRef } from '../contract.ts';
import { schemaFields } from '../dataset/schema-view.ts';
import type { TableScanner } from '../store/table-folders.ts';
import { pageOf } from './page-of.ts';

/** Earlier metadata files that one page may open to date schemas that no snapshot was written with. */
const MAX_LOG_READS = 16;

/**
 * The schema that a query asks for: of a snapshot, by its version, or the current one. `validation_failed` when it is
 * asked for in both ways, `not_found` for one that there is none of.
 */
export function askedSchema(
  metadata: TableMetadata,
  { snapshot_id: snapshotId, schema_id: schemaId }: Input<typeof getDatasetSchema>['query'],
): { schema: TableSchema; snapshotId: bigint | undefined } {
  if (snapshotId !== undefined && schemaId !== undefined) {
    throw kernelProblems.validationFailed({
      errors: [
        { pointer: '/query/schema_id', code: 'not_with_snapshot_id', message: 'cannot be given with a snapshot' },
      ],
    });
  }
  const snapshot = snapshotId === undefined ? undefined : findSnapshot(metadata, snapshotId);
  const id = schemaId ?? snapshot?.['schema-id'];
  const schema = id === undefined ? currentSchema(metadata) : metadata.schemas.find((one) => one['schema-id'] === id);
  if (schema === undefined) throw kernelProblems.notFound();
  return { schema, snapshotId: snapshot?.['snapshot-id'] };
}

/** A page of the versions of a table's schema, each with its changes to the version before. */
export async function schemaHistory(
  scanner: TableScanner,
  { ref, metadata }: { ref: TableRef; metadata: TableMetadata },
  query: Input<typeof listSchemaVersions>['query'],
): Promise<Output<typeof listSchemaVersions>> {
  const versions = metadata.schemas
    .toSorted((a, b) => a['schema-id'] - b['schema-id'])
    .map((schema, at, all) => ({ schema, before: all[at - 1] }));
  const list = `schema_id ${metadata['table-uuid']}`;
  const idOf = ({ schema }: (typeof versions)[number]) => String(schema['schema-id']);
  const { page, ...paging } = pageOf(versions, { asked: query, list, idOf });
  const since = dater(scanner, ref, metadata);
  const items: Output<typeof listSchemaVersions>['items'] = [];
  for (const { schema, before } of page) {
    const first = firstWrittenWith(metadata, schema);
    const fields = schemaFields(schema);
    items.push({
      schema_id: schema['schema-id'],
      is_current: schema['schema-id'] === metadata['current-schema-id'],
      since: await since(schema, first),
      first_snapshot_id: first === undefined ? null : String(first['snapshot-id']),
      fields_count: fields.length,
      changes: before === undefined ? [] : schemaChanges(schemaFields(before), fields),
    });
  }
  return { items, ...paging };
}

function firstWrittenWith({ snapshots }: TableMetadata, schema: TableSchema): Snapshot | undefined {
  const written = snapshots.filter((snapshot) => snapshot['schema-id'] === schema['schema-id']);
  return written.toSorted((a, b) => (a['sequence-number'] < b['sequence-number'] ? -1 : 1))[0];
}

/**
 * Finds out since when there is a schema. Metadata files only ever gain schemas, so the first one in the log that has it
 * is found by halving; that the oldest in the log has it says nothing, unless it is the table's first.
 */
function dater(scanner: TableScanner, ref: TableRef, metadata: TableMetadata) {
  const log = metadata['metadata-log'];
  let reads = 0;
  const read = async (at: number): Promise<TableMetadata | undefined> => {
    if (at === log.length) return metadata;
    reads += 1;
    const location = log[at]?.['metadata-file'] ?? '';
    // A table that was moved may name files of its time elsewhere: those are not its own any more.
    if (reads > MAX_LOG_READS || !isBelow(toLocation(metadata.location), location)) return undefined;
    return readOrNone(scanner, ref, location);
  };
  return async (schema: TableSchema, first: Snapshot | undefined): Promise<string | null> => {
    if (first !== undefined) return new Date(first['timestamp-ms']).toISOString();
    let [low, high] = [0, log.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const found = await read(middle);
      if (found === undefined) return null;
      if (found.schemas.some((one) => one['schema-id'] === schema['schema-id'])) high = middle;
      else low = middle + 1;
    }
    const found = await read(low);
    if (found === undefined || (low === 0 && found['metadata-log'].length > 0)) return null;
    return new Date(found['last-updated-ms']).toISOString();
  };
}

async function readOrNone(scanner: TableScanner, ref: TableRef, location: string): Promise<TableMetadata | undefined> {
  try {
    return await scanner.metadata(ref, location);
  } catch (error) {
    if (error instanceof LakehouseError) return undefined;
    throw error;
  }
}
