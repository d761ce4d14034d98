import { asyncLocalStorage, type Context } from '@temporalio/activity';
import type { Kernel, RunRecord, Tenant } from '@weir/kernel';
import { kernelProblems, ReadinessChecks } from '@weir/kernel/contract';
import {
  blockingCheck,
  failures,
  leasedAttempt,
  RunFailed,
  type RunWork,
  runActivities,
  type WorkKit,
} from '@weir/work';
import { pino } from 'pino';
import t from 'tap';

const INPUT = { tenant_id: 'tenant', run_id: 'run' };
const TENANT = { tenantId: 'tenant' } as Tenant;

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
  const { attempt, end } = runActivities(kit);
  const work: RunWork = async ({ tenant, run, leaseEpoch, log }) => {
    seen.push(tenant, run.runId, leaseEpoch);
    log.write({ level: 'info', step: 'work', message: 'done\u001b[31m' });
  };
  await asActivity(() => attempt(work)(INPUT));
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
      runActivities({ ...kit, kernel: { ...kit.kernel, log, runs: given }, subject: 'transform_id' }).attempt(
        async () => undefined,
      );
    await asActivity(() => attemptOf(runs)(INPUT));
    const keys = { transform_id: 'orders', orchestrator_run_id: 'group', workflow_id: 'w', run_id: 'run' };
    t.match(lines, [
      { ...keys, msg: 'attempt started' },
      { ...keys, msg: 'attempt ended' },
    ]);
    const away = { ...runs, find: () => Promise.reject(new Error('away')) } as unknown as Kernel['runs'];
    await t.rejects(asActivity(() => attemptOf(away)(INPUT)));
    t.match(lines.slice(2), [
      { run_id: 'run', msg: 'attempt started' },
      { run_id: 'run', msg: 'attempt failed' },
    ]);
  },
);

t.test('a run that has ended stays as it is', async (t) => {
  const { kit, lines } = onePlatform({ ended: true });
  const work = async () => void t.fail('no attempt follows the end');
  await asActivity(() => runActivities(kit).attempt(work)(INPUT));
  t.strictSame(lines, []);
});

t.test('an attempt that fails tells the engine whether a retry can help, by the one translation', async (t) => {
  const { kit, lines } = onePlatform();
  const own = { code: 'own', origin: 'source', retryable: false, detail: 'Its own.' } as const;
  const words = failures((error) => ((error as Error).message === 'own' ? own : undefined));
  const { attempt } = runActivities({ ...kit, failures: words });
  const fails = (error: Error) =>
    asActivity(() => attempt(() => Promise.reject(error))(INPUT)).catch((failed: unknown) => failed);
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
  const { signal } = new AbortController();
  const epochs: number[] = [];
  const work = async ({ leaseEpoch }: { leaseEpoch: number }) => void epochs.push(leaseEpoch);
  await leasedAttempt({ kernel: kit.kernel }, TENANT, { runId: 'run', signal }, work);
  await leasedAttempt({ kernel: kit.kernel }, TENANT, { runId: 'run', signal }, work);
  t.strictSame(epochs, [1, 2]);
});

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
  const kernel = { contributions: (point: unknown) => (point === ReadinessChecks ? checks : []) };
  const ask = { subject: 'thing', subjectId: 'id', own: new Set(['own']) };
  t.strictSame(await blockingCheck(kernel as never, TENANT, ask), { check: 'blocks', detail: 'blocks', items: [] });
});
