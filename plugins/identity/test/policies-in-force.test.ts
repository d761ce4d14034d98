import type { Tenant } from '@weir/kernel/contract';
import t from 'tap';
import { textChecker } from '../src/access-policy/cedar/check-text.ts';
import { cedarEvaluator } from '../src/access-policy/cedar/evaluator.ts';
import { policiesInForce } from '../src/access-policy/policies-in-force.ts';

const tenant = (n: number): Tenant => ({ tenantId: `t${n}`, alias: `t${n}`, scope: `t${n}` });
const CEDAR = 'forbid (principal, action, resource);';

/** The store as a port that counts: tenants above a number have one policy. */
function store(from: number) {
  let reads = 0;
  let digest = 'a';
  let meanwhile: (() => void) | undefined;
  const rows = (tenantId: string) =>
    Number(tenantId.slice(1)) < from ? [] : [{ policy_id: 'p', name: 'p', digest, document: { cedar: CEDAR } }];
  const db = ({ tenantId }: Tenant) => ({
    async transaction<R>(work: (tx: never) => Promise<R>): Promise<R> {
      reads += 1;
      const found = rows(tenantId);
      meanwhile?.();
      return work({ tenant: { tenantId }, sql: async () => ({ rows: found, rowCount: found.length }) } as never);
    },
  });
  return {
    db,
    reads: () => reads,
    change: (to: string) => {
      digest = to;
    },
    during: (work: () => void) => {
      meanwhile = work;
    },
  };
}

t.test('policies are read once in five seconds, at once after a change of ours, and for many tenants', async (t) => {
  let now = 0;
  const stored = store(500);
  const texts = textChecker();
  const inForce = policiesInForce({ db: stored.db, evaluator: cedarEvaluator(), readText: texts.read }, () => now);
  const first = await inForce.of(tenant(500));
  t.equal(first.policies.length, 1);
  now = 4_999;
  t.equal(await inForce.of(tenant(500)), first);
  t.equal(stored.reads(), 1);
  now = 5_000;
  t.equal(await inForce.of(tenant(500)), first, 'what is as before is not parsed again');
  t.equal(stored.reads(), 2);
  stored.change('b');
  inForce.forget(tenant(500));
  const [next, same] = await Promise.all([inForce.of(tenant(500)), inForce.of(tenant(500))]);
  t.not(next, first);
  t.equal(next, same);
  t.equal(stored.reads(), 3, 'two who ask at once share one look');
  for (let n = 0; n < 400; n += 1) await inForce.of(tenant(n));
  const before = stored.reads();
  for (let n = 0; n < 400; n += 1) await inForce.of(tenant(n));
  await inForce.of(tenant(500));
  t.equal(stored.reads(), before, 'tenants without policies push nobody out');
  for (let n = 501; n <= 700; n += 1) await inForce.of(tenant(n));
  const full = stored.reads();
  t.equal((await inForce.of(tenant(500))).policies.length, 1);
  t.equal(stored.reads(), full + 1, 'only so many are kept parsed');
});

t.test('what was read while something changed is read again', async (t) => {
  const stored = store(0);
  const texts = textChecker();
  const inForce = policiesInForce({ db: stored.db, evaluator: cedarEvaluator(), readText: texts.read }, () => 0);
  stored.during(() => {
    stored.during(() => undefined);
    stored.change('b');
    inForce.forget(tenant(1));
  });
  const old = await inForce.of(tenant(1));
  const next = await inForce.of(tenant(1));
  t.not(next, old);
  t.equal(await inForce.of(tenant(1)), next);
});
