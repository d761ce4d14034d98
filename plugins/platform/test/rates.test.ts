import type { Endpoint } from '@weir/kernel/contract';
import fc from 'fast-check';
import t from 'tap';
import { getStatus, listPlatformAudit, setAdmission } from '../src/contract.ts';
import { callRates } from '../src/limit/call-rates.ts';
import { callerRates } from '../src/limit/caller-rates.ts';
import { bodyOf, type World, world } from './kit.ts';

const MINUTE_MS = 60_000;
const limited = { status: 429, problem: { code: 'rate_limited', retry_after_seconds: Number } };

t.test(
  'in no minute does a caller take more than twice its rate, nor is it refused while it keeps to it',
  async (t) => {
    const gaps = fc.array(fc.integer({ min: 0, max: 5_000 }), { minLength: 1, maxLength: 100 });
    let at = 0;
    let callers = 0;
    const rates = callerRates(() => at);
    const law = fc.property(fc.integer({ min: 1, max: 60 }), gaps, (perMinute, waits) => {
      callers += 1;
      const caller = String(callers);
      const taken: number[] = [];
      for (const gap of waits) {
        at += gap;
        const expected = rates.waitOf(caller, perMinute);
        const wait = rates.take(caller, perMinute);
        if (wait !== expected || wait > MINUTE_MS) throw new Error(`${wait} ms`);
        if (wait === 0) taken.push(at);
        else if (taken.filter((time) => time > at - MINUTE_MS).length < perMinute / 2) throw new Error('refused early');
      }
      const most = Math.max(
        0,
        ...taken.map((from) => taken.filter((time) => time >= from && time < from + MINUTE_MS).length),
      );
      if (most > 2 * perMinute) throw new Error(`${most} in a minute`);
    });
    t.doesNotThrow(() => fc.assert(law, { numRuns: 1_000 }));
  },
);

t.test('after the wait that it was told a caller is let in again', async (t) => {
  let at = 0;
  const rates = callerRates(() => at);
  for (let n = 0; n < 3; n += 1) t.equal(rates.take('a', 3), 0);
  const wait = rates.take('a', 3);
  t.equal(wait, 20_000);
  t.equal(rates.take('b', 3), 0, 'another one is not concerned');
  at += wait;
  t.equal(rates.take('a', 3), 0);
  t.ok(rates.take('a', 3) > 0);
  t.equal(rates.take('a', 0), 0, 'no limit');
});

t.test('a hundred thousand callers are remembered and no more', async (t) => {
  const rates = callerRates(() => 0);
  for (let n = 0; n < 150_000; n += 1) rates.take(`caller ${n}`, 10);
  t.equal(rates.count(), 100_000);
});

const rates = (more: object) => ({
  WEIR_RATE_READS: 2,
  WEIR_RATE_WRITES: 1,
  WEIR_RATE_STARTS: 1,
  WEIR_RATE_COSTLY: 1,
  WEIR_RATE_GUESSES: 2,
  ...more,
});

t.test('reads and writes have rates of their own, for each caller and tenant', async (t) => {
  const under = await world(t, rates({}));
  await under.tenant('acme');
  await under.tenant('other');
  const read = (tenant: string, role = 'viewer') => under.as(tenant, role).call(getStatus, {});
  for (let n = 0; n < 2; n += 1) t.match(await read('acme'), { status: 200 });
  t.match(await read('acme'), limited);
  t.match(await read('acme', 'admin'), { status: 200 }, 'another caller');
  t.match(await read('other'), { status: 200 }, 'another tenant');
  t.match(await under.admin(setAdmission, { body: { open: true } }), { status: 200 });
  t.match(await under.admin(setAdmission, { body: { open: true } }), limited);
  t.match((await under.admin(listPlatformAudit, {})).status, 200, 'it may still read');
  t.match(await refusals(under), { read: 1, write: 1 });
});

t.test('starts of runs, and what is costly to answer, have rates of their own', async (t) => {
  const refused: string[] = [];
  const limit = callRates({
    rates: { read: 9, write: 9, start: 1, costly: 1, guess: 9 },
    refused: (group) => refused.push(group),
  });
  const principal = { kind: 'service', subject: 's', client: 's', tenants: '*', capabilities: [] } as const;
  const asked = { address: '192.0.2.1', principal, tenant: undefined, params: {} };
  const start = () => limit.allowed({ ...asked, endpoint: { ...setAdmission, status: 202 } as Endpoint });
  await start();
  await t.rejects(start(), { code: 'rate_limited' });
  await limit.allowed({ ...asked, endpoint: setAdmission as Endpoint });
  const access = { ...setAdmission.access, reads: true } as Endpoint['access'];
  const costly = () => limit.allowed({ ...asked, endpoint: { ...setAdmission, method: 'POST', access } as Endpoint });
  await costly();
  await t.rejects(costly(), { code: 'rate_limited' });
  t.strictSame(refused, ['start', 'costly']);
});

