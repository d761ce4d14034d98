import fc from 'fast-check';
import t from 'tap';
import { createTenant, migrate, migrations, tenantScope } from '../src/index.ts';
import { emptyDatabase } from './database.ts';

const SCOPE = /^[a-z][a-z0-9_]{0,47}$/;
const alias = fc.oneof(fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/), fc.stringMatching(/^[aA0][-_aA]{0,3}$/));

t.test('any aliases get distinct, valid scopes, and those already made never change', async () => {
  fc.assert(
    fc.property(fc.uniqueArray(alias, { maxLength: 40 }), (aliases) => {
      const taken = new Set<string>();
      for (const one of aliases) {
        const scope = tenantScope(one, taken);
        if (!SCOPE.test(scope) || taken.has(scope) || tenantScope(one, taken) !== scope) return false;
        taken.add(scope);
      }
      return taken.size === aliases.length;
    }),
    { numRuns: 500 },
  );
});

t.test('tenants made at once under alike aliases are all made, once each', async (t) => {
  const database = await emptyDatabase(t);
  const owner = database.as('weir_owner');
  await migrate(owner, migrations);
  const aliases = ['A-b', 'a-b', 'a_b', 'A_B', 'a-B'];
  const made = await Promise.all([...aliases, ...aliases].map((one) => createTenant(owner, one)));
  t.equal(made.filter((tenant) => tenant.created).length, aliases.length);
  t.equal(new Set(made.map((tenant) => tenant.tenantId)).size, aliases.length);
  t.equal(new Set(made.map((tenant) => tenant.scope)).size, aliases.length);
  for (const wrong of ['', '-a', 'a b', 'ä', 'a'.repeat(64), "a'"]) {
    await t.rejects(createTenant(owner, wrong), /an alias has letters/);
  }
});

t.test('the platform role adds tenants by its function alone, with the scopes that the owner gives', async (t) => {
  const database = await emptyDatabase(t);
  const owner = database.as('weir_owner');
  await migrate(owner, migrations);
  const app = await database.session(database.as('weir_app'));
  const add = async (wanted: string | null) =>
    (await app.query('select * from platform.create_tenant($1)', [wanted])).rows;
  const taken = new Set<string>();
  const alike = ['A-b', 'a-b', 'a_b', '9', 't9', '0'.repeat(63), 'Z'.repeat(48), 'z'.repeat(48), `${'z'.repeat(48)}-`];
  for (const one of new Set([...alike, ...fc.sample(alias, { numRuns: 100, seed: 7 })])) {
    const scope = tenantScope(one, taken);
    const [made, ...more] = await add(one);
    t.match(made, { alias: one, scope, tenant_id: /^[0-9a-f]{8}-[0-9a-f]{4}-7/, disabled_at: null });
    t.ok(
      Math.abs(Number.parseInt(made.tenant_id.replace('-', '').slice(0, 12), 16) - Number(made.created_at)) < 60_000,
    );
    t.strictSame([more, await add(one)], [[], []], 'a second time adds nothing');
    t.match(await createTenant(owner, one), { tenantId: made.tenant_id, scope, created: false });
    taken.add(scope);
  }
  for (const wrong of [null, '', '-a', 'a b', 'ä', 'a'.repeat(64), "a'", 'a\n', 'a\nb', '\u212a']) {
    await t.rejects(add(wrong), { code: '22023', message: 'the alias of a tenant is invalid' });
  }
  for (const text of [
    `insert into kernel.tenant (tenant_id, alias, scope) values (gen_random_uuid(), 'x', 'x')`,
    `update kernel.tenant set scope = 'x'`,
    'update kernel.tenant set disabled_at = now()',
    'delete from kernel.tenant',
    'create or replace function platform.create_tenant(wanted text) returns setof kernel.tenant language sql return null',
  ]) {
    await t.rejects(app.query(text), { code: '42501' }, text);
  }
  const system = await database.session(database.as('weir_system'));
  await t.rejects(system.query(`select platform.create_tenant('x')`), { code: '42501' });
  const { rows } = await app.query('select count(*)::int as count from kernel.tenant');
  t.equal(rows[0].count, taken.size);
});
