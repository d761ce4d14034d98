import { setTimeout as delay } from 'node:timers/promises';
import { faultpoint, type Tenant, type TenantTransaction } from '@weir/kernel';
import { type PreparedRewrite, prepareRewrite, type RewrittenBin } from '@weir/lakehouse';
import { deferWrites } from '../commit/deferred-writes.ts';
import { LostRace } from '../commit/outcome.ts';
import { outdatedBy, removeListed } from '../commit/outdated-metadata.ts';
import { checkStagedFiles, enterStaged, leaveStaged } from '../commit/staged-files.ts';
import { tellCommitted } from '../commit/tell-committed.ts';
import type { TableRef } from '../contract.ts';
import { type CurrentTable, identOf, loadTables, type TableDeps } from '../store/table-store.ts';
import { MAINTENANCE_RUN } from '../sweep/ledger.ts';

/** How long a rewrite waits for a moment at which no run has files staged for the table. */
const PATIENCE_MS = 60_000;
const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 2_000;

/** A rewrite that is written and not yet part of the table. */
export interface Rewrite {
  ref: TableRef;
  runId: string;
  leaseEpoch: number;
  /** Counts the commits of the run. */
  number: number;
  bins: readonly RewrittenBin[];
  readAt: bigint;
  signal: AbortSignal;
  /** Stores what belongs to the commit, in its transaction. */
  receipts(tx: TenantTransaction, snapshotId: bigint, dropped: readonly number[]): Promise<void>;
}

/** Bins that were published, by their places; `undefined` where no moment was free, or the table is gone. */
export type Published = { snapshotId: bigint; dropped: readonly number[] } | undefined;

/** Another run has files staged for the table: a commit of it may stand on the snapshot that is the newest now. */
class Busy extends Error {
  override readonly name = 'Busy';
}

/**
 * Publishes a rewrite at a moment at which no run has files staged for the table, so that no other commit loses to it. A run says
 * what it stages with the pointer locked: either this sees it, or it reads the pointer behind this.
 */
export async function publishRewrite(
  deps: TableDeps,
  tenant: Tenant,
  rewrite: Rewrite,
  patienceMs = PATIENCE_MS,
): Promise<Published> {
  const until = Date.now() + patienceMs;
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(MAX_PAUSE_MS, pause * 2)) {
    rewrite.signal.throwIfAborted();
    const [table] = await loadTables(deps, tenant, [rewrite.ref]);
    if (table === undefined) return undefined;
    if (!(await isBusy(deps, tenant, rewrite))) {
      const published = await publishOnce(deps, tenant, { rewrite, table });
      if (published !== 'again') return published;
    }
    if (Date.now() >= until) return undefined;
    await delay(pause, undefined, { signal: rewrite.signal });
  }
}

const isBusy = ({ kernel }: TableDeps, tenant: Tenant, rewrite: Rewrite): Promise<boolean> =>
  kernel.db(tenant).transaction((tx) => hasStaged({ kernel }, tx, rewrite));

/** Whether an open run has files staged for the table, or about to be. */
async function hasStaged(
  { kernel }: Pick<TableDeps, 'kernel'>,
  tx: TenantTransaction,
  { ref, runId }: Pick<Rewrite, 'ref' | 'runId'>,
): Promise<boolean> {
  const { rows } = await tx.sql(
    `select distinct run_id from datasets.staged_file
     where tenant_id = $1 and namespace = $2 and table_name = $3 and run_id <> all ($4::uuid[])`,
    [tx.tenant.tenantId, ref.namespace, ref.table, [runId, MAINTENANCE_RUN]],
  );
  const runs = await kernel.runs.findMany(
    tx,
    rows.map((row) => String(row.run_id)),
  );
  return runs.some(({ status }) => status === 'pending' || status === 'running');
}

interface Attempt {
  rewrite: Rewrite;
  table: CurrentTable;
}

