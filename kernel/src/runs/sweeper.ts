import type { Logger } from 'pino';
import type { Tenant } from '../contract/caller.ts';
import { Problem, type ProblemEntry } from '../contract/problem.ts';
import { kernelProblems } from '../contract/problems.ts';
import { runProblems } from '../contract/run-problems.ts';
import { type Duty, duty } from '../duties/duty.ts';
import type { TenantDb } from '../persistence/tenant-db.ts';
import type { WorkflowDescription, Workflows } from '../workflows/workflows.ts';
import { judge } from './run-worker.ts';
import type { RunRecord, Runs } from './runs.ts';

/** A run younger than this is being started by the request that made it. */
const START_GRACE_SECONDS = 5;
/** A run whose workflow has been closed this long without an outcome has lost it. */
const LOST_GRACE_SECONDS = 30;
/** A run whose worker vanished, and that no other one took over for this long, is given up. */
const GONE_AFTER_MS = 10 * 60_000;
const MAX_REMEMBERED = 10_000;
const BATCH = 100;

/** What it takes to start or to look up the workflow of a run. */
export type OpenRun = Pick<RunRecord, 'runId' | 'kind' | 'workflowId'> & { traceparent: string | null };
type SweptRun = OpenRun & Pick<RunRecord, 'status'>;

export interface SweeperDeps {
  db(tenant: Tenant): TenantDb;
  workflows: Workflows;
  log: Logger;
  launch(tenant: Tenant, run: OpenRun): Promise<void>;
  finish: Runs['finish'];
  /** The queue that takes runs of a kind; undefined for a kind without a workflow. */
  queueOfKind(kind: string): string | undefined;
  now?: () => number;
}

/**
 * Starts what was committed but never started, and ends runs whose workflow is gone or whose deadline has passed, so
 * that no run hangs for ever.
 */
export function runSweep(options: SweeperDeps): Duty {
  const deps: Deps = { ...options, now: options.now ?? Date.now, goneSince: new Map() };
  return duty({ name: 'kernel.runs', everyMs: 5_000, where: 'api', perTenant: (tenant) => sweepRuns(deps, tenant) });
}

/** `goneSince` remembers when a run was first found without a worker. */
type Deps = SweeperDeps & { now(): number; goneSince: Map<string, number> };

async function sweepRuns(deps: Deps, tenant: Tenant): Promise<void> {
  const expired = await open(deps, tenant, 'deadline', 0);
  await each(deps, expired, (run) => endExpired(deps, tenant, run));
  const ofWorkflow = "carried_by = 'workflow' and";
  const notStarted = `${ofWorkflow} workflow_started_at is null and created_at`;
  const unstarted = await open(deps, tenant, notStarted, START_GRACE_SECONDS);
  await each(deps, unstarted, (run) => deps.launch(tenant, run));
  const quiet = await open(deps, tenant, `${ofWorkflow} workflow_started_at`, LOST_GRACE_SECONDS);
  await each(deps, quiet, (run) => endIfLost(deps, tenant, run));
}

/** One run that cannot be handled holds up no other; an engine or a database that is away ends the round of the tenant. */
async function each({ log }: Deps, runs: SweptRun[], work: (run: SweptRun) => Promise<void>): Promise<void> {
  for (const run of runs) {
    await work(run).catch((error: unknown) => {
      if (error instanceof Problem && error.entry === kernelProblems.dependencyUnavailable.entry) throw error;
      log.warn({ err: error, run_id: run.runId, workflow_id: run.workflowId }, 'a run could not be swept');
    });
  }
}

/** In random order, so that whatever fills a batch keeps nothing from its turn for ever. */
async function open({ db }: Deps, tenant: Tenant, condition: string, seconds: number): Promise<SweptRun[]> {
  const { rows } = await db(tenant).transaction((tx) =>
    tx.sql(
      `select run_id as "runId", kind, status, workflow_id as "workflowId", traceparent from kernel.run
       where status in ('pending', 'running') and ${condition} < now() - make_interval(secs => $1)
       order by random() limit $2`,
      [seconds, BATCH],
    ),
  );
  return rows as unknown as SweptRun[];
}

async function endExpired({ finish, log }: Deps, tenant: Tenant, { runId }: SweptRun): Promise<void> {
  const failure = failureOf(runProblems.runPastDeadline.entry);
  if (await finish(tenant, runId, { status: 'failed', failure }))
    log.warn({ run_id: runId }, 'a run passed its deadline');
}

async function endIfLost(deps: Deps, tenant: Tenant, run: SweptRun): Promise<void> {
  const described = await deps.workflows.describe(run.workflowId);
  if (described?.status === 'running') return endIfAbandoned(deps, tenant, run, described);
  const cancelled = described?.status === 'cancelled';
  const failure = failureOf(runProblems.workflowLost.entry);
  await deps.finish(tenant, run.runId, cancelled ? { status: 'cancelled' } : { status: 'failed', failure });
  deps.log.warn({ workflow_id: run.workflowId }, 'the workflow of an open run is gone; the run was ended');
}

/** A run that no worker has begun waits as long as it takes; one that lost its worker waits for another, not for ever. */
async function endIfAbandoned(
  deps: Deps,
  tenant: Tenant,
  { runId, kind, status, workflowId }: SweptRun,
  described: WorkflowDescription,
): Promise<void> {
  const { goneSince } = deps;
  const name = status === 'running' ? deps.queueOfKind(kind) : undefined;
  const queue = name === undefined ? undefined : await deps.workflows.describeQueue(name);
  if (queue === undefined || judge(true, described, queue, deps.now()).state !== 'gone') {
    goneSince.delete(runId);
    return;
  }
  if (goneSince.size >= MAX_REMEMBERED) goneSince.clear();
  const since = goneSince.get(runId) ?? deps.now();
  goneSince.set(runId, since);
  if (deps.now() - since < GONE_AFTER_MS) return;
  await deps.finish(tenant, runId, { status: 'failed', failure: failureOf(runProblems.workerGone.entry) });
  await deps.workflows.terminate(workflowId, 'its worker vanished');
  goneSince.delete(runId);
  deps.log.warn({ workflow_id: workflowId }, 'the worker of an open run is gone; the run was ended');
}

function failureOf({ code, detail, hint }: ProblemEntry) {
  return { code, origin: 'platform', retryable: true, detail, hint } as const;
}
