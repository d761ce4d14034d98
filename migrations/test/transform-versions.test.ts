import t from 'tap';
import { createTenant, migrate, migrations } from '../src/index.ts';
import { emptyDatabase } from './database.ts';

const [KEPT, CHANGED, NEW] = [1, 2, 3].map((at) => `018f4a6e-0000-7000-8000-00000000000${at}`);
const [FIRST, SECOND] = ['a'.repeat(64), 'b'.repeat(64)];
const AT = '2026-01-01T00:00:00Z';
const CHECKS = '[{"name":"few","kind":"row_count","max":3}]';
const content = (sql: string, more: object = {}) =>
  JSON.stringify({ runtime: 'duckdb-sql/1', sql, output: 'gold.acme.x', materialization: 'full', ...more });

t.test('transforms from before → version 1 of what was hydrated; a definition that was not is a draft', async (t) => {
  const database = await emptyDatabase(t);
  const owner = database.as('weir_owner');
  const moving = migrations.findIndex(({ name }) => name === 's37_transform_versions');
  await migrate(owner, migrations.slice(0, moving));
  const { tenantId } = await createTenant(owner, 'acme');
  const session = await database.session(database.superuserUrl);
  for (const [id, text] of [
    [FIRST, content('select 1')],
    [SECOND, content('select 2', { materialization: 'merge', key: ['id'], checks: JSON.parse(CHECKS) })],
  ])
    await session.query(
      `insert into transforms.artifact (tenant_id, artifact_id, runtime, content) values ($1, $2, 'duckdb-sql/1', $3)`,
      [tenantId, id, text],
    );
  for (const [id, name, sql, artifact] of [
    [KEPT, 'kept', 'select 2', SECOND],
    [CHANGED, 'changed', 'select typo', null],
    [NEW, 'new', 'select 3', null],
  ])
    await session.query(
      `insert into transforms.transform (tenant_id, transform_id, name, dialect, sql, output, materialization, key, checks,
         artifact_id, hydrated_at, created_by, updated_at)
       values ($1, $2, $3, 'duckdb', $4, 'gold.acme.' || $3, 'merge', '{id}', $5, $6, $7, 'ada', $7)`,
      [tenantId, id, name, sql, CHECKS, artifact, AT],
    );
  for (const [id, artifact, at] of [
    [CHANGED, FIRST, '2025-01-01T00:00:00Z'],
    [CHANGED, SECOND, AT],
    [KEPT, SECOND, AT],
  ])
    await session.query(
      `insert into transforms.hydration (tenant_id, transform_id, artifact_id, hydrated_at) values ($1, $2, $3, $4)`,
      [tenantId, id, artifact, at],
    );
  await migrate(owner, migrations);
  const app = await database.session(database.as('weir_app'));
  await app.query(`select set_config('app.tenant', $1, false)`, [tenantId]);
  const versions = await app.query('select * from transforms.transform_version order by transform_id');
  const written = { sql: 'select 2', materialization: 'merge', key: ['id'], partition_by: [], incremental: null };
  const version = { version: 1, artifact_id: SECOND, changes: [], created_by: 'ada', created_at: new Date(AT) };
  const definition = { ...written, checks: JSON.parse(CHECKS), origin: null };
  t.match(versions.rows, [
    { transform_id: KEPT, ...version, definition: { ...definition, output: 'gold.acme.kept' } },
    { transform_id: CHANGED, ...version, definition: { ...definition, output: 'gold.acme.x' } },
  ]);
  const transforms = await app.query(
    'select current_version, sql, draft from transforms.transform order by transform_id',
  );
  t.strictSame(transforms.rows, [
    { current_version: 1, sql: 'select 2', draft: null },
    { current_version: null, sql: 'select typo', draft: null },
    { current_version: null, sql: 'select 3', draft: null },
  ]);
  await t.rejects(app.query('update transforms.transform_version set version = 2'), { code: '42501' });
});
