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
