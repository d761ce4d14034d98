import type { Tenant, TenantTransaction } from '@weir/kernel';
import { type MaintenancePlan, planMaintenance, stringifyMetadata } from '@weir/lakehouse';
import type { TableRef } from '../contract.ts';
import { type HealthRow, healthOf, MAX_LOST_RACES } from '../store/table-health.ts';
import { type CurrentTable, loadTables, type TableDeps } from '../store/table-store.ts';
import type { ExpiryRule } from '../sweep/expire.ts';
import { type HeldSnapshot, heldSnapshots } from '../sweep/holds.ts';
import { markedSnapshots } from '../sweep/marks.ts';

const MS_PER_HOUR = 3_600_000;
const HOURS_PER_DAY = 24;
/** Bytes of data files that a rewrite aims at. */
export const DEFAULT_TARGET_BYTES = 128 * 1024 * 1024;

export interface MaintenanceDeps extends TableDeps {
  expiry: ExpiryRule;
  catalogName: string;
  /** Milliseconds since 1970; the clock unless a test says. */
  now?: () => number;
  /** A person asked for it: no calm moment is waited for. */
  atOnce?: boolean;
}

/** A table, what it needs, and what keeps its snapshots. */
export interface Survey {
  ref: TableRef;
  table: CurrentTable;
  row: HealthRow | undefined;
  plan: MaintenancePlan;
  held: readonly HeldSnapshot[];
  /** Snapshots that would expire and that a hold or mark keeps. */
  keptByHolds: number;
  /** Milliseconds for which every snapshot is kept. */
  keepMs: number;
  metadataBytes: number;
}

/** What a table needs, from its newest metadata and manifests; undefined for one that is not there. */
export async function surveyTable(deps: MaintenanceDeps, tenant: Tenant, ref: TableRef): Promise<Survey | undefined> {
  const { kernel, scanner, now = Date.now } = deps;
  const [table] = await loadTables(deps, tenant, [ref]);
  if (table === undefined) return undefined;
  const { row, held, marked } = await kernel.db(tenant).transaction(async (tx) => ({
    row: await healthOf(tx, ref),
    held: await heldSnapshots(kernel, tx, ref),
    marked: await markedSnapshots(tx, ref, now()),
  }));
  const files = await scanner.files(table.metadata);
  const manifests = await scanner.manifests(table.metadata);
  const surveyed = { metadata: withOwnBounds(table.metadata, row), files, manifests };
  const rule = { ...ruleOf(deps, row), held: new Set([...held.map(({ snapshotId }) => snapshotId), ...marked]) };
  const plan = planMaintenance(surveyed, rule);
  const free = planMaintenance({ ...surveyed, files: [], manifests: [] }, { ...rule, held: new Set() });
  const listed = manifests.reduce((sum, one) => sum + Number(one.manifest_length), 0);
  return {
    ...{ ref, table, row, plan, held },
    keepMs: expiryFor(deps, row).maxAgeHours * MS_PER_HOUR,
    keptByHolds: free.expire.length - plan.expire.length,
    metadataBytes: listed + stringifyMetadata(table.metadata).length,
  };
}

/** The rule of expiry for one table: what people set for it goes before the platform's. */
export function expiryFor({ expiry }: Pick<MaintenanceDeps, 'expiry'>, row: HealthRow | undefined): ExpiryRule {
  return row?.keepDays === undefined ? expiry : { ...expiry, maxAgeHours: row.keepDays * HOURS_PER_DAY };
}

function ruleOf(deps: MaintenanceDeps, row: HealthRow | undefined) {
  const { maxAgeHours, minKept } = expiryFor(deps, row);
  const now = (deps.now ?? Date.now)();
  const lost = Object.entries(row?.lostRaces ?? {}).filter(([, races]) => races >= MAX_LOST_RACES);
  // A catalog that keeps the metadata drops snapshots by its own settings.
  const expires = deps.remote === undefined && maxAgeHours > 0;
  return {
    now,
    targetBytes: DEFAULT_TARGET_BYTES,
    keepSince: expires ? now - maxAgeHours * MS_PER_HOUR : undefined,
    keepAtLeast: minKept,
    lost: new Set(lost.map(([key]) => key)),
    atOnce: deps.atOnce === true,
  };
}

const [TARGET, AGE] = ['write.target-file-size-bytes', 'history.expire.max-snapshot-age-ms'] as const;

/** The table with the bounds that people set for it here in the place of its own properties. */
function withOwnBounds(metadata: CurrentTable['metadata'], row: HealthRow | undefined): CurrentTable['metadata'] {
  const { targetFileBytes, keepDays } = row ?? {};
  const properties = { ...metadata.properties };
  if (targetFileBytes !== undefined) properties[TARGET] = String(targetFileBytes);
  if (keepDays !== undefined) properties[AGE] = String(keepDays * HOURS_PER_DAY * MS_PER_HOUR);
  return { ...metadata, properties };
}

/** Bytes that rewrites of the tenant have read in the last hour. */
export async function bytesOfLastHour(tx: TenantTransaction): Promise<number> {
  const { rows } = await tx.sql(
    `select coalesce(sum(bytes_before), 0) as bytes from datasets.rewrite_receipt
     where tenant_id = $1 and made_at > now() - interval '1 hour'`,
    [tx.tenant.tenantId],
  );
  return Number(rows[0]?.bytes);
}
