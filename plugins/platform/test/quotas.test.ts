import type { Tenant } from '@weir/kernel';
import fc from 'fast-check';
import t from 'tap';
import { getTenantLimits, setTenantLimits } from '../src/contract.ts';
import { admitWithin, defaultLimits } from '../src/limit/run-limits.ts';
import { bodyOf, type World, world } from './kit.ts';

const NONE = { runs_per_day: null, concurrent_runs: null, storage_bytes: null };
/** Each run of the law starts and ends runs in a database. */
const LAW_RUNS = 25;

const limits = (more: object) => ({
  ...{ WEIR_LIMIT_RUNS_PER_DAY: 0, WEIR_LIMIT_CONCURRENT_RUNS: 0, WEIR_LIMIT_STORAGE_BYTES: 0 },
  ...more,
});

/** The run that was made, or the code of the refusal. */
const tried = (under: World, tenant: Tenant) =>
  under.start(tenant).then(
    (runId) => ({ runId }),
    (error: { code?: string }) => ({ code: error.code }),
  );

const countOpen = async ({ database }: World, { tenantId }: Tenant) => {
  const [row] = await database.peek(
    `select count(*)::int as open from kernel.run where tenant_id = $1 and status in ('pending', 'running')`,
    [tenantId],
  );
  return Number(row?.open);
};

const set = (under: World, chosen: object) =>
  under.admin(setTenantLimits, { params: { alias: 'acme' }, body: { ...NONE, ...chosen } });

t.test(
  'however many runs start at once, no more are open than the tenant may have, and each is made or refused',
  async (t) => {
    const under = await world(t, limits({}));
    const tenant = await under.tenant('acme');
    const open: string[] = [];
    const step = fc.record({ starts: fc.integer({ min: 1, max: 9 }), ends: fc.integer({ min: 0, max: 4 }) });
    const law = fc.asyncProperty(
      fc.integer({ min: 1, max: 5 }),
      fc.array(step, { maxLength: 3 }),
      async (limit, steps) => {
        await set(under, { concurrent_runs: limit });
        for (const { starts, ends } of steps) {
          const before = open.length;
          const outcomes = await Promise.all(Array.from({ length: starts }, () => tried(under, tenant)));
          for (const outcome of outcomes) {
            if ('runId' in outcome) open.push(outcome.runId);
            else if (outcome.code !== 'concurrency_limited') throw new Error(String(outcome.code));
          }
          const expected = Math.max(before, Math.min(limit, before + starts));
          if (open.length !== expected) throw new Error(`${open.length} open of ${limit}, ${expected} expected`);
          if ((await countOpen(under, tenant)) !== open.length) throw new Error('a run was lost, or half made');
          for (const runId of open.splice(0, ends))
            await under.kernel.runs.finish(tenant, runId, { status: 'succeeded' });
        }
      },
    );
    await t.resolves(fc.assert(law, { numRuns: LAW_RUNS }));
  },
);

t.test('a tenant starts as many runs in a day as it may, and none after them until midnight', async (t) => {
  const under = await world(t, limits({ WEIR_LIMIT_RUNS_PER_DAY: 3 }));
  const [acme, other] = [await under.tenant('acme'), await under.tenant('other')];
  const outcomes = await Promise.all(Array.from({ length: 8 }, () => tried(under, acme)));
  t.equal(outcomes.filter((outcome) => 'runId' in outcome).length, 3);
  for (const outcome of outcomes) if ('code' in outcome) t.equal(outcome.code, 'quota_exceeded');
  t.hasProp(await tried(under, other), 'runId', 'another tenant is not concerned');
  const refusal: unknown = await under.start(acme).catch((error: unknown) => error);
  t.match(refusal, { status: 429, details: { retryAfterSeconds: Number } });
  await under.database.peek("update kernel.run set created_at = created_at - interval '1 day'");
  t.hasProp(await tried(under, acme), 'runId', 'the runs of yesterday do not count');
});

t.test('a default holds for whoever has no limit of its own, and 0 is no limit', async (t) => {
  const under = await world(t, limits({ WEIR_LIMIT_CONCURRENT_RUNS: 1 }));
  const tenant = await under.tenant('acme');
  const show = async () => bodyOf(await under.admin(getTenantLimits, { params: { alias: 'acme' } }));
  t.match(await show(), {
    ...{ tenant: 'acme', ...NONE, changed_by: null, changed_at: null },
    ...{ effective: { ...NONE, concurrent_runs: 1 }, used: { open_runs: 0, runs_today: 0, storage_bytes: 0 } },
  });
  t.hasProp(await tried(under, tenant), 'runId');
  t.match(await tried(under, tenant), { code: 'concurrency_limited' });
  t.match(bodyOf(await set(under, { concurrent_runs: 0 })), { concurrent_runs: 0, effective: NONE });
  t.hasProp(await tried(under, tenant), 'runId');
  t.match(bodyOf(await set(under, { concurrent_runs: 2 })), {
    changed_by: 'platform_admin@acme',
    effective: { concurrent_runs: 2 },
  });
  t.match(await tried(under, tenant), { code: 'concurrency_limited' });
  t.match(await show(), { used: { open_runs: 2, runs_today: 2 } });
});

t.test('a tenant that keeps as many bytes as it may starts no run', async (t) => {
  const under = await world(t, limits({}));
  const tenant = await under.tenant('acme');
  const gate = admitWithin({
    defaults: defaultLimits({ WEIR_LIMIT_STORAGE_BYTES: 10 } as never),
    uses: () => [async () => kept, async () => 3n],
    uncounted: () => [],
  });
  let kept = 6n;
  const run = { kind: 'any', subjectId: tenant.tenantId, requestedBy: 'test' };
  const ask = () => under.kernel.db(tenant).transaction((tx) => gate(tx, run));
  await ask();
  kept = 7n;
  await t.rejects(ask(), { code: 'quota_exceeded', message: /10 bytes of storage/ });
});

t.test('limits are seen and set by platform admins alone, of tenants that exist, in whole numbers', async (t) => {
  const under = await world(t, limits({}));
  await under.tenant('acme');
  const params = { alias: 'acme' };
  t.match(await under.as('acme').call(getTenantLimits, { params }), { status: 403 });
  t.match(await under.as('acme').call(setTenantLimits, { params, body: NONE }), { status: 403 });
  t.match(await under.admin(getTenantLimits, { params: { alias: 'absent' } }), { status: 404 });
  for (const wrong of [{ concurrent_runs: -1 }, { runs_per_day: 1.5 }, { storage_bytes: '1' }, { other: 1 }]) {
    t.match(await set(under, wrong), { status: 400, problem: { code: 'validation_failed' } });
  }
  t.match(await under.admin(setTenantLimits, { params, body: { concurrent_runs: 1 } as never }), { status: 400 });
});
