import type { Kernel, TenantTransaction } from '@weir/kernel';
import { kernelProblems } from '@weir/kernel/contract';
import { type FileIO, referencedFiles } from '@weir/lakehouse';
import type { CallerTransaction, PinnedInput, TableRef } from '../contract.ts';
import type { TableScanner } from '../store/table-folders.ts';

/** A snapshot whose files an open run still reads. */
export interface HeldSnapshot {
  runId: string;
  snapshotId: string;
  metadataLocation: string;
}

export interface HoldDeps {
  scanner: TableScanner;
  catalogName: string;
  /** Set where a catalog keeps the metadata, and drops snapshots, by itself. */
  remote?: unknown;
}

/**
 * Keeps the files of pinned inputs while a run is open; a repeated call changes nothing. Throws `conflict` for a snapshot that
 * has expired since it was pinned.
 */
export async function holdInputs(
  deps: HoldDeps,
  tx: CallerTransaction,
  { runId, pins }: { runId: string; pins: readonly PinnedInput[] },
): Promise<void> {
  const rows = pins.flatMap((pin) => {
    const snapshotId = heldOf(pin);
    return snapshotId === null
      ? []
      : [{ ...pin.ref, snapshot_id: snapshotId, metadata_location: pin.metadataLocation }];
  });
  if (rows.length === 0) return;
  await tx.sql(
    `insert into datasets.input_hold (tenant_id, run_id, namespace, table_name, snapshot_id, metadata_location)
     select $1::uuid, $2::uuid, namespace, "table", snapshot_id, metadata_location
     from jsonb_to_recordset($3::jsonb)
       as pin (namespace text, "table" text, snapshot_id bigint, metadata_location text)
     on conflict do nothing`,
    [tx.tenant.tenantId, runId, JSON.stringify(rows)],
  );
  if (deps.remote === undefined) await assertKept(deps, tx, pins);
}

/** The files of a draft are of the run that staged them; those of its base are the table's. */
const heldOf = ({ snapshotId, draftBase }: PinnedInput): string | null =>
  draftBase === undefined ? snapshotId : draftBase;

/** An expiry moves the pointer and then looks for holds: with the pointers locked, it sees ours or we see what it dropped. */
async function assertKept(
  { scanner, catalogName }: HoldDeps,
  tx: CallerTransaction,
  pins: readonly PinnedInput[],
): Promise<void> {
  const refs = JSON.stringify(pins.map(({ ref }) => ref));
  const { rows } = await tx.sql(
    `select table_namespace || '.' || table_name as id, metadata_location from catalog.iceberg_tables
     where catalog_name = $1 and metadata_location is not null and (table_namespace, table_name) in
       (select namespace, "table" from jsonb_to_recordset($2::jsonb) as pin (namespace text, "table" text))
     order by table_namespace, table_name for share`,
    [catalogName, refs],
  );
  const places = new Map(rows.map(({ id, metadata_location: place }) => [String(id), String(place)]));
  for (const pin of pins) {
    const { datasetId, ref, metadataLocation } = pin;
    const snapshotId = heldOf(pin);
    const place = places.get(datasetId);
    if (snapshotId === null || place === undefined || place === metadataLocation) continue;
    const { snapshots } = await scanner.metadata(ref, place);
    if (!snapshots.some((one) => String(one['snapshot-id']) === snapshotId)) throw kernelProblems.conflict();
  }
}

export async function releaseInputs(tx: CallerTransaction, runId: string): Promise<void> {
  await tx.sql('delete from datasets.input_hold where tenant_id = $1 and run_id = $2', [tx.tenant.tenantId, runId]);
}

/** The snapshots of a table that runs hold which may still be open: maintenance leaves their metadata and files. */
export async function heldSnapshots(
  kernel: Pick<Kernel, 'runs'>,
  tx: TenantTransaction,
  { namespace, table }: TableRef,
): Promise<HeldSnapshot[]> {
  const { rows } = await tx.sql(
    `select distinct on (run_id, snapshot_id) run_id, snapshot_id::text as snapshot_id, metadata_location
     from datasets.input_hold where tenant_id = $1 and namespace = $2 and table_name = $3`,
    [tx.tenant.tenantId, namespace, table],
  );
  const ended = await endedRuns(kernel, tx, rows);
  return rows
    .filter(({ run_id: runId }) => !ended.has(String(runId)))
    .map((row) => ({
      runId: String(row.run_id),
      snapshotId: String(row.snapshot_id),
      metadataLocation: String(row.metadata_location),
    }));
}

/** Forgets what runs held that have ended without a release. */
export async function dropEndedHolds(kernel: Pick<Kernel, 'runs'>, tx: TenantTransaction): Promise<void> {
  const { tenantId } = tx.tenant;
  const { rows } = await tx.sql('select distinct run_id from datasets.input_hold where tenant_id = $1', [tenantId]);
  for (const runId of await endedRuns(kernel, tx, rows)) await releaseInputs(tx, runId);
}

async function endedRuns(
  { runs }: Pick<Kernel, 'runs'>,
  tx: TenantTransaction,
  rows: readonly Record<string, unknown>[],
): Promise<Set<string>> {
  const ids = [...new Set(rows.map(({ run_id: runId }) => String(runId)))];
  const found = ids.length === 0 ? [] : await runs.findMany(tx, ids);
  return new Set(found.filter(({ status }) => status !== 'pending' && status !== 'running').map(({ runId }) => runId));
}

/** Every file of held snapshots, in the one spelling of locations. Throws when one cannot be read. */
export async function heldFiles(
  { io, scanner }: { io: FileIO; scanner: TableScanner },
  ref: TableRef,
  held: readonly HeldSnapshot[],
): Promise<Set<string>> {
  const files = new Set<string>();
  for (const { snapshotId, metadataLocation } of held) {
    const metadata = await scanner.metadata(ref, metadataLocation);
    const snapshots = metadata.snapshots.filter((one) => String(one['snapshot-id']) === snapshotId);
    const alone = { ...metadata, snapshots, 'metadata-log': [] };
    for (const file of await referencedFiles(io, { metadata: alone, metadataLocation })) files.add(file);
  }
  return files;
}
