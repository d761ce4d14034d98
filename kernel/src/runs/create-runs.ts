import type { InferEntity } from '@mikro-orm/core';
import { createTelemetry, type Telemetry } from '@weir/telemetry';
import type { Logger } from 'pino';
import { v7 as uuidv7 } from 'uuid';
import type { Tenant } from '../contract/caller.ts';
import { RunAdmission, RunChanges } from '../contract/points.ts';
import { kernelProblems } from '../contract/problems.ts';
import { runProblems } from '../contract/run-problems.ts';
import type { RunStatus } from '../contract/shapes.ts';
import type { Contributions } from '../contributions/contributions.ts';
import { faultpoint } from '../faultpoint.ts';
import type { PageOrders, TenantDb, TenantTransaction } from '../persistence/tenant-db.ts';
import type { Repetition } from '../repeat.ts';
import type { Tenants } from '../tenancy/tenants.ts';
import type { Workflows } from '../workflows/workflows.ts';
import { cancelRun } from './cancel-run.ts';
import { Run } from './run-entity.ts';
import { admitRun, workerOf } from './run-worker.ts';
import type { RunKind, RunRecord, Runs } from './runs.ts';
import { type OpenRun, type SweeperDeps, startSweeper } from './sweeper.ts';

export interface RunDeps {
  db: (tenant: Tenant) => TenantDb;
  workflows: Workflows;
  /** Filled while plugins are set up. */
  kinds: readonly RunKind[];
  queueOf: (role: string) => string;
  contributions: Contributions;
  /** Told of every run that ended, for figures. */
  ended?: (run: { kind: string; status: RunStatus; seconds: number }) => void;
  /** Traces of this process; a run keeps the one that made it. */
  telemetry?: Telemetry;
  log: Logger;
}

const ORDERS: PageOrders = { orders: { created_at: 'createdAt' }, first: '-created_at', id: 'runId' };
/** A run that stands in the way may end between two statements. */
const MAX_START_TRIES = 3;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** The run table: outbox, look-up and history in one, and the sweeper that starts what was left unstarted. */
export function createRuns(deps: RunDeps): Runs & { startSweeper(tenants: Tenants): Repetition } {
  const { db } = deps;
  const { telemetry = createTelemetry() } = deps;
  const changed = async (tx: TenantTransaction, run: Pick<RunRecord, 'runId' | 'kind' | 'subjectId' | 'status'>) => {
    const { runId: run_id, kind, subjectId: subject_id, status } = run;
    for (const told of deps.contributions.of(RunChanges)) await told(tx, { run_id, kind, subject_id, status });
  };
  const launch: SweeperDeps['launch'] = (tenant, run) => launchRun(deps, telemetry, tenant, run);
  const runs: Runs = {
    admit: (kind, { queue: wait = false } = {}) =>
      admitRun(deps.workflows, { kind, queue: queueOfKind(deps, kind), wait }),
    start: (tx, { kind, subjectId, requestedBy, admitted }) =>
      telemetry.span({ name: 'run.start', attributes: { kind } }, async (note) => {
        const { exclusive } = kindOf(deps.kinds, kind);
        if (admitted.kind !== kind) throw new Error(`the queue of ${kind} was not looked at`);
        for (const gate of deps.contributions.of(RunAdmission)) await gate(tx, { kind, subjectId, requestedBy });
        const runId = uuidv7();
        note({ run_id: runId });
        const workflowId = `${tx.tenant.tenantId}:${kind}:${runId}`;
        const traceparent = telemetry.traceparent() ?? null;
        const row = [tx.tenant.tenantId, runId, kind, subjectId, exclusive, workflowId, requestedBy, traceparent];
        for (let tried = 1; !(await insertRun(tx, row)); tried += 1) {
          const active = await activeRun(tx, [kind], subjectId);
          if (active !== undefined) throw runProblems.runAlreadyActive({ members: { run_id: active } });
          if (tried === MAX_START_TRIES) throw kernelProblems.conflict();
        }
        await changed(tx, { runId, kind, subjectId, status: 'pending' });
        tx.afterCommit(() => launch(tx.tenant, { runId, kind, workflowId, traceparent }));
        return { run_id: runId, workflow_id: workflowId, warning: admitted.warning };
      }),
    cancel: (tenant, run) =>
      cancelRun(run, {
        workflows: deps.workflows,
        queue: queueOfKind(deps, run.kind),
        end: () => runs.finish(tenant, run.runId, { status: 'cancelled' }),
      }),
    worker: (run) => workerOf(deps.workflows, run, queueOfKind(deps, run.kind)),
    async find(tenant, id, kind) {
      const where = UUID.test(id) ? { runId: id } : { workflowId: id };
      const ofKind = kind === undefined ? where : { ...where, kind };
      const row = await db(tenant).transaction((tx) => tx.findOne(Run, ofKind));
      return row === undefined ? undefined : toRecord(row);
    },
    async findMany(tx, runIds) {
      return runIds.length === 0 ? [] : (await tx.find(Run, { runId: { $in: [...runIds] } })).map(toRecord);
    },
    active: activeRun,
    async page(tenant, filter, request) {
      const where = Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
      const page = await db(tenant).transaction((tx) => tx.page(Run, where, request, ORDERS));
      return { ...page, items: page.items.map(toRecord) };
    },
    begin: (tenant, runId, admit) =>
      db(tenant).transaction(async (tx) => {
        await admit?.(tx);
        const { rows } = await tx.sql(
          `update kernel.run set status = 'running', lease_epoch = lease_epoch + 1,
             started_at = coalesce(started_at, now()), workflow_started_at = coalesce(workflow_started_at, now())
           where run_id = $1 and status in ('pending', 'running') returning lease_epoch, kind, subject_id`,
          [runId],
        );
        const [row] = rows;
        if (row === undefined) return undefined;
        await changed(tx, { runId, kind: String(row.kind), subjectId: String(row.subject_id), status: 'running' });
        return { leaseEpoch: Number(row.lease_epoch) };
      }),
    async assertLease(tx, runId, leaseEpoch) {
      const { rows } = await tx.sql('select status, lease_epoch from kernel.run where run_id = $1 for update', [runId]);
      if (rows[0]?.status !== 'running' || Number(rows[0].lease_epoch) !== leaseEpoch) throw runProblems.leaseLost();
    },
    finish: async (tenant, runId, { status, failure }, steps = {}) => {
      const ended = await db(tenant).transaction(async (tx) => {
        await steps.before?.(tx);
        const { rows } = await tx.sql(
          `update kernel.run set status = $2, failure = $3::jsonb, ended_at = now(), started_at = coalesce(started_at, now())
           where run_id = $1 and status in ('pending', 'running')
           returning kind, subject_id, extract(epoch from ended_at - created_at) as seconds`,
          [runId, status, failure === undefined ? null : JSON.stringify(failure)],
        );
        const [row] = rows;
        if (row === undefined) return undefined;
        await steps.after?.(tx);
        await changed(tx, { runId, kind: String(row.kind), subjectId: String(row.subject_id), status });
        return { kind: String(row.kind), status, seconds: Number(row.seconds) };
      });
      if (ended !== undefined) deps.ended?.(ended);
      return ended !== undefined;
    },
  };
  return {
    ...runs,
    startSweeper: (tenants) =>
      startSweeper({ ...deps, tenants, launch, finish: runs.finish, queueOfKind: (kind) => queueOfKind(deps, kind) }),
  };
}

