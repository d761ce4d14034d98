import { Client, Connection } from '@temporalio/client';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { payloadConverterPath } from '@weir/kernel/boot';
import { attempt, type BoundedAttempt, boundedAttempt, RunFailed, type RunInput, uncountedAttempts } from '@weir/work';
import { pino } from 'pino';
import t from 'tap';
import { compiledWorkflows } from '../../../test/compiled-workflows.ts';
import { sourceFailure } from '../src/model/failure/failure.ts';
import { sourceFailures } from '../src/model/failure/failure-of.ts';
import { lastProgress } from '../src/work/sync/last-progress.ts';
import { type AttemptDeps, syncing } from '../src/work/sync/run-attempt.ts';

type Deps = Parameters<typeof lastProgress>[0];
type Tenant = Parameters<typeof lastProgress>[1];

/** Streams of a source as the database has them: each with the last attempt of the run that brought it forward. */
type Stream = { enabled: boolean; progressAttempt: number };

const tenant = { tenantId: 'tenant' } as Tenant;
const fault = () => new RunFailed(sourceFailure('sync_process_lost'));
const lost = { failure: { code: 'worker_lost', isLast: true } };

function depsOf(streams: readonly Stream[], isAway = () => false): Deps {
  const rows = streams.map((stream, at) => ({ ...stream, sourceId: 'source', streamId: String(at), name: String(at) }));
  const find = (_entity: unknown, where: object) =>
    rows.filter((row) => Object.entries(where).every(([name, value]) => row[name as keyof typeof row] === value));
  const transaction = async (work: (tx: object) => unknown) => {
    if (isAway()) throw new Error('the database is away');
    return work({ find });
  };
  const checkpoint = async (_tenant: unknown, key: string) => {
    const row = rows.find(({ streamId }) => key.includes(streamId));
    return { runId: 'run', counters: { batch: 1, progress_attempt: row?.progressAttempt ?? 0 } };
  };
  return { kernel: { db: () => ({ transaction }) }, tables: { checkpoint } } as unknown as Deps;
}

const boundOf = (deps: Deps, of: Pick<BoundedAttempt, 'leaseEpoch' | 'signal' | 'uncounted'>): BoundedAttempt => ({
  ...{ ...of, failures: sourceFailures },
  lastProgress: () => lastProgress(deps, tenant, { runId: 'run', sourceId: 'source' }),
});

/** One attempt of that number; how it ended, and what it leaves for the next one. */
async function tried(deps: Deps, leaseEpoch: number, { told, work }: { told?: unknown; work(): Promise<unknown> }) {
  let next = told;
  const uncounted = uncountedAttempts(told, (details) => {
    next = details;
  });
  const { signal } = new AbortController();
  const end = await boundedAttempt(boundOf(deps, { leaseEpoch, signal, uncounted }), work).catch(
    (error: unknown) => error,
  );
  return { end, told: next };
}

t.test('a stream that brought the run forward and was switched off meanwhile counts', async (t) => {
  const work = () => Promise.reject(fault());
  const deps = depsOf([
    { enabled: true, progressAttempt: 0 },
    { enabled: false, progressAttempt: 4 },
  ]);
  t.match(await tried(deps, 6, { work }), { end: { failure: { isLast: undefined } } });
  t.match(await tried(deps, 10, { work }), { end: { failure: { code: 'sync_process_lost', isLast: true } } });
});

t.test('the same fault twice without progress → given up after two attempts; another fault is another', async (t) => {
  const ends = async (faults: readonly (string | undefined)[], progressAttempt = 0) => {
    let told: unknown;
    for (const [at, faultId] of faults.entries()) {
      const work = () =>
        Promise.reject(new RunFailed({ ...sourceFailure('sync_process_lost'), faultId: faultId ?? '' }));
      const plain = () => Promise.reject(fault());
      const one = await tried(depsOf([{ enabled: true, progressAttempt }]), at + 1, {
        told,
        work: faultId ? work : plain,
      });
      if ((one.end as RunFailed).failure.isLast) return at + 1;
      told = one.told;
    }
    return undefined;
  };
  t.equal(await ends(['a', 'a', 'a']), 2);
  t.equal(await ends(['a', 'b', 'a', 'a', 'a']), 4);
  t.equal(await ends(['a', 'a', 'a'], 1), 3, 'the first had progress');
  t.equal(await ends(Array(6).fill(undefined)), 6, 'a fault that may pass has as many as before');
});

t.test('attempts that took ten minutes in vain for the sake of the source → the second is the last', async (t) => {
  const silent = () => Promise.reject(new RunFailed({ ...sourceFailure('malformed_lines'), retryable: true }));
  const told = (ms: number) => ({ failed: [{ number: 1, ms }], uncounted: [] });
  const second = async (ms: number, work: () => Promise<never>, progressAttempt = 0) =>
    tried(depsOf([{ enabled: true, progressAttempt }]), 2, { told: told(ms), work });
  t.match(await second(600_000, silent), {
    end: { failure: { code: 'malformed_lines', isLast: true, detail: /given up after 2 attempts/ } },
  });
  t.match(await second(500_000, silent), { end: { failure: { isLast: undefined } } });
  t.match(await second(600_000, silent, 1), { end: { failure: { isLast: undefined } } }, 'the first had progress');
  t.match(await second(600_000, () => Promise.reject(fault())), { end: { failure: { isLast: undefined } } });
});

