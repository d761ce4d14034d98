import * as tools from '@weir/migrations';
import { createTelemetry } from '@weir/telemetry';
import { pino } from 'pino';
import t from 'tap';
import { RunChanges, RunDrops } from '../src/contract/points.ts';
import { contribute, contributions } from '../src/contributions/contributions.ts';
import { createRuns } from '../src/runs/create-runs.ts';
import { runView } from '../src/runs/run-view.ts';
import type { NewRun, RunRecord } from '../src/runs/runs.ts';
import { tenantStore } from '../src/tenancy/tenant-store.ts';
import { memoryWorkflows, openDatabase, testDatabase } from '../src/testing.ts';

const log = pino({ level: 'silent' });
const subjectId = '018f4a6e-0000-7000-8000-000000000009';
const kinds = [
  { kind: 'sync', workflowType: 'SyncWorkflow', role: 'source', exclusive: true },
  { kind: 'look', workflowType: 'LookWorkflow', role: 'source', exclusive: false },
  { kind: 'sync-v2', workflowType: 'SyncV2Workflow', role: 'source', exclusive: true, exclusiveGroup: 'any-sync' },
  { kind: 'sync-v3', workflowType: 'SyncV3Workflow', role: 'source', exclusive: true, exclusiveGroup: 'any-sync' },
  { kind: 'outside', exclusive: false },
  { kind: 'part', exclusive: true },
];

async function setUp(t: Parameters<typeof testDatabase>[0]) {
  const database = await testDatabase(t, tools);
  const store = await openDatabase({ ...database.app, name: database.app.database, entities: [], log });
  t.teardown(() => store.close());
  const workflows = memoryWorkflows();
  const given = contributions();
  const runs = createRuns({
    db: store.db,
    workflows,
    kinds,
    queueOf: (role) => `${role}-q`,
    contributions: given,
    log,
  });
  const tenant = await database.tenant('acme');
  const start = async (kind = 'sync', more: Partial<NewRun> = {}) => {
    const admitted = await runs.admit(kind);
    const run = { kind, subjectId, requestedBy: 'ada', admitted, ...more };
    return store.db(tenant).transaction((tx) => runs.start(tx, run));
  };
  return { database, store, workflows, given, runs, tenant, start, tenants: tenantStore(store.sql) };
}

/** What a thrown problem of this code looks like to `rejects`. */
const problem = (code: string) => ({ entry: { code } }) as unknown as Error;

t.test('a run is written in the caller transaction and its workflow starts after commit', async (t) => {
  const { runs, tenant, workflows, start, store } = await setUp(t);
  const { run_id, workflow_id } = await start();
  t.equal(workflow_id, `${tenant.tenantId}:sync:${run_id}`);
  t.match(workflows.started, [
    {
      workflowId: workflow_id,
      type: 'SyncWorkflow',
      taskQueue: 'source-q',
      args: [{ tenant_id: tenant.tenantId, run_id }],
    },
  ]);
  t.match(await runs.find(tenant, run_id), { status: 'pending', kind: 'sync' });
  t.match(await store.db(tenant).transaction((tx) => runs.findMany(tx, [run_id, subjectId])), [{ runId: run_id }]);
  t.match(await runs.find(tenant, workflow_id, 'sync'), { runId: run_id });
  t.equal(await runs.find(tenant, workflow_id, 'look'), undefined);
  const admitted = await runs.admit('look');
  const rolledBack = store.db(tenant).transaction(async (tx) => {
    await runs.start(tx, { kind: 'look', subjectId, requestedBy: 'ada', admitted });
    throw new Error('no');
  });
  await t.rejects(rolledBack, /no/);
  t.equal(workflows.started.length, 1, 'a run that was rolled back starts nothing');
});

t.test('of 50 identical triggers exactly one becomes a run, the others name it', async (t) => {
  const { start, workflows, database } = await setUp(t);
  const answers = await Promise.allSettled(Array.from({ length: 50 }, () => start()));
  const made = answers.filter((answer) => answer.status === 'fulfilled');
  t.equal(made.length, 1);
  for (const answer of answers)
    if (answer.status === 'rejected')
      t.match(answer.reason, { entry: { code: 'run_already_active' }, details: { members: { run_id: String } } });
  t.equal(workflows.started.length, 1);
  t.match(await database.peek('select count(*)::int as n from kernel.run'), [{ n: 1 }]);
});

t.test('a start during an outage is made good by the sweeper, once', async (t) => {
  const { runs, tenants, workflows, start, database } = await setUp(t);
  workflows.down = true;
  await start();
  t.equal(workflows.started.length, 0);
  await database.peek("update kernel.run set created_at = now() - interval '1 minute'");
  const sweep = () => runs.sweep.round({ tenants, log });
  await sweep();
  t.equal(workflows.started.length, 0);
  workflows.down = false;
  await sweep();
  await sweep();
  t.equal(workflows.started.length, 1);
});

