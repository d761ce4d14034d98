import { RunLogs } from '@weir/plugin-platform/contract';
import { Client } from 'pg';
import t from 'tap';
import { testPlatform } from '../../../test/platform.ts';
import { until } from '../../../test/until.ts';
import { createSource } from '../src/contract.ts';
import { finishSync } from '../src/work/sync/finish-sync.ts';
import { ok } from './platform.ts';

t.test('the end of a sync waits for a start of the same source instead of locking it in a circle', async (t) => {
  const world = await testPlatform(t, t.testdir());
  const tenant = await world.database.tenant('acme');
  const kernel = world.platform.plugins.find(({ manifest }) => manifest.id === 'sources')?.kernel;
  if (kernel === undefined) throw new Error('the plugin is not there');
  const who = { token: await world.token('acme'), tenant: 'acme' };
  const body = { name: 'shop', pattern_id: 'files', source_config: { path: world.environment.WEIR_WAREHOUSE } };
  const { source_id } = ok(await world.call(who, createSource, { body }));
  const runId = '018f4a6e-0000-7000-8000-000000000001';
  await world.database.peek(
    `insert into kernel.run (tenant_id, run_id, kind, subject_id, exclusive, status, workflow_id, requested_by)
     values ($1, $2, 'source-sync', $3, true, 'running', 'none', 'test')`,
    [tenant.tenantId, runId, source_id],
  );
  await world.database.peek(
    `insert into sources.sync_run (tenant_id, run_id, source_id, phase, created_at, updated_at)
     values ($1, $2, $3, 'reading', now(), now())`,
    [tenant.tenantId, runId, source_id],
  );
  const starting = new Client({ connectionString: world.database.superuserUrl });
  await starting.connect();
  t.teardown(() => starting.end());
  await starting.query('begin');
  await starting.query('select 1 from sources.source where source_id = $1 for update', [source_id]);
  const deps = { kernel, runLogs: kernel.use(RunLogs) };
  const ended = finishSync(deps, { tenant, runId, outcome: { status: 'cancelled' } });
  await until('a session that waits for a lock', async () => {
    const [row] = await world.database.peek(
      `select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return Number(row?.n) > 0;
  });
  const { rows } = await starting.query('select status from kernel.run where run_id = $1 for update nowait', [runId]);
  t.strictSame(rows, [{ status: 'running' }], 'the run is free for the one that holds its source');
  await starting.query('commit');
  await ended;
  t.match(await kernel.runs.find(tenant, runId), { status: 'cancelled' });
});
