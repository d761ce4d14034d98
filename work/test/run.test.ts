import { asyncLocalStorage, type Context } from '@temporalio/activity';
import type { Kernel, RunRecord, Tenant } from '@weir/kernel';
import { kernelProblems, ReadinessChecks } from '@weir/kernel/contract';
import {
  activityNames,
  blockingCheck,
  failures,
  leasedAttempt,
  type RunDeclaration,
  RunFailed,
  type RunWork,
  run,
  type WorkKit,
  workerDoor,
} from '@weir/work';
import { pino } from 'pino';
import t from 'tap';

const INPUT = { tenant_id: 'tenant', run_id: 'run' };
const TENANT = { tenantId: 'tenant' } as Tenant;
const CHECK: RunDeclaration = {
  ...{ kind: 'check', workflowType: 'CheckWorkflow', role: 'general', exclusive: true },
  times: { startToCloseTimeout: '1 minute' },
};
const names = activityNames(CHECK);
const idleWork: RunWork = async () => undefined;

/** The activities of a run with that work, as a worker has them. */
function activitiesOf(kit: WorkKit, work: RunWork, more: Partial<RunDeclaration> = {}) {
  const found = run({ ...CHECK, ...more } as RunDeclaration, work).activities(kit);
  const [attempt, end] = [found[names.attempt], found[names.end]];
  if (attempt === undefined || end === undefined) throw new Error('an activity is missing');
  return { attempt: () => asActivity(() => attempt(INPUT, { status: 'succeeded' })), end };
}

/** A platform with one run: what becomes of it, and the lines of its log. */
function onePlatform({ ended = false } = {}) {
  const lines: string[] = [];
  const finished: unknown[] = [];
  let leaseEpoch = 0;
  const run = (): Partial<RunRecord> => ({ runId: 'run', leaseEpoch, endedAt: ended ? new Date() : undefined });
  const begin = async () => {
    leaseEpoch += 1;
    return ended ? undefined : { leaseEpoch };
  };
  const finish = async (_tenant: Tenant, _runId: string, outcome: unknown) => void finished.push(outcome);
  const kernel = {
    log: pino({ level: 'silent' }),
    tenants: { byId: async (id: string) => (id === 'tenant' ? TENANT : undefined) },
    runs: { begin, find: async () => run(), finish },
  } as unknown as Kernel;
  const opened = { take: async () => undefined, close: async () => undefined };
  const runLogs = { open: () => ({ ...opened, write: (line: { message: string }) => void lines.push(line.message) }) };
  return { kit: { kernel, runLogs } as WorkKit, lines, finished };
}

/** Carries out an activity as a worker does. */
function asActivity<R>(work: () => Promise<R>): Promise<R> {
  const context = {
    info: { workflowExecution: { workflowId: 'w' }, attempt: 1 },
    cancellationSignal: new AbortController().signal,
    heartbeat: () => undefined,
  } as unknown as Context;
  return asyncLocalStorage.run(context, work);
}

t.test('an attempt holds the lease of its run, and its log says how it went', async (t) => {
  const { kit, lines, finished } = onePlatform();
  const seen: unknown[] = [];
  const work: RunWork = async ({ tenant, run, leaseEpoch, log }) => {
    seen.push(tenant, run.runId, leaseEpoch);
    log.write({ level: 'info', step: 'work', message: 'done\u001b[31m' });
  };
  const { attempt, end } = activitiesOf(kit, work);
  await attempt();
  await end(INPUT, { status: 'succeeded' });
  t.strictSame(seen, [TENANT, 'run', 1]);
  t.match(lines, ['attempt 1 started', /^done/, 'the run has ended: succeeded']);
  t.notMatch(lines[1], '\u001b', 'in plain text');
  t.strictSame(finished, [{ status: 'succeeded' }]);
});

t.test(
  'the lines of an attempt name the subject of its run and its orchestrator run, once the run is there',
  async (t) => {
    const { kit } = onePlatform();
    const lines: Record<string, unknown>[] = [];
    const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
    const run = { runId: 'run', subjectId: 'orders', orchestratorRunId: 'group' };
    const runs = { ...kit.kernel.runs, find: async () => run } as unknown as Kernel['runs'];
    const attemptOf = (given: Kernel['runs']) =>
      activitiesOf({ ...kit, kernel: { ...kit.kernel, log, runs: given } }, idleWork, { subject: 'transform_id' });
    await attemptOf(runs).attempt();
    const keys = { transform_id: 'orders', orchestrator_run_id: 'group', workflow_id: 'w', run_id: 'run' };
    t.match(lines, [
      { ...keys, msg: 'attempt started' },
      { ...keys, msg: 'attempt ended' },
    ]);
    const away = { ...runs, find: () => Promise.reject(new Error('away')) } as unknown as Kernel['runs'];
    await t.rejects(attemptOf(away).attempt());
    t.match(lines.slice(2), [
      { run_id: 'run', msg: 'attempt started' },
      { run_id: 'run', msg: 'attempt failed' },
    ]);
  },
);

t.test('a run that has ended stays as it is', async (t) => {
  const { kit, lines } = onePlatform({ ended: true });
  const work = async () => void t.fail('no attempt follows the end');
  t.equal(await activitiesOf(kit, work).attempt(), 'done');
  t.strictSame(lines, []);
});

