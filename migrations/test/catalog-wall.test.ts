import fc from 'fast-check';
import t from 'tap';
import { ensureSharedNamespaces, migrate, migrations } from '../src/index.ts';
import { emptyDatabase } from './database.ts';

const insert = `insert into catalog.iceberg_tables (catalog_name, table_namespace, table_name, metadata_location, iceberg_type)
  values ('weir', $1, $2, 'file:/x', 'TABLE')`;

t.test('a tenant writes to the three namespaces of its scope and to no other, whatever it is called', async (t) => {
  const database = await emptyDatabase(t);
  await migrate(database.as('weir_owner'), migrations);
  await ensureSharedNamespaces(database.as('weir_owner'), 'weir');
  await ensureSharedNamespaces(database.as('weir_owner'), 'weir');
  const app = await database.session(database.as('weir_app'));
  await app.query(`select set_config('app.scope', 'acme', false)`);
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
  await app.query(`select set_config('app.scope', 'other', false)`);
  t.strictSame((await app.query('select * from catalog.iceberg_tables')).rows, []);
  t.equal((await app.query('delete from catalog.iceberg_tables')).rowCount, 0);
  await app.query(`select set_config('app.scope', '', false)`);
  t.strictSame((await app.query('select * from catalog.iceberg_tables')).rows, [], 'no scope, no rows');
  const shared = await app.query('select namespace from catalog.iceberg_namespace_properties order by 1');
  t.strictSame(shared.rows, [{ namespace: 'raw.shared' }, { namespace: 'registry.shared' }]);
  t.equal((await app.query('delete from catalog.iceberg_namespace_properties')).rowCount, 0);
});