t.test('who guesses credentials is cut off by address and route, and fills no trail', async (t) => {
  const under = await world(t, rates({ WEIR_RATE_READS: 100 }));
  await under.tenant('acme');
  const guess = (remoteAddress: string, url = '/api/v1/status') =>
    under.app.inject({ url, remoteAddress, headers: { authorization: 'Bearer guessed' } });
  const statuses = async (calls: readonly (readonly [string, string?])[]) => {
    const found: number[] = [];
    for (const call of calls) found.push((await guess(...call)).statusCode);
    return found;
  };
  const own = '192.0.2.1';
  t.strictSame(await statuses([[own], [own], [own], [own]]), [401, 401, 429, 429]);
  t.strictSame(await statuses([[own, '/api/v1/plugins'], ['192.0.2.2']]), [401, 401], 'another route, another address');
  const six = ['2001:db8:1:2::1', '2001:db8:1:2:ffff::9', '2001:db8:1:2:3:4:5:6', '2001:db8:1:3::1'];
  t.strictSame(await statuses(six.map((address) => [address])), [401, 401, 429, 401]);
  const answer = await guess(own);
  t.match(answer.headers, { 'retry-after': /^[1-9][0-9]?$/, 'content-type': /^application\/problem\+json/ });
  const { items } = bodyOf(await under.admin(listPlatformAudit, {}));
  t.equal(items.filter(({ status }) => status === 401).length, 7, 'one event for each 401');
  t.equal(items.filter(({ status }) => status === 429).length, 1, 'one for those that were not let in');
  t.match(await under.as('acme').call(getStatus, {}), { status: 200 }, 'whoever comes from elsewhere is let in');
});

t.test('an address floods a route with bad credentials → a valid caller from it is served', async (t) => {
  const under = await world(t, rates({ WEIR_RATE_READS: 100 }));
  await under.tenant('acme');
  const guess = (headers: Record<string, string>) => under.app.inject({ url: '/api/v1/status', headers });
  for (const headers of [{}, { authorization: 'Bearer guessed' }]) {
    for (let n = 0; n < 3; n += 1) await guess(headers as Record<string, string>);
    t.equal((await guess(headers as Record<string, string>)).statusCode, 429);
    t.match(await under.as('acme', 'viewer').call(getStatus, {}), { status: 200 });
  }
});

t.test('whoever is denied again and again is cut off as well, so that no trail is filled', async (t) => {
  const under = await world(t, rates({ WEIR_RATE_READS: 100 }));
  await under.tenant('acme');
  const statuses: number[] = [];
  for (let n = 0; n < 4; n += 1) statuses.push((await under.as('acme', 'viewer').call(listPlatformAudit, {})).status);
  t.strictSame(statuses, [403, 403, 429, 429]);
  t.match(await under.as('acme', 'viewer').call(getStatus, {}), { status: 200 }, 'what it may do it goes on doing');
});

t.test('a rate of 0 is none', async (t) => {
  const none = {
    WEIR_RATE_READS: 0,
    WEIR_RATE_WRITES: 0,
    WEIR_RATE_STARTS: 0,
    WEIR_RATE_COSTLY: 0,
    WEIR_RATE_GUESSES: 0,
  };
  const under = await world(t, none);
  await under.tenant('acme');
  for (let n = 0; n < 20; n += 1) t.match(await under.as('acme').call(getStatus, {}), { status: 200 });
  for (let n = 0; n < 20; n += 1) t.equal((await under.app.inject({ url: '/api/v1/status' })).statusCode, 401);
});

async function refusals(under: World): Promise<Record<string, number>> {
  const headers = await under.as('acme', 'platform_admin').headers();
  const metrics = await under.app.inject({
    url: '/api/v1/metrics',
    headers: { ...headers, accept: 'application/json' },
  });
  const { items } = metrics.json() as { items: { name: string; labels: { group: string }; value: number }[] };
  const found = items.filter(({ name }) => name === 'weir_rate_limited_total');
  return Object.fromEntries(found.map(({ labels, value }) => [labels.group, value]));
}
