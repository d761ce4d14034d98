import type { Logger } from 'pino';
import { v7 as uuidv7 } from 'uuid';
import type { RunStatus } from '../contract/shapes.ts';
import type { PageOrders, TenantDb, TenantTransaction } from '../persistence/tenant-db.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import type { Tenants } from '../tenancy/tenants.ts';
import type { Workflows } from '../workflows/workflows.ts';
import { runProblems } from './problems.ts';
import { Run } from './run-entity.ts';
import type { RunKind, RunRecord, Runs } from './runs.ts';
import { type Sweeper, startSweeper } from './sweeper.ts';

export interface RunDeps {
  db: (tenant: Tenant) => TenantDb;
  workflows: Workflows;
  /** Filled while plugins are set up. */
  kinds: readonly RunKind[];
  queueOf: (role: string) => string;
  log: Logger;
}

const ORDERS: PageOrders = { orders: { created_at: 'createdAt' }, first: '-created_at', id: 'runId' };
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** The run table: outbox, look-up and history in one, and the sweeper that starts what was left unstarted. */
export function createRuns(deps: RunDeps): Runs & { startSweeper(tenants: Tenants): Sweeper } {
  const launch = (tenant: Tenant, run: { runId: string; kind: string; workflowId: string }) =>
    launchRun(deps, tenant, run);
  return {
    async start(tx, { kind, subjectId, requestedBy }) {
      const { exclusive } = kindOf(deps.kinds, kind);
      const runId = uuidv7();
      const workflowId = `${tx.tenant.tenantId}:${kind}:${runId}`;
      const { rows } = await tx.sql(
        `insert into kernel.run (tenant_id, run_id, kind, subject_id, exclusive, status, workflow_id, requested_by)
         values ($1, $2, $3, $4, $5, 'pending', $6, $7) on conflict do nothing returning run_id`,
        [tx.tenant.tenantId, runId, kind, subjectId, exclusive, workflowId, requestedBy],
      );
      if (rows.length === 0)
        throw runProblems.runAlreadyActive({ members: { run_id: await activeRun(tx, kind, subjectId) } });
      tx.afterCommit(() => launch(tx.tenant, { runId, kind, workflowId }));
      return { run_id: runId, workflow_id: workflowId };
    },
    async find(tenant, id, kind) {
      const where = UUID.test(id) ? { runId: id } : { workflowId: id };
      const row = await deps
        .db(tenant)
        .transaction((tx) => tx.findOne(Run, kind === undefined ? where : { ...where, kind }));
      return row === undefined ? undefined : toRecord(row);
    },
    async page(tenant, { kind, subjectId, status }, request) {
      const where = {
        ...(kind === undefined ? {} : { kind }),
        ...(subjectId === undefined ? {} : { subjectId }),
        ...(status === undefined ? {} : { status }),
      };
      const { items, next_page_token } = await deps
        .db(tenant)
        .transaction((tx) => tx.page(Run, where, request, ORDERS));
      return { items: items.map(toRecord), next_page_token };
    },
    async begin(tenant, runId) {
      const { rows } = await deps.db(tenant).transaction((tx) =>
        tx.sql(
          `update kernel.run set status = 'running', lease_epoch = lease_epoch + 1, started_at = coalesce(started_at, now())
           where run_id = $1 and status in ('pending', 'running') returning lease_epoch`,
          [runId],
        ),
      );
      return rows[0] === undefined ? undefined : { leaseEpoch: Number(rows[0].lease_epoch) };
    },
    async assertLease(tx, runId, leaseEpoch) {
      const { rows } = await tx.sql('select status, lease_epoch from kernel.run where run_id = $1 for update', [runId]);
      if (rows[0]?.status !== 'running' || Number(rows[0].lease_epoch) !== leaseEpoch) throw runProblems.leaseLost();
    },
    finish: (tenant, runId, { status, failure }, alongside) =>
      deps.db(tenant).transaction(async (tx) => {
        const { rows } = await tx.sql(
          `update kernel.run set status = $2, failure = $3::jsonb, ended_at = now(), started_at = coalesce(started_at, now())
           where run_id = $1 and status in ('pending', 'running') returning run_id`,
          [runId, status, failure === undefined ? null : JSON.stringify(failure)],
        );
        if (rows.length === 0) return false;
        await alongside?.(tx);
        return true;
      }),
    startSweeper: (tenants) => startSweeper({ ...deps, tenants, launch }),
  };
}

function kindOf(kinds: readonly RunKind[], kind: string): RunKind {
  const found = kinds.find((entry) => entry.kind === kind);
  if (found === undefined) throw new Error(`no plugin registered the run kind ${kind}`);
  return found;
}

/** The open run that stands in the way; null when it ended in this very moment. */
async function activeRun(tx: TenantTransaction, kind: string, subjectId: string): Promise<string | null> {
  const { rows } = await tx.sql(
    `select run_id from kernel.run where tenant_id = $1 and kind = $2 and subject_id = $3 and status in ('pending', 'running')`,
    [tx.tenant.tenantId, kind, subjectId],
  );
  return rows[0] === undefined ? null : String(rows[0].run_id);
}

async function launchRun(
  deps: RunDeps,
  tenant: Tenant,
  run: { runId: string; kind: string; workflowId: string },
): Promise<void> {
  const { workflowType, role } = kindOf(deps.kinds, run.kind);
  await deps.workflows.start({
    workflowId: run.workflowId,
    type: workflowType,
    taskQueue: deps.queueOf(role),
    args: [{ tenant_id: tenant.tenantId, run_id: run.runId }],
  });
  await deps
    .db(tenant)
    .transaction((tx) =>
      tx.sql('update kernel.run set workflow_started_at = coalesce(workflow_started_at, now()) where run_id = $1', [
        run.runId,
      ]),
    );
}

interface RunRow {
  runId: string;
  kind: string;
  subjectId: string;
  status: RunStatus;
  workflowId: string;
  requestedBy: string;
  leaseEpoch: number;
  createdAt: Date;
  startedAt?: Date | null | undefined;
  endedAt?: Date | null | undefined;
  failure?: RunRecord['failure'] | null;
}

function toRecord(row: RunRow): RunRecord {
  return {
    runId: row.runId,
    kind: row.kind,
    subjectId: row.subjectId,
    status: row.status,
    workflowId: row.workflowId,
    requestedBy: row.requestedBy,
    leaseEpoch: row.leaseEpoch,
    createdAt: row.createdAt,
    ...(row.startedAt ? { startedAt: row.startedAt } : {}),
    ...(row.endedAt ? { endedAt: row.endedAt } : {}),
    ...(row.failure ? { failure: row.failure } : {}),
  };
}
