import { randomUUID } from 'node:crypto';
import { contribute, definePlugin, provide, type RunKind, type Tenant } from '@weir/kernel';
import { type Teardown, testPlugin } from '@weir/kernel/testing';
import * as tools from '@weir/migrations';
import { RunLogs, type RunLogsService } from '@weir/plugin-platform/contract';
import t from 'tap';
import * as endpoints from '../src/contract.ts';
import plugin from '../src/plugin.ts';
import { runEnds } from '../src/service/run-ends.ts';
import { runsService } from '../src/service/runs.ts';

const SYNC: RunKind = { kind: 'test-sync', workflowType: 'TestSync', role: 'source', exclusive: false };
const SUBJECT = '018f4a6e-0000-7000-8000-000000000009';
const NAMELESS = '018f4a6e-0000-7000-8000-000000000008';
const { MAX_LISTED_PARTS } = endpoints;
const MORE_THAN_CONNECTIONS = 40;
const OURS = { orchestrator_run_id: 'nightly-1' };

/** The plugin on a real database, beside a plugin that names the subject of its syncs. */
async function setUp(t: Teardown) {
  const names = async () => new Map([[SUBJECT, 'shop']]);
  const { spec } = plugin;
  const named = definePlugin({
    ...spec,
    setup: (kernel) => ({
      ...spec.setup(kernel),
      contributes: [contribute(endpoints.RunSubjectNames, { subject: 'source', kinds: [SYNC.kind], names })],
    }),
  });
  const logs = {
    page: async (_tenant, _query, { find }) => ({
      ...{ items: [], next_page_token: null, previous_page_token: null, total: null },
      ...{ ended: (await find()).isTerminal, expired: false, levels: null },
    }),
  } as Partial<RunLogsService> as RunLogsService;
  const under = await testPlugin(t, named, { tools, runKinds: [SYNC], services: () => [provide(RunLogs, logs)] });
  const tenant = await under.tenant('acme');
  const { runs, db } = under.kernel;
  const sync = async (of: Tenant = tenant, subjectId = SUBJECT) => {
    const admitted = await runs.admit(SYNC.kind);
    const run = { kind: SYNC.kind, subjectId, requestedBy: 'ada', admitted };
    return (await db(of).transaction((tx) => runs.start(tx, run))).run_id;
  };
  const service = under.as('acme', 'service');
  const create = async (more: object = {}) => {
    const made = await service.call(endpoints.createRun, { body: { ...OURS, subject_id: NAMELESS, ...more } });
    if (!made.ok) throw new Error(made.problem.code);
    return made.body;
  };
  return { ...under, tenant, sync, service, create };
}

/** A refusal as the wire shows it. */
const refused = (status: number, code: string) => ({ ok: false, problem: { status, code } });

t.test('the runs of all kinds are one list, with the names of their subjects, filters and pages', async (t) => {
  const { as, sync, create, tenant, kernel } = await setUp(t);
  const ended = await sync();
  await kernel.runs.finish(tenant, ended, { status: 'succeeded' });
  const open = await sync(tenant, NAMELESS);
  const { run_id: external } = await create();
  const { call } = as('acme', 'viewer');
  const list = async (query: object) => {
    const answer = await call(endpoints.listRuns, { query });
    return answer.ok ? answer.body.items.map(({ run_id }) => run_id) : answer.problem.code;
  };
  t.strictSame(await list({}), [external, open, ended]);
  t.strictSame(await list({ order: 'created_at', limit: 1 }), [ended]);
  t.strictSame(await list({ kind: SYNC.kind, status: 'pending' }), [open]);
  t.strictSame(await list({ subject_id: SUBJECT }), [ended]);
  t.strictSame(await list(OURS), [external]);
  const { createdAt } = (await kernel.runs.find(tenant, open))!;
  t.strictSame(await list({ to: createdAt.toISOString() }), [ended]);
  t.strictSame(await list({ from: createdAt.toISOString(), kind: SYNC.kind }), [open]);
  t.match(await call(endpoints.getRun, { params: { id: ended } }), {
    ok: true,
    body: {
      ...{ status: 'succeeded', kind: SYNC.kind, carried_by: 'workflow', deadline: null, worker: null },
      subject: { kind: 'source', id: SUBJECT, name: 'shop' },
    },
  });
  t.match(await call(endpoints.getRun, { params: { id: external } }), {
    body: { subject: { kind: 'external', id: NAMELESS, name: null }, carried_by: 'caller', ...OURS, worker: null },
  });
  t.match(await call(endpoints.readLog, { params: { id: ended }, query: {} }), { body: { ended: true } });
});

