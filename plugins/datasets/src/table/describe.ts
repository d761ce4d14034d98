import type { Tenant } from '@weir/kernel';
import { currentSchema, findSnapshot, type TableMetadata, tableFiles } from '@weir/lakehouse';
import { MAX_LISTED_SNAPSHOTS, type TableDescription, type TableRef, type TableSnapshot } from '../contract.ts';
import { isWritable } from '../dataset/dataset-id.ts';
import { decimalDigits } from '../dataset/decimal-digits.ts';
import { mayRead, readableBy } from '../dataset/readable.ts';
import { producedTables } from '../producer/producers.ts';
import { rowsSnapshotOf } from '../store/rows-snapshot.ts';
import { identOf, loadTables, type TableDeps } from '../store/table-store.ts';

/** What holds of a table now; whatever is wrong with it is said by the answer, only an unreachable database throws. */
export async function describeTable(deps: TableDeps, tenant: Tenant, ref: TableRef): Promise<TableDescription> {
  const { kernel, catalog } = deps;
  const unknown = { exists: false, readable: false, ...UNKNOWN };
  if (!isWritable(tenant.scope, ref)) return { writable: false, ...unknown };
  const { location, allowed } = await kernel.db(tenant).transaction(async (tx) => ({
    location: await catalog.loadPointer(tx.sql, identOf(ref)),
    allowed: mayRead(readableBy(tenant.scope, await producedTables(tx, ref.namespace)), ref),
  }));
  if (location === undefined) return { writable: true, ...unknown };
  const state = await wholeState(deps, ref, location);
  const readable = allowed && state !== undefined;
  return { writable: true, exists: true, readable, ...(readable ? state : UNKNOWN) };
}

type State = Pick<TableDescription, 'snapshotId' | 'rowsSnapshotId' | 'partitionBy'>;
const UNKNOWN: State = { snapshotId: undefined, rowsSnapshotId: undefined, partitionBy: undefined };

/** The newest snapshots by the files that say so, as they lie there now; undefined when one of them does not. */
async function wholeState({ io, scanner }: TableDeps, ref: TableRef, location: string): Promise<State | undefined> {
  try {
    // The scanner remembers what it once read, so that the files are still there is asked beside it.
    if (!(await io.exists(location))) return undefined;
    const metadata = await scanner.metadata(ref, location);
    const snapshot = findSnapshot(metadata);
    const partitionBy = divisionOf(metadata);
    if (snapshot === undefined) return { ...UNKNOWN, partitionBy };
    const list = snapshot['manifest-list'];
    if (list !== undefined) tableFiles(io, metadata).assertInside(list);
    if (list !== undefined && !(await io.exists(list))) return undefined;
    const rowsSnapshotId = rowsSnapshotOf(metadata, snapshot) ?? undefined;
    return { snapshotId: String(snapshot['snapshot-id']), rowsSnapshotId, partitionBy };
  } catch {
    return undefined;
  }
}

/** How the rows of a table are divided, by the columns as they are called now. */
function divisionOf(metadata: TableMetadata): State['partitionBy'] {
  const names = new Map(currentSchema(metadata).fields.map(({ id, name }) => [id, name]));
  const spec = metadata['partition-specs'].find((one) => one['spec-id'] === metadata['default-spec-id']);
  const fields = spec?.fields.filter(({ transform }) => transform !== 'void') ?? [];
  return fields.map(({ 'source-id': id, transform }) => ({ column: names.get(id) ?? '', transform }));
}

/** The snapshots that the table's metadata keeps, newest first. */
export async function tableSnapshots(
  deps: TableDeps,
  tenant: Tenant,
  { ref, limit }: { ref: TableRef; limit: number },
): Promise<TableSnapshot[]> {
  const [table] = await loadTables(deps, tenant, [ref]);
  const kept = Math.min(Math.max(Math.trunc(limit), 1), MAX_LISTED_SNAPSHOTS);
  return newestFirst(table?.metadata.snapshots ?? [])
    .slice(0, kept)
    .map(snapshotView);
}

type Snapshots = TableMetadata['snapshots'];

function newestFirst(snapshots: Snapshots): Snapshots {
  return snapshots.toSorted((a, b) => (a['sequence-number'] > b['sequence-number'] ? -1 : 1));
}

function snapshotView({ summary, ...snapshot }: Snapshots[number]): TableSnapshot {
  return {
    snapshotId: String(snapshot['snapshot-id']),
    runId: summary['weir.run-id'],
    committedAt: new Date(snapshot['timestamp-ms']).toISOString(),
    operation: summary.operation ?? 'unknown',
    addedRecords: decimalDigits(summary['added-records']),
  };
}