t.test('a run keeps the trace of the request that made it, and its workflow starts in it, however late', async (t) => {
  const { store, workflows, tenant, tenants, given, database } = await setUp(t);
  const telemetry = createTelemetry();
  const seen: unknown[] = [];
  const noting = {
    ...workflows,
    async start(request: Parameters<typeof workflows.start>[0]) {
      seen.push(telemetry.traceparent());
      if (seen.length === 1) throw new Error('the engine is down');
      return workflows.start(request);
    },
  };
  const deps = { db: store.db, workflows: noting, kinds, queueOf: () => 'q', contributions: given, telemetry, log };
  const runs = createRuns(deps);
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  const admitted = await runs.admit('look');
  const run = { kind: 'look', subjectId, requestedBy: 'ada', admitted };
  await telemetry.within(traceparent, () => store.db(tenant).transaction((tx) => runs.start(tx, run)));
  t.match(await database.peek('select traceparent from kernel.run'), [{ traceparent }]);
  await database.peek("update kernel.run set created_at = now() - interval '1 minute'");
  const sweep = () => runs.sweep.round({ tenants, log });
  await sweep();
  t.strictSame(seen, [traceparent, traceparent]);
});

t.test('a run whose workflow is gone ends failed, and never stays running', async (t) => {
  const { runs, tenant, tenants, workflows, start, database } = await setUp(t);
  const { run_id } = await start();
  await runs.begin(tenant, run_id);
  workflows.started.length = 0;
  const sweep = () => runs.sweep.round({ tenants, log });
  await sweep();
  t.match(await runs.find(tenant, run_id), { status: 'running' }, 'within its grace it is left alone');
  await database.peek("update kernel.run set workflow_started_at = now() - interval '5 minutes'");
  await sweep();
  t.match(await runs.find(tenant, run_id), { status: 'failed', failure: { code: 'workflow_lost', retryable: true } });
});

t.test('each attempt fences the one before, and a terminal run never changes', async (t) => {
  const { runs, tenant, store, start } = await setUp(t);
  const { run_id } = await start();
  const first = await runs.begin(tenant, run_id);
  const second = await runs.begin(tenant, run_id);
  t.equal(second!.leaseEpoch, first!.leaseEpoch + 1);
  const assert = (epoch: number) => store.db(tenant).transaction((tx) => runs.assertLease(tx, run_id, epoch));
  await t.rejects(assert(first!.leaseEpoch), problem('lease_lost'));
  await assert(second!.leaseEpoch);
  t.equal(await runs.finish(tenant, run_id, { status: 'succeeded' }), true);
  await t.rejects(assert(second!.leaseEpoch), problem('lease_lost'));
  t.equal(await runs.finish(tenant, run_id, { status: 'failed' }), false);
  t.equal(await runs.begin(tenant, run_id), undefined);
  t.match(await runs.find(tenant, run_id), { status: 'succeeded' });
});

t.test("a foreign tenant's run is as absent as one that never was", async (t) => {
  const { store, runs, database, start } = await setUp(t);
  const { run_id, workflow_id } = await start();
  const other = await database.tenant('other');
  t.equal(await runs.find(other, run_id), undefined);
  t.strictSame(await store.db(other).transaction((tx) => runs.findMany(tx, [run_id])), []);
  t.equal(await runs.find(other, workflow_id), undefined);
  t.equal(await runs.begin(other, run_id), undefined);
  t.strictSame((await runs.page(other, {}, { limit: 5 })).items, []);
});

t.test('a run that cannot be swept holds up no other, of its tenant or the next', async (t) => {
  const { runs, database, tenant, tenants, workflows, start } = await setUp(t);
  workflows.down = true;
  const { run_id: known } = await start();
  workflows.down = false;
  const other = await database.tenant('other');
  await database.peek(
    `insert into kernel.run (tenant_id, run_id, kind, subject_id, exclusive, status, workflow_id, requested_by)
     select tenant_id, gen_random_uuid(), 'retired-kind', tenant_id, false, 'pending', 'x', 'x' from kernel.tenant`,
  );
  await database.peek("update kernel.run set created_at = now() - interval '1 minute'");
  const sweep = () => runs.sweep.round({ tenants, log });
  await sweep();
  t.match(workflows.started, [{ workflowId: `${tenant.tenantId}:sync:${known}` }]);
  t.equal((await runs.page(other, {}, { limit: 5 })).items.length, 1);
});

