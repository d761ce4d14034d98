import * as tools from '@weir/migrations';
import { pino } from 'pino';
import t from 'tap';
import { contributionPoint } from '../src/contract/contribution.ts';
import { contribute, contributions } from '../src/contributions/contributions.ts';
import { tenantPlugins } from '../src/tenancy/tenant-plugins.ts';
import { openDatabase, testDatabase } from '../src/testing.ts';

const log = pino({ level: 'silent' });

t.test('an opt-in plugin is off until a tenant is given it; work that was delayed sees a change at once', async (t) => {
  const database = await testDatabase(t, tools);
  const { db, close } = await openDatabase({ ...database.app, name: database.app.database, entities: [], log });
  t.teardown(close);
  const [acme, other] = [await database.tenant('acme'), await database.tenant('other')];
  let now = 0;
  const optIn = new Set(['notes']);
  const here = tenantPlugins({ db, optIn, now: () => now });
  const elsewhere = tenantPlugins({ db, optIn, now: () => now });
  t.equal(await here.isEnabled(acme, 'sources'), true, 'one that is always on needs no row');
  t.equal(await here.isEnabled(acme, 'notes'), false);
  t.equal(await elsewhere.isEnabled(acme, 'notes'), false);
  await here.set(acme, 'notes', { enabled: true, changedBy: 'ada' });
  t.equal(await here.isEnabled(acme, 'notes'), true, 'at once where it was changed');
  t.equal(await here.isEnabled(other, 'notes'), false, 'for that tenant only');
  t.equal(await elsewhere.isEnabledNow(acme, 'notes'), true, 'at once for delayed work');
  t.match((await here.states(acme)).get('notes'), { enabled: true, changedBy: 'ada', changedAt: Date });
  await here.set(acme, 'notes', { enabled: false, changedBy: 'eve' });
  t.equal(await elsewhere.isEnabled(acme, 'notes'), true, 'elsewhere an answer may be five seconds old');
  now += 5_000;
  t.equal(await elsewhere.isEnabled(acme, 'notes'), false, 'and no older');
  await t.rejects(here.set(acme, 'sources', { enabled: false, changedBy: 'ada' }), {
    entry: { code: 'not_found' },
  } as never);
});

t.test('what an opt-in plugin contributes serves the tenants that have it, within a transaction too', async (t) => {
  const database = await testDatabase(t, tools);
  // One connection: a question within a transaction that took another one would never be answered.
  const place = { ...database.app, name: database.app.database, entities: [], poolSize: 1, log };
  const { db, close } = await openDatabase(place);
  t.teardown(close);
  const [acme, other] = [await database.tenant('acme'), await database.tenant('other')];
  const { isEnabled, set } = tenantPlugins({ db, optIn: new Set(['notes']) });
  const point = contributionPoint<string>('table.committed');
  const given = contributions(isEnabled);
  given.add([contribute(point, 'of all')], 'webhooks');
  given.add([contribute(point, 'of some')], 'notes');
  const within = (tenant: typeof acme) => db(tenant).transaction((tx) => given.forTenant(tx, point));
  t.strictSame(await within(acme), ['of all']);
  await set(acme, 'notes', { enabled: true, changedBy: 'ada' });
  t.strictSame(
    [await within(acme), await given.forTenant(acme, point)],
    [
      ['of all', 'of some'],
      ['of all', 'of some'],
    ],
  );
  t.strictSame([await within(other), await given.forTenant(other, point)], [['of all'], ['of all']]);
  t.strictSame(await given.forTenant(undefined, point), ['of all'], 'without a tenant');
  await set(acme, 'notes', { enabled: false, changedBy: 'ada' });
  t.strictSame(await within(acme), ['of all']);
  t.strictSame(given.of(point), ['of all', 'of some'], 'what the deployment has');
  given.add([contribute(point, 'of its rows', { always: true })], 'notes');
  t.strictSame(await within(acme), ['of all', 'of its rows'], 'rows are kept true while the plugin is off');
});