t.test('top, the default of a list → wholes alone, their parts inside them', async (t) => {
  const { as, sync, create, tenant } = await setUp(t);
  const { run_id: whole } = await create();
  const ids: string[] = [];
  for (let at = 0; at < MAX_LISTED_PARTS + 1; at += 1) {
    const part = { parent_run_id: whole, subject_id: SUBJECT, orchestrator_run_id: `part-${at}` };
    ids.push((await create(part)).run_id);
  }
  const lone = await sync(tenant, NAMELESS);
  const { call } = as('acme', 'viewer');
  const list = async (query: object) => {
    const answer = await call(endpoints.listRuns, { query });
    if (!answer.ok) throw new Error(answer.problem.code);
    return answer.body.items;
  };
  for (const query of [
    {},
    { top: true },
    { orchestrator_run_id: OURS.orchestrator_run_id },
    { subject_id: NAMELESS },
  ]) {
    const found = (await list(query)).find(({ run_id }) => run_id === whole);
    t.strictSame(
      found?.parts.map(({ run_id }) => run_id),
      ids.slice(0, MAX_LISTED_PARTS),
      JSON.stringify(query),
    );
    t.equal(found?.parts_total, ids.length);
    t.match(found?.parts[0], { kind: 'external', status: 'pending', subject: { id: SUBJECT } });
  }
  t.strictSame(
    (await list({})).map(({ run_id }) => run_id),
    [lone, whole],
  );
  t.strictSame(await list({ subject_id: SUBJECT }), [], 'a part is shown inside its whole alone');
  const everyRun = [lone, ...ids.toReversed(), whole];
  t.strictSame(
    (await list({ top: false })).map(({ run_id }) => run_id),
    everyRun,
  );
  t.strictSame((await list({ kind: 'external' })).length, ids.length + 1, 'a kind names wholes and parts alike');
  t.strictSame((await list({ kind: 'external', top: true })).length, 1);
  const parts = await list({ parent_run_id: whole, top: true });
  t.strictSame(
    parts.map(({ run_id }) => run_id),
    ids.toReversed(),
    'the parts of a run are what was asked for',
  );
  t.match(parts[0], { parts: [], parts_total: 0 });
});

t.test("a foreign tenant's run is as absent as one that never was", async (t) => {
  const { as, database, create } = await setUp(t);
  await database.tenant('other');
  const { run_id: id } = await create();
  const other = as('other', 'service');
  const params = { id };
  const [body, nothing] = [OURS, refused(404, 'not_found')];
  t.match(await other.call(endpoints.getRun, { params }), nothing);
  t.match(await other.call(endpoints.readLog, { params, query: {} }), nothing);
  t.match(await other.call(endpoints.cancelRun, { params }), nothing);
  t.match(await other.call(endpoints.startRun, { params, body }), nothing);
  t.match(await other.call(endpoints.completeRun, { params, body }), nothing);
  t.match(await other.call(endpoints.failRun, { params, body: { ...body, detail: 'no' } }), nothing);
  const part = { ...OURS, subject_id: SUBJECT, parent_run_id: id };
  t.match(await other.call(endpoints.createRun, { body: part }), refused(409, 'parent_run_ended'));
});

