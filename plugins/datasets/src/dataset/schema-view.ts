import type { Output } from '@weir/kernel/contract';
import { type Field, innerFields, type TableMetadata, type TableSchema } from '@weir/lakehouse';
import type { FieldOfSchema, getDatasetSchema, TableRef } from '../contract.ts';
import { datasetId } from './dataset-id.ts';
import { typeText } from './type-text.ts';

/** The fields of a schema as one list, what is nested in a field behind it. The element of a list is a field too. */
export function schemaFields(schema: TableSchema): FieldOfSchema[] {
  const found: FieldOfSchema[] = [];
  const visit = ({ id, name, type, required }: Field, parent: number | null): void => {
    found.push({ id, parent_id: parent, name, type: typeText(type), required });
    for (const inner of innerFields(type)) visit(inner, id);
  };
  for (const field of schema.fields) visit(field, null);
  return found;
}

/** One schema of a table. */
export function schemaView(
  ref: TableRef,
  metadata: TableMetadata,
  { schema, snapshotId }: { schema: TableSchema; snapshotId: bigint | undefined },
): Output<typeof getDatasetSchema> {
  return {
    dataset_id: datasetId(ref),
    schema_id: schema['schema-id'],
    is_current: schema['schema-id'] === metadata['current-schema-id'],
    snapshot_id: snapshotId === undefined ? null : String(snapshotId),
    fields: schemaFields(schema),
  };
}
