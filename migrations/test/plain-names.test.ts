import t from 'tap';
import { createTenant, migrate, migrations } from '../src/index.ts';
import { emptyDatabase } from './database.ts';

const RUN = '018f4a6e-0000-7000-8000-000000000001';
const AT = new Date('2026-01-01T00:00:00Z');

t.test('rows under the names of before → the same values under the new names, others untouched', async (t) => {
  const database = await emptyDatabase(t);
  const owner = database.as('weir_owner');
  const renaming = migrations.findIndex(({ name }) => name === 's47_plain_names');
  await migrate(owner, migrations.slice(0, renaming));
  const { tenantId } = await createTenant(owner, 'acme');
  const session = await database.session(database.superuserUrl);
  const checkpoint = `insert into datasets.checkpoint (tenant_id, key, state, counters, run_id, updated_at)
    values ($1, $2, null, $3, $4, now())`;
  await session.query(checkpoint, [tenantId, 'stream', '{"batch": 7, "got_on_at": 3}', RUN]);
  await session.query(checkpoint, [tenantId, 'other', '{"batch": 1}', RUN]);
  await session.query("insert into identity.person (tenant_id, sub, client, told_at) values ($1, 'ada', 'cli', $2)", [
    tenantId,
    AT,
  ]);
  await migrate(owner, migrations);
  const app = await database.session(database.as('weir_app'));
  t.strictSame((await app.query('select key from datasets.checkpoint')).rows, [], 'the wall stands again');
  await app.query(`select set_config('app.tenant', $1, false)`, [tenantId]);
  t.strictSame((await app.query('select key, counters from datasets.checkpoint order by key')).rows, [
    { key: 'other', counters: { batch: 1 } },
    { key: 'stream', counters: { batch: 7, progress_attempt: 3 } },
  ]);
  t.strictSame((await app.query('select issued_at from identity.person')).rows, [{ issued_at: AT }]);
});
