import { pino } from 'pino';
import t from 'tap';
import { getServicesHealth, getStatus, setAdmission } from '../src/contract.ts';
import { healthMonitor } from '../src/status/health.ts';
import { world } from './kit.ts';

const silent = pino({ level: 'silent' });

t.test('whoever is signed in sees the state of the platform, with an organization or without', async (t) => {
  const { as, app, tenant, admin } = await world(t);
  await tenant('acme');
  for (const role of ['viewer', 'pipeline_editor', 'admin']) {
    t.match(await as('acme', role).call(getStatus), {
      ok: true,
      body: {
        version: /^\d+\.\d+\.\d+$/,
        mode: 'development',
        ready: true,
        parts: { database: 'up', workflow_engine: 'up' },
        admission: 'open',
        plugins: 3,
        uptime_seconds: Number,
      },
    });
  }
  const { authorization } = await as('no tenant of ours', 'no role of ours').headers();
  for (const url of ['/api/v1/status', '/api/v1/services/health'])
    t.equal((await app.inject({ url, headers: { authorization } })).statusCode, 200, url);
  t.equal((await app.inject('/api/v1/status')).statusCode, 401);
  t.equal((await app.inject('/api/v1/services/health')).statusCode, 401);
  await admin(setAdmission, { body: { open: false } });
  t.match(await as('acme', 'viewer').call(getStatus), { ok: true, body: { admission: 'closed' } });
});

t.test('a part that does not answer is down by name, and nothing says where it is or why', async (t) => {
  const { as, tenant, workflows } = await world(t);
  await tenant('acme');
  workflows.health = async () => {
    throw new Error('connect ECONNREFUSED 10.1.2.3:7233');
  };
  const answer = await as('acme', 'viewer').call(getServicesHealth);
  t.match(answer, {
    ok: true,
    body: {
      healthy: false,
      items: [
        { name: 'database', status: 'up', since: /Z$/, checked_at: /Z$/ },
        { name: 'workflow_engine', status: 'down' },
      ],
    },
  });
  t.notMatch(JSON.stringify(answer), /10\.1\.|7233|ECONN/);
});

t.test(
  'a check that is silent counts as down in time, is not asked again meanwhile, and holds no other up',
  async (t) => {
    let asked = 0;
    let answer: (up: boolean) => void = () => undefined;
    let time = 1_000;
    const slow = {
      name: 'slow',
      check: () => {
        asked += 1;
        return new Promise<boolean>((resolve) => {
          answer = resolve;
        });
      },
    };
    const many = Array.from({ length: 9 }, (_, n) => ({ name: `part${n}`, check: async () => n !== 3 }));
    const thrower = {
      name: 'thrower',
      check: () => {
        throw new Error('at once');
      },
    };
    const checks = () => [slow, thrower, ...many];
    const { parts } = healthMonitor({ checks, log: silent, now: () => time, limitMs: 20 });
    const first = await parts();
    t.strictSame(
      first.filter(({ status }) => status === 'down').map(({ name }) => name),
      ['slow', 'thrower', 'part3'],
    );
    t.equal(first.length, 11);
    t.equal(await parts(), first, 'an answer is good for a moment');
    time += 60_000;
    const second = await parts();
    t.equal(asked, 1, 'the silent one is still being waited for');
    t.match(second[0], { name: 'slow', status: 'down', since: first[0]?.since }, 'it has been down since then');
    time += 60_000;
    const third = parts();
    answer(true);
    t.match((await third)[0], { name: 'slow', status: 'up', since: new Date(time).toISOString() }, 'late is up again');
    t.equal(asked, 1);
  },
);
