import type { Kernel, Principal, TenantTransaction } from '@weir/kernel';
import { kernelProblems, subjectOf } from '@weir/kernel/contract';
import type { TenantLimitsView } from '../contract.ts';
import { countRuns, countStorage, type QuotaDeps } from './run-limits.ts';
import { type ChosenLimits, each, effectiveLimits, readLimits, writeLimits } from './tenant-limits.ts';

export interface LimitDeps extends QuotaDeps, Pick<Kernel, 'db' | 'tenants'> {}

/** What tenants are held to. Throws `not_found` for a tenant that does not exist. */
export function limitService({ db, tenants, defaults, uses, uncounted }: LimitDeps) {
  const inTenant = async <T>(alias: string, work: (tx: TenantTransaction) => Promise<T>) => {
    const tenant = await tenants.byAlias(alias);
    if (tenant === undefined) throw kernelProblems.notFound();
    return db(tenant).transaction(work);
  };
  const view = async (tx: TenantTransaction): Promise<TenantLimitsView> => {
    const own = await readLimits(tx);
    const effective = effectiveLimits(own, defaults);
    return {
      tenant: tx.tenant.alias,
      ...each((name) => own?.[name] ?? null),
      effective: each((name) => effective[name] ?? null),
      used: { ...(await countRuns(tx, uncounted())), storage_bytes: Number(await countStorage(tx, uses())) },
      changed_by: own?.changedBy ?? null,
      changed_at: own?.changedAt.toISOString() ?? null,
    };
  };
  return {
    read: (alias: string) => inTenant(alias, view),
    set: (alias: string, wanted: ChosenLimits, who: Principal) =>
      inTenant(alias, async (tx) => {
        await writeLimits(tx, wanted, subjectOf(who));
        return view(tx);
      }),
  };
}
