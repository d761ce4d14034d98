import type { AdmitRun } from '@weir/kernel/contract';
import { platformProblems, type StorageTransaction, type StorageUse } from '../contract.ts';
import type { PlatformSettings } from '../settings.ts';
import { effectiveLimits, type Limits, readLimits } from './tenant-limits.ts';

/** What limits are held against. */
export interface QuotaDeps {
  /** The limits of every tenant without its own. */
  defaults: Limits;
  /** Who says how much a tenant keeps. */
  uses(): readonly StorageUse[];
  /** Kinds of run that count for nothing: the platform makes them for itself. */
  uncounted(): readonly string[];
}

/** What a tenant uses now. */
export interface Used {
  open_runs: number;
  runs_today: number;
}

const DAY_MS = 86_400_000;
/** When a start that was refused for open runs, or for storage, may be tried again. */
const RETRY_OPEN_SECONDS = 30;
const RETRY_STORAGE_SECONDS = 3_600;
/** First key of the locks of tenants, apart from all other advisory locks. */
const LOCK = 7_305_002;

/**
 * Refuses a run beyond the limits of its tenant. Starts of one tenant wait here for each other until their transactions
 * end, so that each counts what the one before it has made; without a limit none of this is done.
 */
export function admitWithin({ defaults, uses, uncounted }: QuotaDeps): AdmitRun {
  return async (tx, { kind }) => {
    if (uncounted().includes(kind)) return;
    const own = await readLimits(tx);
    const { runs_per_day, concurrent_runs, storage_bytes } = effectiveLimits(own, defaults);
    if (storage_bytes !== undefined && (await countStorage(tx, uses())) >= BigInt(storage_bytes)) {
      throw exceeded(storage_bytes, 'bytes of storage', RETRY_STORAGE_SECONDS);
    }
    if (runs_per_day === undefined && concurrent_runs === undefined) return;
    await tx.sql('select pg_advisory_xact_lock($1, hashtext($2))', [LOCK, tx.tenant.tenantId]);
    const used = await countRuns(tx, uncounted());
    if (concurrent_runs !== undefined && used.open_runs >= concurrent_runs) {
      const limit = { limit: concurrent_runs };
      throw platformProblems.concurrencyLimited({ values: limit, retryAfterSeconds: RETRY_OPEN_SECONDS });
    }
    if (runs_per_day !== undefined && used.runs_today >= runs_per_day) {
      throw exceeded(runs_per_day, 'runs in a day of UTC', untilMidnight());
    }
  };
}

/** The limits that hold for every tenant without its own; 0 is none. */
export function defaultLimits(settings: PlatformSettings): Limits {
  return {
    runs_per_day: settings.WEIR_LIMIT_RUNS_PER_DAY || undefined,
    concurrent_runs: settings.WEIR_LIMIT_CONCURRENT_RUNS || undefined,
    storage_bytes: settings.WEIR_LIMIT_STORAGE_BYTES || undefined,
  };
}

/** Runs that count: a part that its whole carries out is counted with it. */
export async function countRuns(tx: StorageTransaction, uncounted: readonly string[]): Promise<Used> {
  const { rows } = await tx.sql(COUNT, [tx.tenant.tenantId, uncounted]);
  return { open_runs: Number(rows[0]?.open_runs), runs_today: Number(rows[0]?.runs_today) };
}

/** The bytes that the tenant keeps, by all who keep some for it. */
export async function countStorage(tx: StorageTransaction, uses: readonly StorageUse[]): Promise<bigint> {
  let bytes = 0n;
  for (const use of uses) bytes += await use(tx);
  return bytes;
}

function exceeded(limit: number, unit: string, retryAfterSeconds: number): Error {
  return platformProblems.quotaExceeded({ values: { limit, unit }, retryAfterSeconds });
}

const COUNT = `
select (select count(*) from kernel.run
   where tenant_id = $1 and carried_by <> 'parent' and kind <> all ($2::text[]) and status in ('pending', 'running')) as open_runs,
  (select count(*) from kernel.run
   where tenant_id = $1 and carried_by <> 'parent' and kind <> all ($2::text[]) and created_at >= date_trunc('day', now() at time zone 'utc') at time zone 'utc') as runs_today`;

function untilMidnight(): number {
  return Math.ceil((DAY_MS - (Date.now() % DAY_MS)) / 1_000);
}
