import fc from 'fast-check';
import t from 'tap';
import { createTenant, ensureSharedNamespaces, migrate, migrations } from '../src/index.ts';
import { emptyDatabase } from './database.ts';

const insert = `insert into catalog.iceberg_tables (catalog_name, table_namespace, table_name, metadata_location, iceberg_type)
  values ('weir', $1, $2, 'file:/x', 'TABLE')`;

t.test('a tenant writes to the three namespaces of its scope and to no other, whatever it is called', async (t) => {
  const database = await emptyDatabase(t);
  await migrate(database.as('weir_owner'), migrations);
  await ensureSharedNamespaces(database.as('weir_owner'), 'weir');
  await ensureSharedNamespaces(database.as('weir_owner'), 'weir');
  const [acme, other] = [
    await createTenant(database.as('weir_owner'), 'acme'),
    await createTenant(database.as('weir_owner'), 'other'),
  ];
  const app = await database.session(database.as('weir_app'));
  const become = (tenantId: string) => app.query(`select set_config('app.tenant', $1, false)`, [tenantId]);
  await become(acme.tenantId);
  const own = ['bronze.acme', 'silver.acme', 'gold.acme'];
  for (const namespace of own) await app.query(insert, [namespace, 't']);
  const segment = fc.constantFrom(
    'bronze',
    'silver',
    'gold',
    'raw',
    'registry',
    'shared',
    'acme',
    'other',
    'ACME',
    '',
    ' ',
    '%',
    'acme_',
  );
  const odd = fc.oneof(
    fc.array(segment, { maxLength: 4 }).map((parts) => parts.join('.')),
    fc.string({ maxLength: 20 }),
  );
  await fc.assert(
    fc.asyncProperty(
      odd.filter((name) => !name.includes('\0') && name.isWellFormed()),
      async (namespace) => {
        const code = await app.query(insert, [namespace, 'u']).then(
          () => 'written',
          (error) => error.code,
        );
        if (code === 'written') await app.query(`delete from catalog.iceberg_tables where table_name = 'u'`);
        return code === (own.includes(namespace) ? 'written' : '42501');
      },
    ),
    { numRuns: 300 },
  );
  await t.rejects(app.query(`update catalog.iceberg_tables set table_namespace = 'bronze.other'`), { code: '42501' });
  const rows = async () =>
    (await app.query('select distinct table_namespace as name from catalog.iceberg_tables')).rows;
  await become(other.tenantId);
  await app.query(`select set_config('app.scope', 'acme', false)`);
  t.strictSame(await rows(), [], 'the scope of another beside the own tenant opens nothing');
  t.equal((await app.query('delete from catalog.iceberg_tables')).rowCount, 0);
  await t.rejects(app.query(insert, ['bronze.acme', 'v']), { code: '42501' });
  await app.query(insert, ['bronze.other', 't']);
  t.strictSame(await rows(), [{ name: 'bronze.other' }]);
  for (const nobody of ['', '00000000-0000-0000-0000-000000000000']) {
    await become(nobody);
    t.strictSame(await rows(), [], 'no tenant, no rows');
    const [asked] = (await app.query(`select catalog.is_own('bronze.acme') as own`)).rows;
    t.equal(asked.own, false);
  }
  const shared = await app.query('select namespace from catalog.iceberg_namespace_properties order by 1');
  t.strictSame(shared.rows, [{ namespace: 'raw.shared' }, { namespace: 'registry.shared' }]);
  t.equal((await app.query('delete from catalog.iceberg_namespace_properties')).rowCount, 0);
});
