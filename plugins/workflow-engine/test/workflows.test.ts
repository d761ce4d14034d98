import t from 'tap';
import { PATIENT_MS, until } from '../../../test/until.ts';
import { cancelWorkflow, getWorkflow, waitForWorkflow } from '../src/contract.ts';
import { MAX_WAITS, waitForEnd } from '../src/workflow/wait-for-end.ts';
import { engineUnderTest, ok } from './kit.ts';

/** The longest wait that a caller may ask for, in seconds. */
const LONGEST_WAIT = 60;

t.test('a workflow is read by either id: its run, what the engine knows, and its worker', async (t) => {
  const under = await engineUnderTest(t);
  const tenant = await under.tenant('acme');
  const { run_id, workflow_id } = await under.start(tenant);
  const { call } = under.as('acme', 'viewer');
  const beat = new Date();
  const activity = { type: 'write', state: 'started', attempt: 2, lastStartedAt: beat, lastHeartbeatAt: beat } as const;
  under.workflows.said.set(workflow_id, { pendingActivities: [{ ...activity, lastWorker: '4711@secret-host' }] });
  for (const id of [run_id, workflow_id]) {
    const found = ok(await call(getWorkflow, { params: { workflow_id: id } }));
    t.match(found, {
      ...{ run_id, workflow_id, kind: 'note-writing', status: 'pending', is_terminal: false, attempt: 0 },
      engine_reachable: true,
      engine: { status: 'running', type: 'NoteWorkflow', closed_at: null },
      worker: { state: 'working', last_seen_at: beat.toISOString() },
    });
    const at = beat.toISOString();
    t.strictSame(found.engine?.pending_activities, [
      { type: 'write', state: 'started', attempt: 2, last_started_at: at, last_heartbeat_at: at },
    ]);
  }
});

t.test('a run is told even when the engine is away, or has forgotten its workflow', async (t) => {
  const under = await engineUnderTest(t);
  const tenant = await under.tenant('acme');
  const { run_id } = await under.start(tenant);
  const get = async () => ok(await under.as('acme').call(getWorkflow, { params: { workflow_id: run_id } }));
  under.workflows.down = true;
  t.match(await get(), { run_id, engine_reachable: false, engine: null, worker: { state: 'unknown' } });
  under.workflows.down = false;
  under.workflows.started.length = 0;
  const failure = { code: 'x', origin: 'platform', retryable: false, detail: 'd' } as const;
  await under.kernel.runs.finish(tenant, run_id, { status: 'failed', failure });
  t.match(await get(), {
    ...{ status: 'failed', is_terminal: true, engine_reachable: true, engine: null, worker: null },
    failure: { ...failure, hint: null },
  });
});

t.test("a foreign tenant's workflow is as absent as one that never was", async (t) => {
  const under = await engineUnderTest(t);
  await under.tenant('other');
  const { workflow_id } = await under.start(await under.tenant('acme'));
  const { call } = under.as('other');
  const body = { timeout_seconds: 1 };
  for (const [route, input] of [
    [getWorkflow, {}],
    [cancelWorkflow, {}],
    [waitForWorkflow, { body }],
  ] as const) {
    const answers = [];
    for (const id of [workflow_id, '018f4a6e-0000-7000-8000-00000000ffff', 'no such workflow']) {
      const answer = await call(route, { params: { workflow_id: id }, ...input } as never);
      if (answer.ok) t.fail(`${route.id} answered`);
      else answers.push({ ...answer.problem, trace_id: '' });
    }
    t.match(answers[0], { status: 404, code: 'not_found' });
    t.strictSame(answers[0], answers[1]);
    t.strictSame(answers[0], answers[2]);
  }
  t.strictSame(under.workflows.terminated, []);
});

t.test('a cancel ends what nobody has, asks who has it, can be repeated, and is refused at the end', async (t) => {
  const under = await engineUnderTest(t);
  const tenant = await under.tenant('acme');
  const cancel = (id: string, role = 'pipeline_editor') =>
    under.as('acme', role).call(cancelWorkflow, { params: { workflow_id: id } });
  const waiting = await under.start(tenant);
  t.match(await cancel(waiting.run_id, 'viewer'), { status: 403, problem: { code: 'forbidden_role' } });
  t.match(await cancel(waiting.run_id), { status: 202, body: { ...waitingOf(waiting), state: 'cancelled' } });
  t.match(await cancel(waiting.run_id), { status: 409, problem: { code: 'run_not_active' } });
  const running = await under.start(tenant);
  await under.kernel.runs.begin(tenant, running.run_id);
  for (let time = 0; time < 2; time += 1) {
    const answer = await cancel(running.workflow_id);
    t.match(answer, { status: 202, body: { state: 'cancelling' } });
    t.equal(
      answer.headers.get('location'),
      `/api/v1/workflow-engine/workflows/${encodeURIComponent(running.workflow_id)}`,
    );
  }
  t.strictSame(under.workflows.cancelled, [running.workflow_id, running.workflow_id]);
  await under.kernel.runs.finish(tenant, running.run_id, { status: 'succeeded' });
  t.match(await cancel(running.run_id), { status: 409 });
});

const waitingOf = ({ run_id, workflow_id }: { run_id: string; workflow_id: string }) => ({ run_id, workflow_id });

t.test('a wait ends at every end of a run, and at its time with is_terminal false', async (t) => {
  const under = await engineUnderTest(t);
  const tenant = await under.tenant('acme');
  const { call } = under.as('acme', 'pipeline_editor');
  let looks = 0;
  const { find } = under.kernel.runs;
  under.kernel.runs.find = (...asked) => {
    looks += 1;
    return find(...asked);
  };
  for (const status of ['succeeded', 'failed', 'cancelled', 'skipped'] as const) {
    const { run_id } = await under.start(tenant);
    const body = { timeout_seconds: LONGEST_WAIT };
    const before = looks;
    const waited = call(waitForWorkflow, { params: { workflow_id: run_id }, body });
    await until('the wait looks', () => looks > before);
    await under.kernel.runs.finish(tenant, run_id, { status });
    t.match(ok(await waited), { run_id, status, is_terminal: true });
  }
  const { run_id } = await under.start(tenant);
  const short = await call(waitForWorkflow, { params: { workflow_id: run_id }, body: { timeout_seconds: 1 } });
  t.match(short, { status: 200, body: { status: 'pending', is_terminal: false } });
  for (const timeout_seconds of [0, 61, 1.5, '5']) {
    const body = { timeout_seconds } as { timeout_seconds: number };
    const refused = await call(waitForWorkflow, { params: { workflow_id: run_id }, body });
    t.match(refused, { status: 400, problem: { errors: [{ pointer: '/timeout_seconds' }] } });
  }
});

t.test('a wait stops when its caller has gone, and only so many wait at once', async (t) => {
  const wait = waitForEnd();
  const gone = new AbortController();
  let looks = 0;
  const look = async () => {
    looks += 1;
  };
  const limits = { timeoutMs: PATIENT_MS, signal: gone.signal };
  const waits = Array.from({ length: MAX_WAITS }, () => wait(look, () => false, limits));
  await t.rejects(
    wait(look, () => false, limits),
    { entry: { code: 'dependency_unavailable' } } as unknown as Error,
  );
  gone.abort();
  await Promise.all(waits);
  t.ok(looks >= MAX_WAITS);
  t.equal(
    await wait(
      async () => 'ended',
      () => true,
      limits,
    ),
    'ended',
  );
});