t.test('one orchestrator run that is created twice at once, or was taken over → one run, and its id', async (t) => {
  const { service, tenant, kernel, create, sync } = await setUp(t);
  const body = { ...OURS, subject_id: NAMELESS };
  const answers = await Promise.all(Array.from({ length: 4 }, () => service.call(endpoints.createRun, { body })));
  const made = answers.flatMap((answer) => (answer.ok ? [answer.body.run_id] : []));
  t.equal(made.length, 1);
  for (const answer of answers.filter(({ ok }) => !ok)) {
    t.match(answer, { problem: { ...refused(409, 'orchestrator_run_known').problem, run_id: made[0] } });
  }
  const adopted = await create({ orchestrator_run_id: 'nightly-2' });
  const parentRunId = await sync();
  const taken = { orchestratorRunId: 'nightly-2', subjectId: NAMELESS, kind: SYNC.kind, parentRunId };
  t.equal(await kernel.db(tenant).transaction((tx) => kernel.runs.adopt(tx, taken)), adopted.run_id);
  const again = { body: { ...body, orchestrator_run_id: 'nightly-2' } };
  t.match(await service.call(endpoints.createRun, again), {
    problem: { ...refused(409, 'orchestrator_run_known').problem, run_id: adopted.run_id },
  });
});

t.test('a service creates, starts and completes a run, each once; its orchestrator run names it', async (t) => {
  const { service, create } = await setUp(t);
  const made = await create({ deadline_seconds: 60 });
  t.match(made, { status: 'pending', carried_by: 'caller', requested_by: String, ...OURS });
  t.equal(Date.parse(made.deadline ?? '') - Date.parse(made.created_at) > 50_000, true);
  const params = { id: made.run_id };
  const again = { body: { ...OURS, subject_id: NAMELESS } };
  t.match(await service.call(endpoints.createRun, again), {
    problem: { ...refused(409, 'orchestrator_run_known').problem, run_id: made.run_id },
  });
  const foreign = { params, body: { orchestrator_run_id: 'nightly-2' } };
  t.match(await service.call(endpoints.startRun, foreign), refused(409, 'orchestrator_run_differs'));
  const started = { ok: true, body: { status: 'running', attempt: 1 } };
  t.match(await service.call(endpoints.startRun, { params, body: OURS }), started);
  t.match(await service.call(endpoints.startRun, { params, body: OURS }), started, 'a repeated call changes nothing');
  t.match(await service.call(endpoints.completeRun, { params, body: OURS }), { body: { status: 'succeeded' } });
  for (const endpoint of [endpoints.startRun, endpoints.completeRun])
    t.match(await service.call(endpoint, { params, body: OURS }), refused(409, 'run_not_active'));
});

t.test('a run that another client created → 403 for each report, and it goes on as it was', async (t) => {
  const { service, kernel, tenant } = await setUp(t);
  const kind = endpoints.EXTERNAL_RUN;
  const admitted = await kernel.runs.admit(kind);
  const deadline = new Date(Date.now() + 3_600_000);
  const theirs = { kind, subjectId: SUBJECT, requestedBy: 'another-service', orchestratorRunId: 'nightly-1', deadline };
  const { run_id: id } = await kernel.db(tenant).transaction((tx) => kernel.runs.start(tx, { ...theirs, admitted }));
  const params = { id };
  const not = refused(403, 'run_of_another_client');
  t.match(await service.call(endpoints.startRun, { params, body: OURS }), not);
  t.match(await service.call(endpoints.completeRun, { params, body: OURS }), not);
  t.match(await service.call(endpoints.failRun, { params, body: { ...OURS, detail: 'no' } }), not);
  const guess = { params, body: { orchestrator_run_id: 'nightly-2' } };
  t.match(await service.call(endpoints.completeRun, guess), not, 'a guess is not told from a hit');
  t.match(await service.call(endpoints.getRun, { params }), { body: { status: 'pending', attempt: 0 } });
});