t.test('a run that a worker took although its start was never noted is still watched', async (t) => {
  const { runs, tenant, tenants, workflows, start, database } = await setUp(t);
  workflows.down = true;
  const { run_id } = await start();
  workflows.down = false;
  await runs.begin(tenant, run_id);
  await database.peek(
    "update kernel.run set workflow_started_at = workflow_started_at - interval '5 minutes', created_at = now() - interval '5 minutes'",
  );
  const sweep = () => runs.sweep.round({ tenants, log });
  await sweep();
  t.match(await runs.find(tenant, run_id), { status: 'failed', failure: { code: 'workflow_lost' } });
});

t.test('exclusive kinds of one group exclude each other on a subject, and no other kind', async (t) => {
  const { start } = await setUp(t);
  const { run_id } = await start('sync-v2');
  await t.rejects(start('sync-v3'), { ...problem('run_already_active'), details: { members: { run_id } } });
  await start('sync');
  await start('sync-v3', { subjectId: '018f4a6e-0000-7000-8000-000000000008' });
});

t.test('a run that its caller carries out has no workflow, and fails when its deadline passes', async (t) => {
  const { runs, tenant, tenants, workflows, start, database } = await setUp(t);
  workflows.polledAt = undefined;
  const deadline = new Date(Date.now() + 3_600_000);
  const { run_id } = await start('outside', { deadline, orchestratorRunId: 'o-1' });
  await runs.begin(tenant, run_id);
  await database.peek(
    "update kernel.run set created_at = now() - interval '1 day', workflow_started_at = now() - interval '1 day'",
  );
  const sweep = () => runs.sweep.round({ tenants, log });
  await sweep();
  const run = await runs.find(tenant, run_id);
  t.match(run, { status: 'running', carriedBy: 'caller', deadline, orchestratorRunId: 'o-1' });
  t.equal(await runs.worker(tenant, run!), undefined);
  t.match((await runs.page(tenant, { orchestratorRunId: 'o-1' }, { limit: 5 })).items, [{ runId: run_id }]);
  await database.peek("update kernel.run set deadline = now() - interval '1 second'");
  await sweep();
  t.match(await runs.find(tenant, run_id), { status: 'failed', failure: { code: 'run_past_deadline' } });
  t.equal(workflows.started.length, 0);
  await t.rejects(start('outside'), /needs a parent or a deadline/);
});

t.test('the open parts of a run end with it, theirs too, and ended ones stay as they are', async (t) => {
  const { runs, tenant, given, start } = await setUp(t);
  const told: unknown[] = [];
  given.add([contribute(RunChanges, async (_, run) => void told.push(run))]);
  const parent = await start('sync');
  const ids = ['1', '2'].map((end) => `018f4a6e-0000-7000-8000-00000000000${end}`);
  const parts = [];
  for (const id of ids) parts.push(await start('part', { parentRunId: parent.run_id, subjectId: id }));
  const inner = await start('part', { parentRunId: parts[0]!.run_id });
  await runs.finish(tenant, parts[1]!.run_id, { status: 'succeeded' });
  told.length = 0;
  await runs.finish(tenant, parent.run_id, { status: 'failed' });
  for (const { run_id } of [parts[0]!, inner])
    t.match(await runs.find(tenant, run_id), { status: 'failed', failure: { code: 'parent_run_ended' } });
  t.match(await runs.find(tenant, parts[1]!.run_id), { status: 'succeeded', parentRunId: parent.run_id });
  t.equal(told.length, 3);
});

t.test('a run without a workflow is cancelled at once, and its parts with it', async (t) => {
  const { runs, tenant, start } = await setUp(t);
  const { run_id } = await start('outside', { deadline: new Date(Date.now() + 60_000) });
  const part = await start('part', { parentRunId: run_id });
  await runs.begin(tenant, run_id);
  t.equal(await runs.cancel(tenant, (await runs.find(tenant, run_id))!), 'cancelled');
  t.match(await runs.find(tenant, part.run_id), { status: 'cancelled', failure: undefined });
});

t.test('a part is cancelled → the run that has the workflow is asked, or ended with all its parts', async (t) => {
  const { runs, tenant, start, workflows } = await setUp(t);
  const whole = await start('sync');
  const part = await start('part', { parentRunId: whole.run_id });
  const inner = await start('part', { parentRunId: part.run_id, subjectId: '018f4a6e-0000-7000-8000-000000000001' });
  const cancel = async ({ run_id }: { run_id: string }) => runs.cancel(tenant, (await runs.find(tenant, run_id))!);
  for (const { run_id } of [whole, part, inner]) await runs.begin(tenant, run_id);
  t.equal(await cancel(inner), 'cancelling', 'its worker is asked, two runs above');
  t.strictSame(workflows.cancelled, [whole.workflow_id]);
  t.match(await runs.find(tenant, inner.run_id), { status: 'running' }, 'its worker ends it');
  await runs.finish(tenant, whole.run_id, { status: 'cancelled' });
  await t.rejects(cancel(inner), problem('run_not_active'));
  const waiting = await start('sync');
  const next = await start('part', { parentRunId: waiting.run_id });
  t.equal(await cancel(next), 'cancelled', 'no worker has it yet');
  for (const { run_id } of [waiting, next]) t.match(await runs.find(tenant, run_id), { status: 'cancelled' });
});

