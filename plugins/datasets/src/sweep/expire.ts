import { faultpoint, type Tenant, type TenantTransaction } from '@weir/kernel';
import {
  expirableSnapshots,
  type LoadedTable,
  type PreparedCommit,
  prepareExpire,
  referencedFiles,
  type Snapshot,
  toLocation,
} from '@weir/lakehouse';
import { type DeferredWrites, deferWrites } from '../commit/deferred-writes.ts';
import { removeListed } from '../commit/outdated-metadata.ts';
import { enterStaged, leaveStaged } from '../commit/staged-files.ts';
import type { TableRef } from '../contract.ts';
import { noteHealth } from '../store/table-health.ts';
import { identOf, type TableDeps } from '../store/table-store.ts';
import { heldFiles, heldSnapshots } from './holds.ts';
import { MAINTENANCE_RUN } from './ledger.ts';
import { markedSnapshots } from './marks.ts';

const MS_PER_HOUR = 3_600_000;

/** When snapshots expire. */
export interface ExpiryRule {
  /** Hours for which every snapshot is kept; 0: none expires. */
  maxAgeHours: number;
  /** Newest snapshots of a table that are kept whatever their age. */
  minKept: number;
}

export interface ExpiryDeps extends TableDeps {
  expiry: ExpiryRule;
  /** Milliseconds since 1970; the clock unless a test says. */
  now?: () => number;
}

const nowOf = ({ now = Date.now }: ExpiryDeps): number => now();

interface Expiry {
  ref: TableRef;
  from: LoadedTable;
  expired: readonly Snapshot[];
  prepared: PreparedCommit;
  writes: DeferredWrites;
  /** Files that nothing needs any more once the commit stands. */
  files: readonly string[];
}

/**
 * Drops the old snapshots of a table in one commit, and answers how many. A table that another commit moves meanwhile is left for
 * the next time. A catalog that keeps the metadata itself does this by its own settings.
 */
export async function expireTable(deps: ExpiryDeps, tenant: Tenant, ref: TableRef): Promise<number> {
  if (deps.remote !== undefined || deps.expiry.maxAgeHours === 0) return 0;
  const { kernel, io, scanner } = deps;
  const draft = await draftExpiry(deps, tenant, ref);
  if (draft === undefined) return 0;
  const { prepared, writes, files, expired } = draft;
  const db = kernel.db(tenant);
  const places = (locations: readonly string[]) => locations.map((location) => ({ ref, location, isFolder: false }));
  await db.transaction((tx) => enterStaged(tx, MAINTENANCE_RUN, places(writes.locations())));
  await writes.flush();
  const stands = await db.transaction(async (tx) => {
    if (!(await move(deps, tx, draft))) return false;
    const { newMetadataLocation: metadataLocation, metadata } = prepared;
    await noteHealth(tx, ref, { metadata, metadataLocation });
    await faultpoint('M4');
    await leaveStaged(tx, writes.locations());
    await enterStaged(tx, MAINTENANCE_RUN, places(files));
    return true;
  });
  if (stands) {
    scanner.remember(ref, { metadataLocation: prepared.newMetadataLocation, metadata: prepared.metadata });
  }
  await faultpoint('M5');
  await removeListed({ io, kernel }, tenant, stands ? files : writes.locations());
  return stands ? expired.length : 0;
}

/** Moves the pointer, unless one of the snapshots came to be needed since. */
async function move(deps: ExpiryDeps, tx: TenantTransaction, draft: Expiry): Promise<boolean> {
  const { catalog } = deps;
  const { ref, from, expired, prepared } = draft;
  const moved = await catalog.swapPointer(tx.sql, identOf(ref), from.metadataLocation, prepared.newMetadataLocation);
  if (!moved) return false;
  const held = await heldSnapshots(deps.kernel, tx, ref);
  const needed = new Set([
    ...held.map(({ snapshotId }) => snapshotId),
    ...(await markedSnapshots(tx, ref, nowOf(deps))),
  ]);
  if (!expired.some((one) => needed.has(String(one['snapshot-id'])))) return true;
  await catalog.swapPointer(tx.sql, identOf(ref), prepared.newMetadataLocation, from.metadataLocation);
  return false;
}

async function draftExpiry(deps: ExpiryDeps, tenant: Tenant, ref: TableRef): Promise<Expiry | undefined> {
  const { kernel, catalog, io, scanner, expiry } = deps;
  const now = nowOf(deps);
  const found = await kernel.db(tenant).transaction(async (tx) => ({
    metadataLocation: await catalog.loadPointer(tx.sql, identOf(ref)),
    held: await heldSnapshots(kernel, tx, ref),
    marked: await markedSnapshots(tx, ref, nowOf(deps)),
  }));
  const { metadataLocation, held, marked } = found;
  if (metadataLocation === undefined) return undefined;
  const metadata = await scanner.metadata(ref, metadataLocation);
  const expired = expirableSnapshots(metadata, {
    now,
    since: now - expiry.maxAgeHours * MS_PER_HOUR,
    atLeast: expiry.minKept,
    held: new Set([...held.map(({ snapshotId }) => snapshotId), ...marked]),
  });
  if (expired.length === 0) return undefined;
  const from = { metadata, metadataLocation };
  const writes = deferWrites(io);
  const snapshotIds = expired.map((one) => one['snapshot-id']);
  const prepared = await prepareExpire({ ...from, io: writes.io, snapshotIds });
  const to = { metadata: prepared.metadata, metadataLocation: prepared.newMetadataLocation };
  const needed = (await referencedFiles(io, to)).union(
    await heldFiles({ io, scanner }, ref, droppedBefore(from, held)),
  );
  const known = await referencedFiles(io, { ...from, metadata: { ...metadata, snapshots: expired } });
  const folder = `${toLocation(metadata.location)}/`;
  const files = [...known.difference(needed)].filter((location) => location.startsWith(folder));
  return { ref, from, expired, prepared, writes, files };
}

/** Held snapshots that another engine has dropped from the table. */
function droppedBefore<Held extends { snapshotId: string }>({ metadata }: LoadedTable, held: readonly Held[]): Held[] {
  const ids = new Set(metadata.snapshots.map((one) => String(one['snapshot-id'])));
  return held.filter(({ snapshotId }) => !ids.has(snapshotId));
}
