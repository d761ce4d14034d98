import type { LiveFile } from '../manifest/live-file.ts';
import type { TableMetadata } from '../metadata/metadata.ts';
import { type PlannedFile, plannedFiles, readingOrder } from '../scan/plan-read.ts';
import type { TableSchema } from '../schema/types.ts';
import type { TableFacts } from './row-source.ts';

/** The rows of one snapshot, for a process that reads them: structured clones of it are as good. */
export type PinnedRows = {
  readonly files: readonly PlannedFile[];
  readonly schema: TableSchema;
  readonly table: TableFacts;
  /** Columns whose values divide the table; a filter on one of them leaves files unread. */
  readonly partitions?: readonly string[];
};

/** The rows of a snapshot with these live files, under a schema of the table. */
export function pinnedRows(
  metadata: TableMetadata,
  { files, schema }: { files: readonly LiveFile[]; schema: TableSchema },
): PinnedRows {
  const { schemas, properties, location, 'current-schema-id': id, 'default-spec-id': specId } = metadata;
  const live = files.filter(({ recordCount }) => recordCount > 0n);
  const table = { schemas, properties, location, 'current-schema-id': id };
  const spec = metadata['partition-specs'].find((one) => one['spec-id'] === specId);
  const divided = new Set(spec?.fields.map((field) => field['source-id']));
  const partitions = schema.fields.filter((field) => divided.has(field.id)).map(({ name }) => name);
  return { files: plannedFiles(readingOrder(live)), schema, table, partitions };
}