async function publishOnce(deps: TableDeps, tenant: Tenant, { rewrite, table }: Attempt): Promise<Published | 'again'> {
  const { kernel, io, remote, scanner } = deps;
  const { ref, runId, bins, readAt } = rewrite;
  const db = kernel.db(tenant);
  await checkStagedFiles(
    io,
    table.metadata,
    bins.flatMap(({ files }) => [...files]),
  );
  const writes = deferWrites(io);
  const input = { io: writes.io, ...table, writeMetadata: remote === undefined };
  const summary = { 'weir.commit-id': `${runId}:maintenance:${rewrite.number}`, 'weir.mode': 'replace' };
  const prepared = await prepareRewrite({ ...input, bins, readAt, summary });
  const { snapshotId, dropped } = prepared;
  if (snapshotId === undefined) return undefined;
  const entries = writes.locations().map((location) => ({ ref, location, isFolder: false }));
  await db.transaction((tx) => enterStaged(tx, runId, entries));
  await faultpoint('M3');
  await writes.flush();
  try {
    if (remote === undefined) await moveOwn(deps, tenant, { rewrite, table, prepared, written: writes.locations() });
    else await moveRemote(deps, tenant, { rewrite, table, prepared, written: writes.locations() });
  } catch (error) {
    if (!(error instanceof LostRace || error instanceof Busy)) throw error;
    await removeListed(deps, tenant, writes.locations());
    return 'again';
  }
  const { newMetadataLocation: metadataLocation, metadata } = prepared;
  if (remote === undefined) scanner.remember(ref, { metadataLocation, metadata });
  await removeListed(deps, tenant, outdatedBy({ from: table, prepared }));
  return { snapshotId, dropped };
}

interface Move extends Attempt {
  prepared: PreparedRewrite;
  written: readonly string[];
}

/** In one transaction: the pointer, the news of it, the ledger and the receipts. */
async function moveOwn(deps: TableDeps, tenant: Tenant, { rewrite, table, prepared, written }: Move): Promise<void> {
  const { kernel, catalog } = deps;
  const { ref, runId, leaseEpoch, bins } = rewrite;
  const { newMetadataLocation: metadataLocation, metadata, snapshotId, dropped } = prepared;
  await kernel.db(tenant).transaction(async (tx) => {
    await kernel.runs.assertLease(tx, runId, leaseEpoch);
    if (!(await catalog.swapPointer(tx.sql, identOf(ref), table.metadataLocation, metadataLocation)))
      throw new LostRace();
    if (await hasStaged(deps, tx, rewrite)) throw new Busy();
    await tellCommitted(deps, tx, { ref, metadata, metadataLocation, by: { runId, streamId: null } });
    await faultpoint('M4');
    const kept = bins
      .filter((_, at) => !dropped.includes(at))
      .flatMap(({ files }) => files.map((file) => file.location));
    await leaveStaged(tx, [...written, ...kept]);
    const outdated = outdatedBy({ from: table, prepared });
    await enterStaged(
      tx,
      runId,
      outdated.map((location) => ({ ref, location, isFolder: false })),
    );
    await rewrite.receipts(tx, snapshotId ?? 0n, dropped);
  });
  await faultpoint('M5');
}

/** Commits to the catalog that has the pointers. The receipts follow; a crash between loses only them. */
async function moveRemote(deps: TableDeps, tenant: Tenant, { rewrite, prepared, written }: Move): Promise<void> {
  const { kernel, remote } = deps;
  const { ref, runId, leaseEpoch, bins } = rewrite;
  const { requirements, updates, snapshotId, dropped } = prepared;
  await kernel.db(tenant).transaction((tx) => kernel.runs.assertLease(tx, runId, leaseEpoch));
  const outcome = await remote?.commitTable(identOf(ref), { requirements, updates });
  const [table] = await loadTables(deps, tenant, [ref]);
  const isThere = table?.metadata.snapshots.some((one) => one['snapshot-id'] === snapshotId) === true;
  if (table === undefined || !isThere) {
    // An unknown outcome may yet arrive: what was written for it is left for the sweep, which asks the table.
    if (outcome === 'unknown') throw new Error('the catalog did not say whether it took a rewrite');
    throw new LostRace();
  }
  await kernel.db(tenant).transaction(async (tx) => {
    await tellCommitted(deps, tx, { ...table, ref, by: { runId, streamId: null } });
    const kept = bins
      .filter((_, at) => !dropped.includes(at))
      .flatMap(({ files }) => files.map((file) => file.location));
    await leaveStaged(tx, [...written, ...kept]);
    await rewrite.receipts(tx, snapshotId ?? 0n, dropped);
  });
}
