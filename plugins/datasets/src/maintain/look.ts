import type { Kernel, Tenant, TenantTransaction } from '@weir/kernel';
import { DATASET_LAYERS, TableBlocks, type TableRef } from '../contract.ts';
import { datasetId } from '../dataset/dataset-id.ts';
import type { Block } from '../model/found-health.ts';
import { TABLE_MAINTENANCE } from '../model/run-kinds.ts';
import {
  type DueAction,
  forgetHealth,
  type HealthRow,
  noteHealth,
  storeLook,
  tablesToLookAt,
  unnotedTables,
} from '../store/table-health.ts';
import { bytesOfLastHour, type MaintenanceDeps, type Survey, surveyTable } from '../survey/survey.ts';
import { startMaintenance } from './start.ts';

/** Tables that one round looks at. */
const TABLES_A_ROUND = 50;
const MS_PER_MINUTE = 60_000;
const MS_PER_HOUR = 3_600_000;
const MS_PER_DAY = 24 * MS_PER_HOUR;
/** A table that needs nothing is looked at so long after. */
const NEXT_LOOK_MS = MS_PER_HOUR;
/** A table that is due is looked at again, should its run not come. */
const DUE_LOOK_MS = MS_PER_MINUTE;
/** The folder of a table is searched for orphans so often, beside other work and by itself. */
const ORPHANS_BESIDE_MS = MS_PER_DAY;
const ORPHANS_ALONE_MS = 7 * MS_PER_DAY;
/** Snapshots that a hold keeps for so long behind their time block their table. */
const HELD_TOO_LONG_MS = MS_PER_DAY;

export interface LookDeps extends MaintenanceDeps {
  /** Runs of maintenance that a tenant has at one time. */
  slots: number;
  bytesPerHour: number;
}

/** One round for one tenant: notes what moved without a note, looks at the tables whose time has come, and starts runs for those that are due. */
export async function lookAfterTables(deps: LookDeps, tenant: Tenant, signal: AbortSignal): Promise<void> {
  await noteUnnoted(deps, tenant);
  const rows = await deps.kernel.db(tenant).transaction((tx) => tablesToLookAt(tx, TABLES_A_ROUND));
  for (const { ref } of rows) {
    if (signal.aborted) return;
    await lookAt(deps, tenant, ref).catch((err: unknown) => postpone(deps, tenant, { ref, err }));
  }
}

/** Tables that another engine has moved, and those that were there before there were notes. */
async function noteUnnoted(deps: LookDeps, tenant: Tenant): Promise<void> {
  const { kernel, scanner, catalogName } = deps;
  const db = kernel.db(tenant);
  const namespaces = DATASET_LAYERS.map((layer) => `${layer}.${tenant.scope}`);
  const found = await db.transaction((tx) => unnotedTables(tx, { catalogName, namespaces, limit: TABLES_A_ROUND }));
  for (const { ref, metadataLocation } of found) {
    try {
      const metadata = await scanner.metadata(ref, metadataLocation);
      await db.transaction((tx) => noteHealth(tx, ref, { metadata, metadataLocation }));
    } catch (err) {
      kernel.log.warn({ err, dataset_id: datasetId(ref) }, 'the health of a table cannot be noted');
    }
  }
}

async function postpone(
  { kernel }: Pick<LookDeps, 'kernel'>,
  tenant: Tenant,
  { ref, err }: { ref: TableRef; err: unknown },
): Promise<void> {
  kernel.log.warn({ err, dataset_id: datasetId(ref) }, 'a table could not be looked at; it is tried again in an hour');
  const nextAt = new Date(Date.now() + NEXT_LOOK_MS);
  await kernel.db(tenant).transaction((tx) => storeLook(tx, ref, { due: [], blocked: undefined, nextAt }));
}

/** Looks at one table: stores what is due and when to look again, and starts a run where there is room for one. */
export async function lookAt(
  deps: LookDeps,
  tenant: Tenant,
  ref: TableRef,
): Promise<'started' | 'due' | 'healthy' | 'gone'> {
  const { kernel } = deps;
  const db = kernel.db(tenant);
  const survey = await surveyTable(deps, tenant, ref);
  if (survey === undefined) {
    await db.transaction((tx) => forgetHealth(tx, ref));
    return 'gone';
  }
  const now = (deps.now ?? Date.now)();
  const due = dueOf(survey);
  const actions = actionsOf(deps, survey, now);
  const blocked = blockOf(survey, now);
  const waits = survey.plan.waiting.map(({ until }) => until);
  const isRoom = actions.length > 0 && (await hasRoom(deps, tenant, actions));
  const next = actions.length > 0 ? now + DUE_LOOK_MS : Math.min(now + NEXT_LOOK_MS, ...waits);
  await db.transaction(async (tx) => {
    if (blocked !== undefined && survey.row?.blocked === undefined) await reportBlocked(kernel, tx, { ref, blocked });
    await storeLook(tx, ref, { due, blocked, nextAt: new Date(Math.max(next, now + 1_000)) });
  });
  if (!isRoom) return actions.length > 0 ? 'due' : 'healthy';
  const tableUuid = survey.table.metadata['table-uuid'];
  const started = await startMaintenance(kernel, tenant, { ref, tableUuid, actions, requestedBy: 'maintenance' });
  return started === 'active' ? 'due' : 'started';
}

