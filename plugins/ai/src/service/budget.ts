import type { Kernel, Tenant } from '@weir/kernel';
import { aiProblems } from '../contract/problems.ts';

export interface Limits {
  calls: number;
  tokens: number;
}

const RESERVE = `
insert into ai.budget as b (tenant_id, day, calls, tokens) select $1::uuid, (now() at time zone 'utc')::date, $2::integer, $3::bigint
  where $2::integer <= $4::integer and $3::bigint <= $5::bigint
on conflict (tenant_id, day) do update set calls = b.calls + excluded.calls, tokens = b.tokens + excluded.tokens
  where b.calls + excluded.calls <= $4::integer and b.tokens + excluded.tokens <= $5::bigint
returning calls`;
const SETTLE = `
update ai.budget set tokens = greatest(0, tokens + $2)
where tenant_id = $1 and day = (now() at time zone 'utc')::date`;

/** What a tenant may use in a day. A part is reserved before it is used, so that calls at the same time hold the limit together. */
export function budgets({ db }: Pick<Kernel, 'db'>, limits: Limits) {
  const reserve = (tenant: Tenant, calls: number, tokens: number): Promise<boolean> =>
    db(tenant).transaction(async (tx) => {
      const { rowCount } = await tx.sql(RESERVE, [tenant.tenantId, calls, tokens, limits.calls, limits.tokens]);
      return rowCount > 0;
    });
  return {
    /** Throws `ai_budget_exceeded`. */
    async call(tenant: Tenant): Promise<void> {
      if (await reserve(tenant, 1, 0)) return;
      const now = new Date();
      const midnight = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + 1);
      const retryAfterSeconds = Math.ceil((midnight - now.getTime()) / 1_000);
      throw aiProblems.budgetExceeded({ values: { what: 'calls' }, retryAfterSeconds });
    },
    /** Whether so many tokens were left; they are taken. */
    tokens: (tenant: Tenant, count: number): Promise<boolean> =>
      count === 0 ? Promise.resolve(true) : reserve(tenant, 0, count),
    /** Gives back what was reserved and not used. */
    async settle(tenant: Tenant, reserved: number, used: number): Promise<void> {
      if (reserved === used) return;
      await db(tenant).transaction((tx) => tx.sql(SETTLE, [tenant.tenantId, used - reserved]));
    },
  };
}
export type Budgets = ReturnType<typeof budgets>;
