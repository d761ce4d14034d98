import { cpus } from 'node:os';
import { ApplicationFailure, CancelledFailure, Context } from '@temporalio/activity';
import { Platform, type Tenant } from '@weir/kernel';
import { Audits, Producers, Tables } from '@weir/plugin-datasets/contract';
import { RunLogs } from '@weir/plugin-platform/contract';
import { Schedules } from '@weir/plugin-workflow-engine/contract';
import { finishDiscovery, runDiscovery } from './discovery/run-discovery.ts';
import { patternCatalog } from './pattern/catalog.ts';
import { loadPatterns } from './pattern/load-patterns.ts';
import { runReplay } from './quarantine/run-replay.ts';
import { receiptService } from './receipt/service.ts';
import { endLine } from './run-log/attempt-log.ts';
import { roleEngine } from './runtime/role-engine.ts';
import { fireSchedule, type ScheduledTime, skipSchedule } from './schedule/fire.ts';
import type { SkipReason } from './schedule/firings.ts';
import { copyTokens } from './sync/copy-tokens.ts';
import { failureOf, RunFailed, sourceFailure } from './sync/failure.ts';
import { finishSync, type Outcome } from './sync/finish-sync.ts';
import { runAttempt } from './sync/run-attempt.ts';
import { syncService } from './sync/service.ts';
import { workFolders } from './sync/work-folders.ts';
import { verifySyncRun } from './verification/verify-sync.ts';
import { settingsOf, type WorkerDeps } from './worker-deps.ts';

/** All that a workflow of this plugin is given. */
export interface RunInput {
  tenant_id: string;
  run_id: string;
}

export type SourceActivities = ReturnType<typeof sourceActivities>;

/** A cancellation arrives with the answer to a heartbeat, so this is also how long one may go unnoticed. */
const HEARTBEAT_EVERY_MS = 1_000;

/** The activities of role `source`, over what the worker program gives. */
export function sourceActivities({ kernel, children, cores = cpus().length, workDir }: WorkerDeps) {
  const { connectors } = loadPatterns(settingsOf(kernel).WEIR_PLATFORM, kernel.log);
  const catalog = patternCatalog(kernel.use(Platform).sql);
  const patterns = { of: catalog.of, connectors };
  const tables = kernel.use(Tables);
  const services = { tables, producers: kernel.use(Producers) };
  const auditing = { kernel, tables, audits: kernel.use(Audits), receipts: receiptService(kernel) };
  const syncs = syncService({ kernel, tables, patterns: catalog });
  const scheduling = { kernel, schedules: kernel.use(Schedules), syncs };
  const engines = { source: roleEngine(kernel, 'source'), discovery: roleEngine(kernel, 'discovery') };
  const folders = workFolders(workDir);
  const tokens = copyTokens(cores);
  const runLogs = kernel.use(RunLogs);
  const swept = folders.sweep();

  const tenantOf = async ({ tenant_id: tenantId }: Pick<RunInput, 'tenant_id'>): Promise<Tenant> => {
    const tenant = await kernel.tenants.byId(tenantId);
    if (tenant === undefined) throw new RunFailed({ ...sourceFailure('run_failed'), retryable: false });
    return tenant;
  };

  /** Writes the last line of the log of a run that has not ended yet. */
  const tellEnd = async (tenant: Tenant, runId: string, outcome: Outcome): Promise<void> => {
    const run = await kernel.runs.find(tenant, runId);
    if (run === undefined || run.endedAt !== undefined) return;
    const log = runLogs.open(tenant, { runId, attempt: run.leaseEpoch, part: 'end' });
    log.write(endLine(outcome));
    await log.close();
  };

  return {
    /** Reads a source and loads its rows into bronze tables; one attempt. `waits` when the tenant has no lane free for it. */
    readAndLoad: (input: RunInput): Promise<'done' | 'waits'> =>
      attempt(kernel.log, input, async ({ signal, beat, log }) => {
        await swept;
        const tenant = await tenantOf(input);
        const run = await kernel.runs.find(tenant, input.run_id);
        if (run === undefined) throw new RunFailed({ ...sourceFailure('run_failed'), retryable: false });
        const request = { tenant, runId: run.runId, sourceId: run.subjectId, signal, onProgress: beat };
        const logged = { ...kernel, log: log.child({ source_id: run.subjectId }) };
        return runAttempt(
          {
            kernel: logged,
            ...services,
            audits: auditing.audits,
            patterns,
            folders,
            tokens,
            children,
            runLogs,
            engine: engines.source,
          },
          request,
        );
      }),

    /** Makes a sync terminal. */
    endSync: async (input: RunInput, outcome: Outcome): Promise<void> => {
      const tenant = await tenantOf(input);
      // Before the end, so that whoever has seen the end has seen the last line.
      await tellEnd(tenant, input.run_id, outcome);
      await finishSync(kernel, tenant, input.run_id, outcome);
    },

    /** Asks a connector for its streams and keeps them; one attempt. */
    discover: (input: RunInput): Promise<void> =>
      attempt(kernel.log, input, async ({ signal, log }) => {
        await swept;
        const logged = { ...kernel, log };
        await runDiscovery(
          { kernel: logged, patterns, folders, children, engine: engines.discovery },
          await tenantOf(input),
          input.run_id,
          signal,
        );
      }),

    /** Makes a discovery terminal and brings the streams of its source in line with it. */
    endDiscovery: async (input: RunInput, outcome: Outcome): Promise<void> =>
      finishDiscovery({ kernel, services }, await tenantOf(input), input.run_id, outcome),

    /** Holds the receipt of a sync against its tables; one attempt. */
    verifySync: (input: RunInput): Promise<void> =>
      attempt(kernel.log, input, async ({ signal }) =>
        verifySyncRun(auditing, await tenantOf(input), { verificationRunId: input.run_id, signal }),
      ),

    /** Tries rejected lines again; one attempt. */
    replayQuarantine: (input: RunInput): Promise<void> =>
      attempt(kernel.log, input, async ({ signal }) => {
        await swept;
        await runReplay({ kernel, tables, folders, children }, await tenantOf(input), { runId: input.run_id, signal });
      }),

    /** Carries out one time of a schedule; `waiting` asks to be called again. */
    fireSchedule: async (time: ScheduledTime): Promise<'done' | 'waiting'> =>
      fireSchedule(scheduling, await tenantOf(time), time),

    /** Notes that a time of a schedule came to nothing. */
    skipSchedule: (time: ScheduledTime, reason: SkipReason): Promise<void> => skipSchedule(scheduling, time, reason),

    /** Makes a run terminal to whose end nothing else belongs. */
    endRun: async (input: RunInput, outcome: Outcome): Promise<void> => {
      await kernel.runs.finish(await tenantOf(input), input.run_id, outcome);
    },
  };
}

