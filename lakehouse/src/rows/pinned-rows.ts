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
};

/** The rows of a snapshot with these live files, under a schema of the table. */
export function pinnedRows(
  metadata: TableMetadata,
  { files, schema }: { files: readonly LiveFile[]; schema: TableSchema },
): PinnedRows {
  const { schemas, properties, location, 'current-schema-id': id } = metadata;
  const live = files.filter(({ recordCount }) => recordCount > 0n);
  const table = { schemas, properties, location, 'current-schema-id': id };
  return { files: plannedFiles(readingOrder(live)), schema, table };
}