t.test('a part has the workflow of its whole: its id, its worker, and the whole is found by it', async (t) => {
  const { runs, tenant, start, workflows, store } = await setUp(t);
  const whole = await start('sync');
  const part = await start('part', { parentRunId: whole.run_id });
  const deadline = new Date(Date.now() + 60_000);
  const outside = await start('outside', { deadline, orchestratorRunId: 'o-1' });
  t.equal(part.workflow_id, whole.workflow_id);
  t.not(outside.workflow_id, whole.workflow_id);
  const { workflowId, ...found } = (await runs.find(tenant, part.run_id))!;
  t.match([workflowId, found.runId], [whole.workflow_id, part.run_id]);
  t.match(await runs.find(tenant, whole.workflow_id), { runId: whole.run_id });
  t.match(await runs.find(tenant, outside.workflow_id), { runId: outside.run_id });
  workflows.polledAt = new Date();
  t.strictSame(await runs.worker(tenant, { workflowId, ...found }), { ...(await workerOf(whole)), state: 'waiting' });
  await runs.finish(tenant, part.run_id, { status: 'succeeded' });
  t.equal(await workerOf(part), undefined, 'no worker for a part that ended before its whole');
  const inner = { orchestratorRunId: 'o-1', subjectId: found.subjectId, kind: 'part', parentRunId: whole.run_id };
  t.equal(await store.db(tenant).transaction((tx) => runs.adopt(tx, inner)), outside.run_id);
  t.match(await runs.find(tenant, outside.run_id), { workflowId: whole.workflow_id, carriedBy: 'parent' });

  async function workerOf({ run_id }: { run_id: string }) {
    return runs.worker(tenant, (await runs.find(tenant, run_id))!);
  }
});

t.test('runs are dropped → they, and wholes without another part, are gone; plugins are told first', async (t) => {
  const { runs, tenant, given, start, store } = await setUp(t);
  const dropped: unknown[] = [];
  given.add([contribute(RunDrops, async (_, ids) => void dropped.push([...ids].sort()))]);
  const [whole, shared] = [await start('sync'), await start('look')];
  const subject = (end: number) => ({ subjectId: `018f4a6e-0000-7000-8000-00000000000${end}` });
  const only = await start('part', { parentRunId: whole.run_id, ...subject(1) });
  const mine = await start('part', { parentRunId: shared.run_id, ...subject(2) });
  const other = await start('part', { parentRunId: shared.run_id, ...subject(3) });
  await store.db(tenant).transaction((tx) => runs.drop(tx, [only.run_id, mine.run_id]));
  t.strictSame(dropped, [[only.run_id, mine.run_id, whole.run_id].sort()]);
  const left = (await runs.page(tenant, {}, { limit: 5 })).items.map(({ runId }) => runId);
  t.strictSame(left.sort(), [shared.run_id, other.run_id].sort());
  await store.db(tenant).transaction((tx) => runs.drop(tx, []));
  t.equal(dropped.length, 1);
});

t.test('a run fails with steps → stored with its ids filled; a row from before them reads as it is', async (t) => {
  const { runs, tenant, start } = await setUp(t);
  const [old, run] = [await start('look'), await start('look')];
  const words = { code: 'broken', origin: 'data', retryable: false, detail: 'X.', hint: 'Y.' } as const;
  const next = [
    { operation: 'x.read', params: { id: '{run_id}', source_id: '{subject_id}' }, text: 'Read it' },
    { operation: 'x.look', params: { id: '{unknown}' }, text: 'Look' },
  ];
  await runs.finish(tenant, run.run_id, { status: 'failed', failure: { ...words, next } });
  await runs.finish(tenant, old.run_id, { status: 'failed', failure: words });
  const filled = [{ operation: 'x.read', params: { id: run.run_id, source_id: subjectId }, text: 'Read it' }];
  t.strictSame((await runs.find(tenant, run.run_id))?.failure, { ...words, next: filled });
  const viewOf = async (runId: string) => runView((await runs.find(tenant, runId)) as RunRecord).failure;
  t.strictSame(await viewOf(run.run_id), { ...words, next: filled });
  t.strictSame(await viewOf(old.run_id), words);
});
