import t from 'tap';
import { createTenant, migrate, migrations } from '../src/index.ts';
import { emptyDatabase } from './database.ts';

const SOURCE = '018f4a6e-0000-7000-8000-000000000001';
const FIRING = '018f4a6e-0000-7000-8000-000000000002';
const TIMES = '{"cron": [], "interval_seconds": 60}';
const at = '2026-01-01T00:00:00Z';

t.test('schedules of sources from before → of the kind source, to be given to the engine again', async (t) => {
  const database = await emptyDatabase(t);
  const owner = database.as('weir_owner');
  const moving = migrations.findIndex(({ name }) => name === 's30_schedules');
  await migrate(owner, migrations.slice(0, moving));
  const { tenantId } = await createTenant(owner, 'acme');
  const session = await database.session(database.superuserUrl);
  await session.query(
    `insert into sources.source (tenant_id, source_id, name, pattern_id, pattern_version, source_config, status, created_at, updated_at)
     values ($1, $2, 'shop', 'files', '1', '{}', 'ready', $3, $3)`,
    [tenantId, SOURCE, at],
  );
  await session.query(
    `insert into sources.schedule (tenant_id, source_id, times, overlap, version, next_run_at, applied_version,
       created_at, updated_at, updated_by) values ($1, $2, $3, 'skip', 3, $4, 3, $4, $4, 'somebody')`,
    [tenantId, SOURCE, TIMES, at],
  );
  await session.query(
    `insert into sources.schedule_firing (tenant_id, firing_id, source_id, origin, scheduled_at, fired_at, looked_at, outcome,
       reason, requested_by) values ($1, $2, $3, 'schedule', $4, $4, $4, 'skipped', '{}', 'schedule')`,
    [tenantId, FIRING, SOURCE, at],
  );
  await migrate(owner, migrations);
  const app = await database.session(database.as('weir_app'));
  const read = (what: string) => app.query(`select subject_id, subject_kind, ${what}`);
  t.strictSame((await read('version from schedules.schedule')).rows, [], 'nobody sees them without a tenant');
  await app.query(`select set_config('app.tenant', $1, false)`, [tenantId]);
  t.match((await read('version, applied_version, judged_from from schedules.schedule')).rows, [
    { subject_id: SOURCE, subject_kind: 'source', version: 3, applied_version: null, judged_from: new Date(at) },
  ]);
  t.match((await read('firing_id from schedules.firing')).rows, [
    { subject_id: SOURCE, subject_kind: 'source', firing_id: FIRING },
  ]);
});