t.test('a failed run tells why, and its open parts fail with it', async (t) => {
  const { service, create } = await setUp(t);
  const { run_id: id } = await create();
  const part = await create({ parent_run_id: id, subject_id: SUBJECT });
  t.equal(part.parent_run_id, id);
  const why = {
    code: 'disk_full',
    detail: 'No room.',
    hint: 'Make room.',
    origin: 'destination',
    retryable: true,
  } as const;
  const failed = await service.call(endpoints.failRun, { params: { id }, body: { ...OURS, ...why } });
  t.match(failed, { body: { status: 'failed', failure: why } });
  const ofPart = await service.call(endpoints.getRun, { params: { id: part.run_id } });
  t.match(ofPart, { body: { status: 'failed', failure: { code: 'parent_run_ended' } } });
  const late = { ...OURS, subject_id: SUBJECT, orchestrator_run_id: 'nightly-3', parent_run_id: id };
  t.match(await service.call(endpoints.createRun, { body: late }), refused(409, 'parent_run_ended'));
});

t.test('after the deadline of a run nothing is reported any more', async (t) => {
  const { service, create, database } = await setUp(t);
  const { run_id: id } = await create();
  await database.peek("update kernel.run set deadline = now() - interval '1 second'");
  t.match(await service.call(endpoints.completeRun, { params: { id }, body: OURS }), refused(409, 'run_past_deadline'));
});

t.test('people cancel runs and report none, and a run of the platform is not ended by calls', async (t) => {
  const { as, service, create, sync } = await setUp(t);
  const { run_id: id } = await create();
  const admin = as('acme', 'admin');
  const body = { ...OURS, subject_id: SUBJECT };
  t.match(await admin.call(endpoints.createRun, { body }), refused(403, 'service_required'));
  t.match(await admin.call(endpoints.completeRun, { params: { id }, body: OURS }), refused(403, 'service_required'));
  t.match(await admin.call(endpoints.cancelRun, { params: { id } }), { body: { state: 'cancelled' } });
  t.match(await service.call(endpoints.completeRun, { params: { id }, body: OURS }), refused(409, 'run_not_active'));
  const own = { params: { id: await sync() }, body: OURS };
  t.match(await service.call(endpoints.completeRun, own), refused(409, 'run_not_reported'));
});

t.test(
  'an open run that is waited for → answered at its end; to a caller that leaves, and by a server that stops, at once',
  async (t) => {
    const { as, sync, tenant, kernel, registration } = await setUp(t);
    const { call } = as('acme', 'viewer');
    const id = await sync();
    const statusOf = async (wait: number, run = id) => {
      const answer = await call(endpoints.getRun, { params: { id: run }, query: { wait } });
      return answer.ok ? answer.body.status : answer.problem.code;
    };
    const many = Array.from({ length: MORE_THAN_CONNECTIONS }, () => statusOf(endpoints.MAX_RUN_WAIT_SECONDS));
    t.equal(await statusOf(0), 'pending', 'they hold no connection meanwhile');
    await kernel.runs.finish(tenant, id, { status: 'succeeded' });
    t.strictSame(new Set(await Promise.all(many)), new Set(['succeeded']));
    t.equal(await statusOf(endpoints.MAX_RUN_WAIT_SECONDS), 'succeeded');
    t.equal(await statusOf(1, await sync(tenant, NAMELESS)), 'pending', 'after a second');
    t.equal(await statusOf(1, SUBJECT), 'not_found');
    const body = await call(endpoints.getRun, { params: { id }, query: { wait: endpoints.MAX_RUN_WAIT_SECONDS + 1 } });
    t.match(body, refused(400, 'validation_failed'));

    const open = await sync(tenant, randomUUID());
    const { workflowId = '' } = (await kernel.runs.find(tenant, open)) ?? {};
    const awaited: string[] = [];
    const noting = runsService({ kernel, ends: { ended: async (_, runId) => void awaited.push(runId) } });
    const { signal } = new AbortController();
    for (const named of [open, workflowId]) await noting.get(tenant, named, { seconds: 1, signal });
    t.strictSame(awaited, [open, open], 'by its run id, however it was named');
    const ends = runEnds({ kernel });
    const caller = new AbortController();
    const left = ends.ended(tenant, open, { seconds: 60, signal: caller.signal });
    caller.abort();
    await left;
    const stopped = statusOf(endpoints.MAX_RUN_WAIT_SECONDS, open);
    await registration.drain?.();
    t.equal(await stopped, 'pending');
  },
);