function queueOfKind({ kinds, queueOf }: RunDeps, kind: string): string {
  return queueOf(kindOf(kinds, kind).role);
}

function kindOf(kinds: readonly RunKind[], kind: string): RunKind {
  const found = kinds.find((entry) => entry.kind === kind);
  if (found === undefined) throw new Error(`no plugin registered the run kind ${kind}`);
  return found;
}

/** False when an open run of an exclusive kind stands in the way; waits for one that is being written. */
async function insertRun(tx: TenantTransaction, row: unknown[]): Promise<boolean> {
  const { rowCount } = await tx.sql(
    `insert into kernel.run (tenant_id, run_id, kind, subject_id, exclusive, status, workflow_id, requested_by, traceparent)
     values ($1, $2, $3, $4, $5, 'pending', $6, $7, $8)
     on conflict (tenant_id, kind, subject_id) where exclusive and status in ('pending', 'running') do nothing`,
    row,
  );
  return rowCount === 1;
}

/** The open run that stands in the way; undefined when it ended in this very moment. */
async function activeRun(
  tx: TenantTransaction,
  kinds: readonly string[],
  subjectId: string,
): Promise<string | undefined> {
  const { rows } = await tx.sql(
    `select run_id from kernel.run
     where kind = any ($1::text[]) and subject_id = $2 and exclusive and status in ('pending', 'running') limit 1`,
    [kinds, subjectId],
  );
  return rows[0]?.run_id as string | undefined;
}

/** Starts the workflow of a run in the trace of the request that made the run, however late that is. */
async function launchRun(deps: RunDeps, telemetry: Telemetry, tenant: Tenant, run: OpenRun): Promise<void> {
  const { runId, kind, workflowId } = run;
  const { workflowType: type, role } = kindOf(deps.kinds, kind);
  const facts = { name: 'workflow.start', side: 'client', attributes: { kind, run_id: runId } } as const;
  const args = [{ tenant_id: tenant.tenantId, run_id: runId }];
  await faultpoint('S1');
  await telemetry.span({ ...facts, parent: run.traceparent ?? undefined }, () =>
    deps.workflows.start({ workflowId, type, taskQueue: deps.queueOf(role), args, fairnessKey: tenant.tenantId }),
  );
  await faultpoint('S2');
  const note = 'update kernel.run set workflow_started_at = coalesce(workflow_started_at, now()) where run_id = $1';
  await deps.db(tenant).transaction((tx) => tx.sql(note, [runId]));
}

/** A row as ports show it: what is null in the row is undefined. */
function toRecord(row: InferEntity<typeof Run>): RunRecord {
  return {
    runId: row.runId,
    kind: row.kind,
    subjectId: row.subjectId,
    status: row.status,
    workflowId: row.workflowId,
    requestedBy: row.requestedBy,
    leaseEpoch: row.leaseEpoch,
    createdAt: row.createdAt,
    startedAt: row.startedAt ?? undefined,
    endedAt: row.endedAt ?? undefined,
    failure: row.failure ?? undefined,
  };
}
