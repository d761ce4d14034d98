import t from 'tap';
import { getUser, listApiTokens, listUsers } from '../src/contract.ts';
import { recordPeople } from '../src/person/record-people.ts';
import { bodyOf, world } from './kit.ts';

t.test('admins see the people of their tenant, others themselves', async (t) => {
  const here = await world(t);
  await here.tenant('acme');
  await here.tenant('other');
  const [viewer, admin, foreign] = [here.as('acme', 'viewer'), here.as('acme', 'admin'), here.as('other', 'admin')];
  for (const one of [viewer, admin, foreign]) bodyOf(await one.call(listUsers));
  const subjects = async ({ call }: typeof viewer) => bodyOf(await call(listUsers)).items.map(({ sub }) => sub);
  t.strictSame(await subjects(viewer), ['viewer@acme']);
  t.strictSame(await subjects(admin), ['admin@acme', 'viewer@acme']);
  t.strictSame(await subjects(foreign), ['admin@other']);
  t.match(await admin.call(getUser, { params: { sub: 'viewer@acme' } }), {
    body: { sub: 'viewer@acme', roles: ['viewer'], last_seen: /Z$/ },
  });
  t.match(await viewer.call(getUser, { params: { sub: 'viewer@acme' } }), { status: 200 });
  const [known, unknown] = [
    await viewer.call(getUser, { params: { sub: 'admin@acme' } }),
    await viewer.call(getUser, { params: { sub: 'nobody' } }),
  ];
  t.match([known, unknown], [{ problem: { code: 'forbidden_role' } }, { problem: { code: 'forbidden_role' } }]);
  for (const sub of ['admin@other', 'nobody']) t.match(await admin.call(getUser, { params: { sub } }), { status: 404 });
  for (const sub of ['a b', 'é', 'x'.repeat(256)])
    t.match(await admin.call(getUser, { params: { sub } }), { status: 400 }, sub);
});

t.test(
  'a person is written once an hour, at once when something changed, and never with what no text can hold',
  async (t) => {
    const here = await world(t);
    const tenant = await here.tenant('acme');
    let now = 0;
    const people = recordPeople(here.kernel, () => now);
    const user = {
      kind: 'user' as const,
      subject: 'ann',
      client: 'web',
      organizations: ['acme'],
      realmRoles: ['viewer', 'platform_admin'] as const,
    };
    const rows = async () => {
      await people.settled();
      return here.database.peek(`select name, roles, xmin::text as written from identity.person where sub = 'ann'`);
    };
    people.seen(tenant, { ...user, name: `A\0\ud800${'n'.repeat(400)}` });
    const [first] = await rows();
    t.match(first, { roles: ['viewer'] });
    t.equal(String(first?.name).length, 255);
    people.seen(tenant, user);
    const [second] = await rows();
    t.match(second, { name: null });
    now = 3_599_999;
    people.seen(tenant, user);
    t.strictSame((await rows())[0], second);
    await here.database.peek(`update identity.person set last_seen = now() - interval '2 hours'`);
    const [aged] = await rows();
    now += 1;
    people.seen(tenant, user);
    t.not((await rows())[0]?.written, aged?.written);
    people.seen(tenant, { kind: 'service', subject: 'robot', client: 'robot', tenants: '*', capabilities: [] });
    people.seen(tenant, { ...user, subject: 'no such subject' });
    t.equal((await here.database.peek('select 1 from identity.person')).length, 1);
  },
);

t.test('what an older token says of a person does not stand against a newer one', async (t) => {
  const here = await world(t);
  const tenant = await here.tenant('acme');
  const token = (minute: number, role: string) => ({
    kind: 'user' as const,
    ...{ subject: 'ann', client: 'web', organizations: ['acme'], realmRoles: [role] },
    issuedAt: new Date(Date.UTC(2026, 0, 1, 12, minute)),
  });
  const [old, fresh] = [token(0, 'admin'), token(5, 'viewer')];
  // Each process has seen other tokens.
  const processes = [recordPeople(here.kernel), recordPeople(here.kernel)];
  for (const people of processes) {
    for (const user of [old, fresh, old]) people.seen(tenant, user);
    await people.settled();
    t.match(await here.database.peek('select roles from identity.person'), [{ roles: ['viewer'] }]);
  }
  const [last] = processes;
  last?.seen(tenant, token(6, 'pipeline_editor'));
  await last?.settled();
  t.match(await here.database.peek('select roles from identity.person'), [{ roles: ['pipeline_editor'] }]);
});

t.test('whoever calls is noted without waiting for it', async (t) => {
  const here = await world(t);
  await here.tenant('acme');
  bodyOf(await here.as('acme', 'pipeline_editor').call(listApiTokens));
  await here.registration.stop?.();
  t.match(await here.database.peek('select sub from identity.person'), [{ sub: 'pipeline_editor@acme' }]);
});
