import type { Kernel, Tenant } from '@weir/kernel';
import {
  type Condition,
  createScanner,
  currentSchema,
  type FileIO,
  findSnapshot,
  type JdbcCatalog,
  LakehouseError,
  type LiveFile,
  parseCondition,
  type QueryPool,
  type Snapshot,
  type TableMetadata,
  type TableSchema,
} from '@weir/lakehouse';
import { type AuditsService, type NotCounted, quarantineOf, type TableRef } from '../contract.ts';
import { assertWritable } from '../dataset/dataset-id.ts';
import { type Folders, tableScanner } from '../store/table-folders.ts';
import { identOf } from '../store/table-store.ts';

export interface AuditDeps {
  folders: Folders;
  kernel: Kernel;
  catalog: JdbcCatalog;
  io: FileIO;
  pool: QueryPool;
}

/** The column of a quarantine table that names the run of a line. */
const RUN_OF_LINE = 'run_id';
/** The summary entry by which a snapshot names its run. */
const RUN_OF_SNAPSHOT = 'weir.run-id';
/** Failures of reading that tell of the table and not of this process. */
const DAMAGES: ReadonlySet<string> = new Set([
  ...['file_missing', 'metadata_invalid', 'avro_invalid', 'parquet_invalid', 'query_failed'],
  ...['file_outside_table', 'table_outside_tenant'],
]);

/** Counts what tables hold. Metadata and manifests are read anew by each call: what was read before is no evidence. */
export function auditsService(deps: AuditDeps): AuditsService {
  const { pool } = deps;
  return {
    async figures(tenant, ref, { runId, snapshotId, signal }) {
      assertWritable(tenant.scope, ref);
      return evident(async () => {
        const table = await openTable(deps, tenant, ref);
        if (table === undefined) return { outcome: 'table_missing' };
        const snapshot = findSnapshot(table.metadata, snapshotId);
        if (snapshot === undefined) return { outcome: 'snapshot_missing' };
        const { files, schema } = await table.at(snapshot);
        const figures = await pool.figures({ files, schema, table: table.metadata, runId, signal });
        return { outcome: 'counted', snapshotId: String(snapshot['snapshot-id']), figures };
      }, signal);
    },

    async rejectedLines(tenant, ref, { runId, signal }) {
      assertWritable(tenant.scope, ref);
      return evident(async () => {
        const table = await openTable(deps, tenant, quarantineOf(ref));
        if (table === undefined) return { outcome: 'table_missing' };
        const snapshot = table.metadata.snapshots
          .filter(({ summary }) => summary[RUN_OF_SNAPSHOT] === runId)
          .toSorted((a, b) => (a['sequence-number'] < b['sequence-number'] ? -1 : 1))
          .at(-1);
        const linesAt = async (at: Snapshot | undefined): Promise<number> => {
          if (at === undefined) return 0;
          const { files, schema } = await table.at(at);
          const where = [ofRun(schema, runId)];
          return (await pool.figures({ files, schema, table: table.metadata, where, signal })).rows;
        };
        const newest = findSnapshot(table.metadata);
        const lines = await linesAt(snapshot);
        const now = newest === snapshot ? lines : await linesAt(newest);
        const snapshotId = snapshot === undefined ? null : String(snapshot['snapshot-id']);
        return { outcome: 'counted', snapshotId, lines, now };
      }, signal);
    },
  };
}

interface AuditedTable {
  metadata: TableMetadata;
  /** The live files of a snapshot, and the schema that they were written with. */
  at(snapshot: Snapshot): Promise<{ files: LiveFile[]; schema: TableSchema }>;
}

async function openTable(
  { kernel, catalog, io, folders }: AuditDeps,
  tenant: Tenant,
  ref: TableRef,
): Promise<AuditedTable | undefined> {
  const location = await kernel.db(tenant).transaction((tx) => catalog.loadPointer(tx.sql, identOf(ref)));
  if (location === undefined) return undefined;
  const scanner = tableScanner({ scanner: createScanner({ io }), folders, log: kernel.log });
  const metadata = await scanner.metadata(ref, location);
  return {
    metadata,
    async at(snapshot) {
      const named = metadata.schemas.find((schema) => schema['schema-id'] === snapshot['schema-id']);
      const files = await scanner.files(metadata, snapshot['snapshot-id']);
      return { files, schema: named ?? currentSchema(metadata) };
    },
  };
}

function ofRun(schema: TableSchema, runId: string): Condition {
  const field = schema.fields.find(({ name }) => name === RUN_OF_LINE);
  const condition = field && parseCondition(field, 'eq', runId);
  if (typeof condition !== 'object') throw new LakehouseError('metadata_invalid', 'The table has no column of runs');
  return condition;
}

/** What the work finds; a table whose files are not as they must be is said to be so, unless nobody asks any more. */
async function evident<T>(
  work: () => Promise<T | NotCounted>,
  signal: AbortSignal | undefined,
): Promise<T | NotCounted> {
  try {
    return await work();
  } catch (error) {
    signal?.throwIfAborted();
    if (!(error instanceof LakehouseError)) throw error;
    if (error.code === 'snapshot_missing') return { outcome: 'snapshot_missing' };
    if (DAMAGES.has(error.code)) return { outcome: 'unreadable' };
    throw error;
  }
}
