import type { Tenant } from '../tenancy/tenant.ts';
import type { Tenants } from '../tenancy/tenants.ts';
import type { RunDeps } from './create-runs.ts';
import { runProblems } from './problems.ts';

const EVERY_MS = 5_000;
/** A run younger than this is being started by the request that made it. */
const START_GRACE_SECONDS = 5;
/** A run whose workflow has been closed this long without an outcome has lost it. */
const LOST_GRACE_SECONDS = 30;
const BATCH = 100;

/** A sweeper that is running. */
export interface Sweeper {
  /** Sweeps once, at once; for tests and for the end of an outage. */
  sweep(): Promise<void>;
  stop(): Promise<void>;
}

interface OpenRun {
  runId: string;
  kind: string;
  workflowId: string;
}

export interface SweeperDeps extends Pick<RunDeps, 'db' | 'workflows' | 'log'> {
  tenants: Tenants;
  launch(tenant: Tenant, run: OpenRun): Promise<void>;
}

/**
 * Starts what was committed but never started, and ends runs whose workflow is gone, so that no run hangs for ever.
 * Goes tenant by tenant in ordinary tenant transactions.
 */
export function startSweeper(deps: SweeperDeps): Sweeper {
  let running: Promise<void> = Promise.resolve();
  let stopped = false;
  const sweep = () => {
    running = running.then(() => (stopped ? undefined : sweepAll(deps)));
    return running;
  };
  const timer = setInterval(() => void sweep(), EVERY_MS);
  timer.unref();
  return {
    sweep,
    async stop() {
      stopped = true;
      clearInterval(timer);
      await running;
    },
  };
}

async function sweepAll(deps: SweeperDeps): Promise<void> {
  try {
    for (const tenant of await deps.tenants.list()) {
      for (const run of await unstarted(deps, tenant)) await deps.launch(tenant, run);
      for (const run of await quiet(deps, tenant)) await endIfLost(deps, tenant, run);
    }
  } catch (error) {
    deps.log.warn({ err: error }, 'sweep of runs failed; it is tried again');
  }
}

async function unstarted(deps: SweeperDeps, tenant: Tenant): Promise<OpenRun[]> {
  return open(
    deps,
    tenant,
    `status = 'pending' and workflow_started_at is null and created_at < now() - make_interval(secs => $1)`,
    START_GRACE_SECONDS,
  );
}

async function quiet(deps: SweeperDeps, tenant: Tenant): Promise<OpenRun[]> {
  return open(
    deps,
    tenant,
    `status in ('pending', 'running') and workflow_started_at < now() - make_interval(secs => $1)`,
    LOST_GRACE_SECONDS,
  );
}

async function open({ db }: SweeperDeps, tenant: Tenant, condition: string, seconds: number): Promise<OpenRun[]> {
  const { rows } = await db(tenant).transaction((tx) =>
    tx.sql(`select run_id, kind, workflow_id from kernel.run where ${condition} order by created_at limit ${BATCH}`, [
      seconds,
    ]),
  );
  return rows.map((row) => ({
    runId: String(row.run_id),
    kind: String(row.kind),
    workflowId: String(row.workflow_id),
  }));
}

async function endIfLost({ db, workflows, log }: SweeperDeps, tenant: Tenant, run: OpenRun): Promise<void> {
  const described = await workflows.describe(run.workflowId);
  if (described?.status === 'running') return;
  const { entry } = runProblems.workflowLost();
  const failure = { code: entry.code, origin: 'platform', retryable: true, detail: entry.detail, hint: entry.hint };
  const status = described?.status === 'cancelled' ? 'cancelled' : 'failed';
  await db(tenant).transaction((tx) =>
    tx.sql(
      `update kernel.run set status = $2, failure = $3::jsonb, ended_at = now()
       where run_id = $1 and status in ('pending', 'running')`,
      [run.runId, status, status === 'failed' ? JSON.stringify(failure) : null],
    ),
  );
  log.warn(
    { run_id: run.runId, workflow_id: run.workflowId },
    'the workflow of an open run is gone; the run was ended',
  );
}
