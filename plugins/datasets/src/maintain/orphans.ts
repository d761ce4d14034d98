import type { Tenant } from '@weir/kernel';
import { referencedFiles, toLocation } from '@weir/lakehouse';
import { enterStaged } from '../commit/staged-files.ts';
import type { TableRef } from '../contract.ts';
import { noteOrphans } from '../store/table-health.ts';
import { loadTables } from '../store/table-store.ts';
import type { MaintenanceDeps } from '../survey/survey.ts';
import { heldFiles, heldSnapshots } from '../sweep/holds.ts';
import { MAINTENANCE_RUN } from '../sweep/ledger.ts';

/** Age of a file below which it may be of a commit that another engine is still making. */
const MIN_AGE_MS = 3 * 24 * 3_600_000;
/** Files that one search finds at most; what is left waits for the next one. */
const MAX_FOUND = 10_000;

/** Files in the folder of a table that nothing needs, no run has staged and no commit can still be about. */
export async function findOrphans(deps: MaintenanceDeps, tenant: Tenant, ref: TableRef): Promise<string[]> {
  const { kernel, io, remote, now = Date.now } = deps;
  // Where another catalog keeps the tables, files may be named that we cannot see.
  if (remote !== undefined) return [];
  const before = now() - MIN_AGE_MS;
  const [listed] = await loadTables(deps, tenant, [ref]);
  if (listed === undefined) return [];
  const found: string[] = [];
  for await (const { location, modifiedAt } of io.list(listed.metadata.location)) {
    if (modifiedAt.getTime() < before) found.push(toLocation(location));
    if (found.length === MAX_FOUND) break;
  }
  if (found.length === 0) return [];
  // The table is read after its folder was listed: a file that a commit takes in between counts as needed.
  const [table] = await loadTables(deps, tenant, [ref]);
  if (table === undefined) return [];
  const { held, staged } = await kernel.db(tenant).transaction(async (tx) => {
    const { rows } = await tx.sql(
      `select location, is_folder from datasets.staged_file
       where tenant_id = $1 and namespace = $2 and table_name = $3`,
      [tx.tenant.tenantId, ref.namespace, ref.table],
    );
    return { held: await heldSnapshots(kernel, tx, ref), staged: rows };
  });
  const needed = (await referencedFiles(io, table)).union(await heldFiles(deps, ref, held));
  const files = new Set(staged.map(({ location }) => String(location)));
  const folders = staged.filter((one) => one.is_folder === true).map(({ location }) => `${String(location)}/`);
  return found.filter(
    (location) =>
      !needed.has(location) && !files.has(location) && !folders.some((folder) => location.startsWith(folder)),
  );
}

/**
 * Enters orphans into the ledger: the sweep marks and removes them after its times of grace, unless the table needs them by then.
 * Answers how many.
 */
export async function enterOrphans(deps: MaintenanceDeps, tenant: Tenant, ref: TableRef): Promise<number> {
  const orphans = await findOrphans(deps, tenant, ref);
  await deps.kernel.db(tenant).transaction(async (tx) => {
    const places = orphans.map((location) => ({ ref, location, isFolder: false }));
    await enterStaged(tx, MAINTENANCE_RUN, places);
    await noteOrphans(tx, ref);
  });
  return orphans.length;
}