/** What an attempt is given: when to stop, how to show that it goes on, and a log whose lines name run and workflow. */
interface Attempt {
  signal: AbortSignal;
  beat(details: unknown): void;
  log: Log;
}

type Log = WorkerDeps['kernel']['log'];

/**
 * Carries out one attempt with heartbeats. What fails becomes an `ApplicationFailure` that says whether a retry can
 * help and carries the run's failure; a stopping worker hands the attempt back.
 */
async function attempt<T>(base: Log, input: RunInput, work: (given: Attempt) => Promise<T>): Promise<T> {
  const context = Context.current();
  const { workflowExecution, attempt: number } = context.info;
  const log = base.child({ run_id: input.run_id, workflow_id: workflowExecution?.workflowId, attempt: number });
  log.info('attempt started');
  let details: unknown;
  const timer = setInterval(() => context.heartbeat(details), HEARTBEAT_EVERY_MS);
  try {
    const beat = (latest: unknown) => {
      details = latest;
    };
    const result = await work({ signal: context.cancellationSignal, beat, log });
    log.info('attempt ended');
    return result;
  } catch (error) {
    if (context.cancellationSignal.aborted) throw cancelledOrHandedBack(context.cancellationSignal.reason);
    const failure = failureOf(error);
    log.warn({ code: failure.code, err: error }, 'attempt failed');
    throw applicationFailure(failure);
  } finally {
    clearInterval(timer);
  }
}

function applicationFailure(failure: ReturnType<typeof failureOf>): ApplicationFailure {
  return ApplicationFailure.create({
    type: failure.code,
    message: failure.detail,
    nonRetryable: !failure.retryable,
    details: [failure],
  });
}

const SHUTDOWN_REASON = 'WORKER_SHUTDOWN';

function cancelledOrHandedBack(reason: unknown): Error {
  if (reason instanceof Error && reason.message === SHUTDOWN_REASON) {
    return applicationFailure(sourceFailure('worker_stopping'));
  }
  return reason instanceof CancelledFailure ? reason : new CancelledFailure('the run was cancelled');
}
