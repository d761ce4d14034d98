import { call as ask, type Endpoint, type Input } from '@weir/kernel/contract';
import { cancelRun, completeRun, createRun, getRun, listRuns, type RunView, readLog } from '@weir/plugin-runs/contract';
import { cancelWorkflow, getWorkflow, startWorkflow } from '@weir/plugin-workflow-engine/contract';
import t from 'tap';
import { logLines } from '../../../test/log-lines.ts';
import { until } from '../../../test/until.ts';
import { startWorker } from '../../../test/worker-process.ts';
import * as endpoints from '../src/contract.ts';
import { runWorld } from './run-kit.ts';

/** A service that creates runs and reports them. */
const ORCHESTRATOR = 'orchestrator';
const PRINCIPALS = { [ORCHESTRATOR]: { tenants: ['acme'], capabilities: ['run:callback'] } };
const BASE = 'silver.acme.base';
const SUMS = 'gold.acme.sums';

t.test('a transform is run: rows, reasons, skips, one run at a time', async (t) => {
  const api = logLines();
  const world = await runWorld(t, { WEIR_SERVICE_PRINCIPALS: JSON.stringify(PRINCIPALS) }, api.adapt);
  const { ok, call, hydrated, materialized, ended, rows, database } = world;
  // One lane: a cancelled run that kept its place would hold up the next one for ever.
  const worker = await startWorker(t, { ...world.environment, WEIR_TRANSFORM_LANES_PER_TENANT: '1' }, 'transform');
  const base = await hydrated('base', 'select * from (values (1, 10), (2, 20)) v(id, total)', BASE);

  const early = await hydrated('early', `select total, id from ${BASE}`, 'gold.acme.early');
  const artifactOf = async () => (await ok(endpoints.hydrateTransform, { params: early })).artifact_id;
  const declared = await artifactOf();

  const made = await materialized(base);
  t.equal(await artifactOf(), declared, 'the table is what was declared of it');
  t.match(made, { status: 'succeeded', reason: 'first', rows: '2', failure: null, output_snapshot_id: /^\d+$/ });
  t.strictSame(await rows(BASE), [
    [1, 10],
    [2, 20],
  ]);
  t.not(made.orchestrator_run_id, made.run_id, 'the run is a part of one of its own');

  await t.test('the lines of a run in both logs → found by each of its keys', async (t) => {
    const started = await ok(endpoints.materializeTransform, { params: base });
    const { run_id, workflow_id } = started;
    const { orchestrator_run_id, transform_id, ...run } = await ended(run_id);
    t.equal(run.workflow_id, workflow_id, 'the run names the workflow that carries it out');
    const attempt = await until('the lines of an attempt', () => {
      const lines = worker.log().filter((line) => line.run_id === run_id);
      return lines.some(({ msg }) => msg === 'attempt ended') && lines;
    });
    const trace_id = attempt[0]?.trace_id;
    t.match(trace_id, /^[0-9a-f]{32}$/);
    const keys = { trace_id, workflow_id, transform_id };
    for (const line of attempt) t.match(line, { ...keys, orchestrator_run_id });
    const ofWorkflow = worker.log().filter((line) => line.workflow_id === run.workflow_id);
    for (const line of attempt) t.ok(ofWorkflow.includes(line));
    const start = api.lines.find((line) => line.msg === 'answered' && line.trace_id === trace_id);
    t.match(start, keys, 'the answer to a start names what it made');
  });

  const sums = await hydrated('sums', `select sum(total)::bigint as total from ${BASE}`, SUMS);
  const first = await materialized(sums);
  t.match(first, {
    ...{ status: 'succeeded', reason: 'first', triggering_transform_id: sums.transform_id },
    inputs: [{ dataset_id: BASE, snapshot_id: made.output_snapshot_id }],
  });
  t.strictSame(await rows(SUMS), [['30']]);

  await t.test('nothing has moved → skipped, unless it is forced', async (t) => {
    t.match(await materialized(sums), { status: 'skipped', reason: null, output_snapshot_id: null });
    t.match(await materialized(sums, { force: true }), { status: 'succeeded', reason: 'forced', rows: '1' });
  });

  await t.test('a typo that is saved, and refused → a run carries out what is in force', async (t) => {
    await ok(endpoints.changeTransform, { params: base, body: { sql: 'select totl as total, 1 as id' } });
    t.match(await call(endpoints.hydrateTransform, { params: base }), {
      problem: { status: 422, code: 'sql_refused', faults: [{ code: 'column_unknown', line: 1, column: 8 }] },
    });
    t.match(await materialized(base, { force: true }), { status: 'succeeded', reason: 'forced', rows: '2' });
    t.strictSame(await rows(BASE), [
      [1, 10],
      [2, 20],
    ]);
    const draft = { sql: 'select totl as total, 1 as id', changes: ['statement'] };
    t.match(await ok(endpoints.getTransform, { params: base }), { version: 1, draft });
  });

  await t.test(
    'another definition with other columns → the table has these, and what reads it runs again',
    async (t) => {
      await ok(endpoints.changeTransform, { params: base, body: { sql: "select 'x' as total, 7 as n" } });
      await ok(endpoints.hydrateTransform, { params: base });
      t.match(await materialized(base), { status: 'succeeded', reason: 'definition_changed', moved_inputs: [] });
      t.strictSame(await rows(BASE), [['x', 7]]);
      const failed = await materialized(sums);
      t.match(failed, { status: 'failed', reason: 'input_moved', moved_inputs: [BASE] });
      t.match(failed.failure, { retryable: false });
      t.strictSame(await rows(SUMS), [['30']], 'the output is as before');
    },
  );

  await t.test('parallel starts → one run; a repeated execute → the run that is there', async (t) => {
    const slow = await hydrated('slow', 'select count(*) as n from range(90000000000)', 'gold.acme.slow');
    const starts = await Promise.all([1, 2].map(() => call(endpoints.materializeTransform, { params: slow })));
    t.strictSame(starts.map(({ status }) => status).sort(), [202, 409]);
    const [taken, refused] = [starts.find(({ ok }) => ok), starts.find(({ ok }) => !ok)];
    const runId = taken?.ok ? taken.body.run_id : '';
    t.match(refused, { problem: { code: 'run_already_active', run_id: runId } });
    const whole = await until('a whole that runs as its part does', async () => {
      const [run] = (await ok(listRuns, { query: { status: 'running', subject_id: slow.transform_id } })).items;
      return run?.parts[0]?.status === 'running' ? run : undefined;
    });
    t.match(whole, { kind: 'materialization', parts: [{ run_id: runId, kind: 'transform' }], parts_total: 1 });
    const log = (id: string) => ok(readLog, { params: { id }, query: {} });
    await until('lines of the part in the log of the whole', async () => (await log(whole.run_id)).items.length > 0);
    const cancelled = await ok(endpoints.cancelTransformRun, { params: { run_id: runId } });
    t.match(cancelled, { run_id: runId, outcome: 'cancelling' }, 'its worker is asked');
    t.match(await ended(runId), { status: 'cancelled', failure: null });
    // The whole ends behind its part, by a step of its own.
    const wholes = await until('the end of the whole', async () => {
      const { items } = await ok(listRuns, { query: { subject_id: slow.transform_id } });
      return items.every(({ is_terminal }) => is_terminal) ? items : undefined;
    });
    t.match(wholes, [{ status: 'cancelled' }]);
    t.strictSame((await log(whole.run_id)).items, (await log(runId)).items);

    const body = { orchestrator_run_id: 'outer-1' };
    const one = await ok(endpoints.executeTransform, { params: base, body: { ...body, force: true } });
    const other = await ok(endpoints.executeTransform, { params: sums, body });
    t.not(other.run.run_id, one.run.run_id, 'each transform has its own row');
    const done = await ended(one.run.run_id);
    t.match(done, { orchestrator_run_id: 'outer-1', status: 'succeeded' });
    const again = await ok(endpoints.executeTransform, { params: base, body });
    t.match(again, { run: { run_id: one.run.run_id }, snapshot_id_exact: done.output_snapshot_id });
    t.equal(String(again.snapshot_id), done.output_snapshot_id);
    await ended(other.run.run_id);
  });

  await t.test('a cancel by any route, of a part or its whole → the work is gone and both rows ended', async (t) => {
    const endless = 'select count(*) as n from range(90000000000)';
    const slow = await hydrated('endless', endless, 'gold.acme.endless');
    const first = await hydrated('first', endless, 'gold.acme.first');
    const running = (run_id: string) =>
      until('a running run', async () => {
        const { status } = await ok(endpoints.getTransformRun, { params: { run_id } });
        return status === 'running';
      });
    const routes: [string, (part: string, whole: RunView) => Promise<unknown>][] = [
      ['/runs/{part}/cancel', (id) => ok(cancelRun, { params: { id } })],
      ['/runs/{whole}/cancel', (_, { run_id: id }) => ok(cancelRun, { params: { id } })],
      ['/transform-runs/{part}/cancel', (run_id) => ok(endpoints.cancelTransformRun, { params: { run_id } })],
      ['/workflow-engine/workflows/{part}/cancel', (id) => ok(cancelWorkflow, { params: { workflow_id: id } })],
      [
        '/workflow-engine/workflows/{workflow}/cancel',
        (_, { workflow_id }) => ok(cancelWorkflow, { params: { workflow_id } }),
      ],
    ];
    const newest = async () => (await ok(listRuns, { query: { subject_id: slow.transform_id } })).items[0];
    for (const [route, cancel] of routes) {
      for (const wanted of ['running', 'pending'] as const) {
        // The only lane is taken, so that a run waits for it.
        const other = wanted === 'pending' ? await ok(endpoints.materializeTransform, { params: first }) : undefined;
        if (other !== undefined) await running(other.run_id);
        const { run_id: part } = await ok(endpoints.materializeTransform, { params: slow });
        const whole = await until(`a ${wanted} run`, async () => {
          const run = await newest();
          return run?.status === wanted ? run : undefined;
        });
        for (const workflow_id of wanted === 'running' ? [part, whole.workflow_id] : []) {
          t.match(await ok(getWorkflow, { params: { workflow_id } }), {
            ...{ workflow_id: whole.workflow_id, engine: { status: 'running' } },
            worker: { state: /^(working|waiting)$/ },
          });
        }
        await cancel(part, whole);
        t.match(await ended(part), { status: 'cancelled', failure: null }, `${route}, ${wanted}`);
        await until('the end of the whole', async () => (await newest())?.status === 'cancelled');
        if (other !== undefined) await ok(endpoints.cancelTransformRun, { params: { run_id: other.run_id } });
      }
    }
    // The only lane is free again: whatever was cancelled has left it.
    t.match(await materialized(base, { force: true }), { status: 'succeeded' });
  });

  await t.test('a row of POST /runs for the transform → taken over by execute, under its own id', async (t) => {
    const service = await world.issuer.serviceToken(ORCHESTRATOR);
    const asService = <E extends Endpoint>(endpoint: E, input: Partial<Input<E>>) =>
      ask(endpoint, input, { url: world.api.url, token: service, tenant: 'acme' });
    const body = { orchestrator_run_id: 'outer-7' };
    const made = await asService(createRun, { body: { ...body, subject_id: base.transform_id } });
    if (!made.ok) throw new Error(JSON.stringify(made.problem));
    const { run_id } = made.body;
    const executed = await ok(endpoints.executeTransform, { params: base, body: { ...body, force: true } });
    t.match(executed, { run: { run_id, orchestrator_run_id: 'outer-7' } });
    t.match(await ended(run_id), { status: 'succeeded', rows: '1' });
    t.match(await ok(getRun, { params: { id: run_id } }), { kind: 'transform', carried_by: 'parent', deadline: null });
    const params = { id: run_id };
    t.match(await asService(completeRun, { params, body }), { problem: { code: 'run_not_reported' } });
    const again = await ok(endpoints.executeTransform, { params: base, body });
    t.equal(again.run.run_id, run_id);
    const late = await asService(createRun, {
      body: { orchestrator_run_id: 'outer-8', subject_id: base.transform_id },
    });
    const done = { id: late.ok ? late.body.run_id : '' };
    await asService(completeRun, { params: done, body: { orchestrator_run_id: 'outer-8' } });
    t.match(await call(endpoints.executeTransform, { params: base, body: { orchestrator_run_id: 'outer-8' } }), {
      problem: { status: 409, code: 'run_not_active' },
    });
  });

  await t.test('a transform is deleted → no route tells of its runs, and those of others stay', async (t) => {
    const runs = async () => (await ok(listRuns, { query: { limit: 200, top: false } })).items;
    const all = await runs();
    const own = all.filter(({ subject }) => subject.id === sums.transform_id);
    t.ok(own.some(({ kind }) => kind === 'materialization') && own.some(({ kind }) => kind === 'transform'));
    const [part] = own.filter(({ kind, status }) => kind === 'transform' && status === 'succeeded');
    const tenant = 'select tenant_id from kernel.tenant where alias = $1';
    await database.peek(
      `insert into webhooks.webhook (tenant_id, webhook_id, name, host, sealed, events, created_by)
       values ((${tenant}), gen_random_uuid(), 'hook', 'example.org', '', '{run.failed,table.changed}', 'ada')`,
      ['acme'],
    );
    const deliver =
      "insert into webhooks.delivery (tenant_id, webhook_id, event_id, event, subject, facts, retry_until) select tenant_id, webhook_id, gen_random_uuid(), $1, 's', $2, now() from webhooks.webhook";
    for (const event of ['run.failed', 'table.changed'])
      await database.peek(deliver, [event, JSON.stringify({ run_id: part?.run_id })]);

    await ok(endpoints.deleteTransform, { params: sums });
    for (const { run_id, workflow_id } of own) {
      const params = { id: run_id };
      const asked = [
        await call(getRun, { params }),
        await call(getRun, { params: { id: workflow_id } }),
        await call(readLog, { params, query: {} }),
        await call(cancelRun, { params }),
        await call(endpoints.getTransformRun, { params: { run_id } }),
        await call(endpoints.readTransformRunLog, { params: { run_id }, query: {} }),
        await call(endpoints.getRunOfTransform, { params: { ...sums, run_id } }),
        await call(getWorkflow, { params: { workflow_id } }),
        await call(getWorkflow, { params: { workflow_id: run_id } }),
      ];
      t.strictSame([...new Set(asked.map(({ status }) => status))], [404], run_id);
    }
    const rest = all.filter((run) => !own.includes(run)).map(({ run_id }) => run_id);
    t.strictSame(
      (await runs()).map(({ run_id }) => run_id),
      rest,
    );
    const told = await database.peek(
      "select event, facts ->> 'run_id' as run_id from webhooks.delivery where subject = 's'",
    );
    t.strictSame(told, [{ event: 'table.changed', run_id: null }]);
    const ids = own.map(({ run_id }) => run_id);
    const kept = 'select 1 from platform.run_log_segment where run_id = any ($1::uuid[])';
    await until('no line of these runs in the store', async () => (await database.peek(kept, [ids])).length === 0);
  });

  await t.test('a start through the workflow engine → the same run', async (t) => {
    const started = await ok(startWorkflow.transform, { body: { transform_id: base.transform_id } });
    const { run_id, workflow_id } = await ok(getWorkflow, { params: { workflow_id: started.workflow_id } });
    t.match(started, { run_id, workflow_id });
    const [part] = (await ok(endpoints.listTransformRuns, { query: { limit: 1 } })).items;
    t.match(part, { workflow_id, orchestrator_run_id: run_id });
    t.match(await ended(part?.run_id ?? ''), { status: 'skipped', transform_id: base.transform_id });
  });
});