/** What a table needs, as answers show it. */
export function dueOf({ plan }: Survey): DueAction[] {
  const actionOf = {
    small_files: 'compact',
    deleted_rows: 'compact',
    manifests: 'manifests',
    snapshots: 'expire',
  } as const;
  return plan.reasons.map(({ code, value, bound }) => ({
    ...{ action: actionOf[code], reason: code, value, bound },
    bytes: actionOf[code] === 'compact' ? plan.cost.bytes : 0,
  }));
}

function actionsOf(deps: LookDeps, survey: Survey, now: number): DueAction['action'][] {
  const actions = new Set<DueAction['action']>(dueOf(survey).map(({ action }) => action));
  const age = now - (survey.row?.orphansAt.getTime() ?? now);
  if (deps.remote === undefined && age > (actions.size > 0 ? ORPHANS_BESIDE_MS : ORPHANS_ALONE_MS))
    actions.add('orphans');
  return [...actions];
}

/** Why the table makes no progress: a bin that lost too many races waits, or a run keeps snapshots that are long over their time. */
export function blockOf({ plan, row, held, keptByHolds, keepMs, table }: Survey, now: number): Block | undefined {
  const since = (why: Block['why']) => (row?.blocked?.why === why ? row.blocked.since : new Date(now).toISOString());
  const raced = plan.waiting.filter(({ why }) => why === 'races');
  if (raced.length > 0) {
    const files = raced.reduce((sum, one) => sum + one.files, 0);
    const detail = `Other commits were faster three times; ${files} files wait for an hour without a commit.`;
    return { why: 'races', detail, runId: null, since: since('races') };
  }
  const [oldest] = table.metadata.snapshots
    .filter((one) => held.some(({ snapshotId }) => snapshotId === String(one['snapshot-id'])))
    .map((one) => one['timestamp-ms'])
    .toSorted((a, b) => a - b);
  if (keptByHolds === 0 || oldest === undefined || now - oldest < keepMs + HELD_TOO_LONG_MS) return undefined;
  const runId = held.find(({ snapshotId }) =>
    table.metadata.snapshots.some((one) => String(one['snapshot-id']) === snapshotId && one['timestamp-ms'] === oldest),
  )?.runId;
  const detail = `A run keeps ${keptByHolds} snapshots from expiring.`;
  return { why: 'hold', detail, runId: runId ?? null, since: since('hold') };
}

async function reportBlocked(
  kernel: Pick<Kernel, 'contributionsFor'>,
  tx: TenantTransaction,
  { ref, blocked }: { ref: TableRef; blocked: Block },
): Promise<void> {
  const { why, detail, runId } = blocked;
  const table = { ref, datasetId: datasetId(ref), why, detail, runId };
  for (const report of await kernel.contributionsFor(tx, TableBlocks)) await report(tx, table);
}

/** Whether the tenant may have one more run: as many as there are slots, and rewrites within the bytes of the hour. */
async function hasRoom(
  { kernel, slots, bytesPerHour }: LookDeps,
  tenant: Tenant,
  actions: readonly DueAction['action'][],
): Promise<boolean> {
  return kernel.db(tenant).transaction(async (tx) => {
    const { rows } = await tx.sql(
      "select count(*) as open from kernel.run where tenant_id = $1 and kind = $2 and status in ('pending', 'running')",
      [tx.tenant.tenantId, TABLE_MAINTENANCE.kind],
    );
    if (Number(rows[0]?.open) >= slots) return false;
    return actions.some((action) => action !== 'compact') || (await bytesOfLastHour(tx)) < bytesPerHour;
  });
}

/** The status of a table by what the last look found. */
export const statusOf = ({ due, blocked }: Pick<HealthRow, 'due' | 'blocked'>): 'healthy' | 'due' | 'blocked' =>
  blocked !== undefined ? 'blocked' : due.length > 0 ? 'due' : 'healthy';
