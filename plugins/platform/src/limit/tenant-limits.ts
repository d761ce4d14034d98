import type { StorageTransaction } from '../contract.ts';

const NAMES = ['runs_per_day', 'concurrent_runs', 'storage_bytes'] as const;
type Name = (typeof NAMES)[number];

/** What holds for a tenant; undefined where there is no limit. */
export type Limits = Readonly<Record<Name, number | undefined>>;
/** What was chosen for one tenant: null follows the default, 0 is no limit. */
export type ChosenLimits = Readonly<Record<Name, number | null>>;
/** The same with who chose it, and when. */
export type OwnLimits = ChosenLimits & { readonly changedBy: string; readonly changedAt: Date };

/** What was chosen for the transaction's tenant; undefined when nothing ever was. */
export async function readLimits(tx: StorageTransaction): Promise<OwnLimits | undefined> {
  const { rows } = await tx.sql(READ, [tx.tenant.tenantId]);
  const [row] = rows;
  if (row === undefined) return undefined;
  const whole = (name: Name) => (row[name] === null ? null : Number(row[name]));
  return {
    ...each(whole),
    changedBy: String(row.changed_by),
    changedAt: new Date(row.changed_at as string | Date),
  };
}

export async function writeLimits(tx: StorageTransaction, chosen: ChosenLimits, changedBy: string): Promise<void> {
  await tx.sql(WRITE, [tx.tenant.tenantId, ...NAMES.map((name) => chosen[name]), changedBy]);
}

/** A tenant's own limits over the defaults. */
export function effectiveLimits(own: ChosenLimits | undefined, defaults: Limits): Limits {
  return each((name) => (own?.[name] ?? defaults[name]) || undefined);
}

/** A value for each limit by its name. */
export function each<T>(of: (name: Name) => T): Record<Name, T> {
  return Object.fromEntries(NAMES.map((name) => [name, of(name)])) as Record<Name, T>;
}

const READ = `select ${NAMES.join(', ')}, changed_by, changed_at from platform.tenant_limit where tenant_id = $1`;
const WRITE = `
insert into platform.tenant_limit (tenant_id, ${NAMES.join(', ')}, changed_by) values ($1, $2, $3, $4, $5)
on conflict (tenant_id) do update set ${NAMES.map((name) => `${name} = excluded.${name}`).join(', ')},
  changed_by = excluded.changed_by, changed_at = clock_timestamp()`;