t.test('an attempt that cannot be judged now is no worker that was lost', async (t) => {
  let isAway = false;
  const deps = depsOf([{ enabled: true, progressAttempt: 0 }], () => isAway);
  const work = async () => {
    isAway = true;
    throw fault();
  };
  const sixth = await tried(deps, 6, { work });
  t.match(sixth, { end: { failure: { code: 'sync_process_lost', isLast: undefined } }, told: { uncounted: [6] } });
  const { told } = sixth;
  t.match(await tried(deps, 7, { told, work }), {
    end: { message: 'the database is away' },
    told: { uncounted: [6, 7] },
  });
  isAway = false;
  t.match(await tried(deps, 7, { told, work: async () => 'done' }), { end: 'done' });
  t.match(
    await tried(deps, 7, { work: async () => 'done' }),
    { end: lost },
    'of one that told nothing nobody knows more',
  );
});

t.test('an attempt whose process cannot even be begun is one of those that a run may have', async (t) => {
  const { kernel, tables } = depsOf([]);
  const log = { write: () => undefined, take: async () => undefined, close: async () => undefined };
  const runs = (leaseEpoch: number) => ({
    begin: async () => ({ leaseEpoch }),
    find: async () => ({ runId: 'run', subjectId: 'source' }),
  });
  const tenants = { byId: async () => tenant };
  const take = () => {
    throw new Error('no process can be made');
  };
  const begun = async (leaseEpoch: number) => {
    const deps = {
      kernel: { ...kernel, settings: { WEIR_SYNC_LANES_PER_TENANT: 0 }, runs: runs(leaseEpoch), tenants },
      ...{ tables, spare: { take }, failures: sourceFailures, runLogs: { open: () => log } },
    } as unknown as AttemptDeps;
    return syncing.attempt(deps, { tenant_id: 'tenant', run_id: 'run' }).catch((error: unknown) => error);
  };
  t.match(await begun(5), { message: 'no process can be made' });
  t.match(await begun(6), { failure: { code: 'run_failed', detail: /given up after 6 attempts/, isLast: true } });
});

t.test('an attempt that a stopping worker hands back is none of those that a run may have', async (t) => {
  Runtime.install({ logger: new DefaultLogger('ERROR') });
  const address = process.env.WEIR_TEST_TEMPORAL_ADDRESS ?? '';
  const queue = `handed-back-${process.pid}`;
  const started = Promise.withResolvers<void>();
  const outcome = Promise.withResolvers<unknown>();
  const works = [
    (signal: AbortSignal) =>
      new Promise((_done, failed) => {
        signal.addEventListener('abort', () => failed(fault()));
        started.resolve();
      }),
    async () => 'done',
  ];
  // Five before it got nowhere.
  let leaseEpoch = 5;
  const attemptSourceSync = (input: RunInput) =>
    attempt({ log: pino({ level: 'silent' }), failures: sourceFailures }, input, async ({ signal, told, beat }) => {
      const work = works.shift();
      leaseEpoch += 1;
      const uncounted = uncountedAttempts(told, beat);
      return boundedAttempt(boundOf(depsOf([]), { leaseEpoch, signal, uncounted }), async () => work?.(signal));
    });
  const endSourceSync = async (_input: RunInput, end: unknown) => outcome.resolve(end);
  const connection = await NativeConnection.connect({ address });
  const client = new Client({ connection: await Connection.connect({ address }) });
  t.teardown(() => Promise.all([connection.close(), client.connection.close()]));
  const bundled = await compiledWorkflows();
  const startWorker = async () => {
    const worker = await Worker.create({
      ...{ connection, taskQueue: queue, activities: { attemptSourceSync, endSourceSync }, shutdownGraceTime: '1 ms' },
      ...{ workflowBundle: bundled, dataConverter: { payloadConverterPath } },
    });
    const ended = worker.run();
    // A connection that a worker still has cannot be closed, which would be told in the place of what the test has found.
    t.teardown(() => {
      if (worker.getState() === 'RUNNING') worker.shutdown();
      return ended;
    });
    return { worker, ended };
  };
  const first = await startWorker();
  const args = [{ tenant_id: 'tenant', run_id: 'run' }];
  await client.workflow.start('SourceSyncWorkflow', { taskQueue: queue, workflowId: queue, args });
  await started.promise;
  first.worker.shutdown();
  await first.ended;
  await startWorker();
  t.strictSame(await outcome.promise, { status: 'succeeded' });
  t.equal(leaseEpoch, 7);
});
