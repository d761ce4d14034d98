import { completeRun, createRun, failRun } from '@weir/plugin-runs/contract';
import { createWebhook, listDeliveries, WEBHOOK_EVENTS } from '@weir/plugin-webhooks/contract';
import t from 'tap';
import { isSigned, type Received, receiver } from '../../plugins/webhooks/test/kit.ts';
import { keyFile } from '../key-file.ts';
import { inLane } from '../lane.ts';
import { testPlatform } from '../platform.ts';
import { until } from '../until.ts';
import { startWorker, type WorkerProcess } from '../worker-process.ts';

const SUBJECTS = inLane('webhooks') ? 100 : 40;
const RUNS_OF_EACH = inLane('webhooks') ? 10 : 5;
const KILLS = inLane('webhooks') ? 5 : 2;
/** Of ten first attempts that a receiver gets, how many it fails. */
const FAILING_OF_TEN = 3;
const REPORTER = 'reporter';
const subjectOf = (at: number) => `018f4a6e-0000-7000-8000-${String(at).padStart(12, '0')}`;

t.test('events reach a failing receiver at least once, in order, signed, over kills of the worker', async (t) => {
  const seen = new Map<string, number>();
  const fails = ({ body }: Received) => {
    const before = seen.get(body.event_id) ?? 0;
    seen.set(body.event_id, before + 1);
    return before === 0 && Number(body.sequence) % 10 < FAILING_OF_TEN ? 503 : 204;
  };
  const taken: Received[] = [];
  const there = await receiver(t, (request) => {
    const status = fails(request);
    if (status === 204) taken.push(request);
    return status;
  });
  const services = { [REPORTER]: { tenants: ['acme'], capabilities: ['run:callback'] } };
  const folder = t.testdir({ warehouse: {} });
  const world = await testPlatform(t, folder, {
    WEIR_CREDENTIAL_KEY_FILE: keyFile(folder),
    WEIR_EGRESS_ALLOW: '127.0.0.0/8',
    WEIR_EGRESS_PORTS: String(there.port),
    WEIR_SERVICE_PRINCIPALS: JSON.stringify(services),
  });
  const admin = { token: await world.token('acme'), tenant: 'acme' };
  const reporter = { token: await world.issuer.serviceToken(REPORTER), tenant: 'acme' };
  const body = { name: 'chat', url: there.url, events: [...WEBHOOK_EVENTS] };
  const made = await world.call(admin, createWebhook, { body });
  if (!made.ok) throw new Error(made.problem.code);
  const { webhook_id, secret } = made.body;

  let worker: WorkerProcess | undefined;
  const report = async (subject: number, turn: number) => {
    const named = { orchestrator_run_id: `turn-${turn}` };
    const run = await world.call(reporter, createRun, { body: { ...named, subject_id: subjectOf(subject) } });
    if (!run.ok) throw new Error(run.problem.code);
    const params = { id: run.body.run_id };
    const isLast = turn === RUNS_OF_EACH - 1;
    const ended = isLast
      ? await world.call(reporter, completeRun, { params, body: named })
      : await world.call(reporter, failRun, { params, body: { ...named, detail: 'It broke.' } });
    if (!ended.ok) throw new Error(ended.problem.code);
  };
  const total = SUBJECTS * RUNS_OF_EACH;
  for (let turn = 0; turn < RUNS_OF_EACH; turn += 1) {
    for (let subject = 0; subject < SUBJECTS; subject += 1) await report(subject, turn);
    if (turn >= KILLS) continue;
    const had = there.got.length;
    worker ??= await startWorker(t, world.environment, 'general');
    await until('requests of this worker', () => there.got.length > had);
    await worker.end('SIGKILL');
    worker = undefined;
  }
  await startWorker(t, world.environment, 'general');
  await until('every event', () => new Set(taken.map(({ body }) => body.event_id)).size === total);
  await until('no event that waits', async () => {
    const list = await world.call(admin, listDeliveries, { params: { webhook_id }, query: { status: 'pending' } });
    return list.ok && list.body.items.length === 0;
  });
  t.ok(
    there.got.every((request) => isSigned(request, secret ?? '')),
    'every signature verifies',
  );
  t.ok(there.got.length > total, `${there.got.length} requests for ${total} events`);
  for (let subject = 0; subject < SUBJECTS; subject += 1) {
    const own = taken.filter(({ body }) => (body.run as { subject: { id: string } }).subject.id === subjectOf(subject));
    const first = [...new Map(own.map(({ body }) => [body.event_id, body])).values()];
    t.strictSame(
      first.map(({ type }) => type),
      ['run.failed', ...Array.from({ length: RUNS_OF_EACH - 2 }, () => 'run.failed_again'), 'run.recovered'],
      `subject ${subject}`,
    );
  }
});