t.test('an attempt that fails tells the engine whether a retry can help, by the one translation', async (t) => {
  const { kit, lines } = onePlatform();
  const own = { code: 'own', origin: 'source', retryable: false, detail: 'Its own.' } as const;
  const words = failures((error) => ((error as Error).message === 'own' ? own : undefined));
  const fails = (error: Error) =>
    activitiesOf({ ...kit, failures: words }, () => Promise.reject(error))
      .attempt()
      .catch((failed: unknown) => failed);
  t.match(await fails(new Error('own')), { type: 'own', nonRetryable: true, details: [own] });
  t.match(await fails(new Error('secret')), { type: 'run_failed', nonRetryable: false });
  t.match(await fails(Object.assign(new Error(), { code: 'ENOSPC' })), { type: 'work_disk_full' });
  const away = kernelProblems.dependencyUnavailable();
  t.match(await fails(away), { type: 'dependency_unavailable', nonRetryable: false });
  t.match(await fails(new RunFailed({ ...own, retryable: true, isLast: true })), { type: 'own', nonRetryable: true });
  t.match(lines[1], 'the attempt failed: own: Its own.');
  t.notMatch(lines.join('\n'), /secret/);
});

t.test('without the engine an attempt does the same work', async (t) => {
  const { kit } = onePlatform();
  const epochs: number[] = [];
  const check = run(CHECK, async ({ leaseEpoch }) => void epochs.push(leaseEpoch));
  t.equal(await check.attempt({ kernel: kit.kernel }, INPUT), 'done');
  t.equal(await check.attempt({ kernel: kit.kernel }, INPUT), 'done');
  t.strictSame(epochs, [1, 2]);
  const published = leasedAttempt(kit, INPUT, {}, async ({ leaseEpoch }) => `published ${leaseEpoch}`);
  t.equal(await published, 'published 3', 'a part of a larger work has a result');
});

t.test('a kind with lanes of which none is free → the attempt waits, and nothing is logged', async (t) => {
  const { kit, lines } = onePlatform();
  const missed = { code: 'no_lane', origin: 'platform', retryable: true, detail: 'None.' } as const;
  const lane = { setting: 'LANES', missed };
  const taken = { tx: { tenant: TENANT, sql: async () => ({ rows: [{ ahead: 1 }] }) } };
  const begin = async (_tenant: Tenant, _runId: string, enter?: (tx: object) => Promise<void>) => {
    await enter?.(taken.tx);
    return { leaseEpoch: 1 };
  };
  const entered = async (settings: object) => {
    const kernel = { ...kit.kernel, settings, runs: { ...kit.kernel.runs, begin } } as unknown as Kernel;
    return activitiesOf({ ...kit, kernel }, idleWork, { lane })
      .attempt()
      .catch((error: unknown) => error);
  };
  t.equal(await entered({ LANES: 1 }), 'waits');
  t.strictSame(lines, []);
  t.equal(await entered({ LANES: 2 }), 'done');
  t.equal(await entered({ LANES: 0 }), 'done', 'any number');
  t.match(await entered({}), { type: 'run_failed' }, 'without the setting');
});

t.test('a kind that knows its progress → given up after six attempts in a row without', async (t) => {
  const { kit } = onePlatform();
  const fault = () => Promise.reject(new RunFailed(failures().known('run_failed')));
  const endOf = async (progress: number) => {
    const beats: unknown[] = [];
    const check = run(CHECK, fault, { idle: async () => progress });
    const given = { told: { uncounted: [1] }, beat: (details: unknown) => void beats.push(details) };
    const end = await check.attempt(kit, INPUT, given).catch((error: unknown) => error);
    return { end, beats };
  };
  const ends = [];
  for (let made = 0; made < 7; made += 1) ends.push(await endOf(0));
  t.match(ends.at(5), { end: { failure: { isLast: undefined } }, beats: [{ uncounted: [1] }] }, 'one was not counted');
  t.match(ends.at(6), { end: { failure: { code: 'run_failed', isLast: true } } });
  t.match(await endOf(7), { end: { failure: { isLast: undefined } } }, 'an attempt made progress');
});

t.test(
  'the door of a role → its name, its workflows, its runs over one kit, and their ends without a gate',
  async (t) => {
    const { kit } = onePlatform();
    let made = 0;
    const verify = { ...CHECK, kind: 'verify', workflowType: 'VerifyWorkflow' };
    const door = workerDoor({
      ...{ at: 'file:///plugin/src/worker.ts', slotMiB: 512, runs: [run(CHECK, idleWork), run(verify, idleWork)] },
      kit: () => {
        made += 1;
        return kit;
      },
    });
    const wanted = { role: 'general', slotMiB: 512, workflowsPath: '/plugin/src/work/workflows/index.ts' };
    t.match(door, { ...wanted, ungated: ['endCheck', 'endVerify'] });
    t.strictSame(Object.keys(door.activities({} as never)), ['attemptCheck', 'endCheck', 'attemptVerify', 'endVerify']);
    t.equal(made, 1);
  },
);

t.test('a start is refused by the first check of others that blocks and fails', async (t) => {
  const check = (name: string, given: object) => ({
    ...{ subject: 'thing', check: name, title: name, blocks: true },
    run: async () => ({ status: 'fail' as const, detail: name, items: [] }),
    ...given,
  });
  const checks = [
    check('other_subject', { subject: 'other' }),
    check('warns', { blocks: false }),
    check('own', {}),
    check('passes', { run: async () => ({ status: 'pass' as const, detail: '' }) }),
    check('blocks', {}),
  ];
  const kernel = { contributionsFor: async (_: unknown, point: unknown) => (point === ReadinessChecks ? checks : []) };
  const ask = { subject: 'thing', subjectId: 'id', own: new Set(['own']) };
  t.strictSame(await blockingCheck(kernel as never, TENANT, ask), { check: 'blocks', detail: 'blocks', items: [] });
});
