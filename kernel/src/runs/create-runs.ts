import type { Logger } from 'pino';
import { v7 as uuidv7 } from 'uuid';
import { kernelProblems } from '../contract/problems.ts';
import { runProblems } from '../contract/run-problems.ts';
import type { PageOrders, TenantDb, TenantTransaction } from '../persistence/tenant-db.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import type { Tenants } from '../tenancy/tenants.ts';
import type { Workflows } from '../workflows/workflows.ts';
import { Run } from './run-entity.ts';
import type { RunKind, RunRecord, Runs } from './runs.ts';
import { type OpenRun, type Sweeper, type SweeperDeps, startSweeper } from './sweeper.ts';

export interface RunDeps {
  db: (tenant: Tenant) => TenantDb;
  workflows: Workflows;
  /** Filled while plugins are set up. */
  kinds: readonly RunKind[];
  queueOf: (role: string) => string;
  log: Logger;
}

const ORDERS: PageOrders = { orders: { created_at: 'createdAt' }, first: '-created_at', id: 'runId' };
/** A run that stands in the way may end between two statements. */
const MAX_START_TRIES = 3;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** The run table: outbox, look-up and history in one, and the sweeper that starts what was left unstarted. */
export function createRuns(deps: RunDeps): Runs & { startSweeper(tenants: Tenants): Sweeper } {
  const { db } = deps;
  const launch: SweeperDeps['launch'] = (tenant, run) => launchRun(deps, tenant, run);
  const runs: Runs = {
    async start(tx, { kind, subjectId, requestedBy }) {
      const { exclusive } = kindOf(deps.kinds, kind);
      const runId = uuidv7();
      const workflowId = `${tx.tenant.tenantId}:${kind}:${runId}`;
      const row = [tx.tenant.tenantId, runId, kind, subjectId, exclusive, workflowId, requestedBy];
      for (let tried = 1; !(await insertRun(tx, row)); tried += 1) {
        const active = await activeRun(tx, kind, subjectId);
        if (active !== undefined) throw runProblems.runAlreadyActive({ members: { run_id: active } });
        if (tried === MAX_START_TRIES) throw kernelProblems.conflict();
      }
      tx.afterCommit(() => launch(tx.tenant, { runId, kind, workflowId }));
      return { run_id: runId, workflow_id: workflowId };
    },
    async find(tenant, id, kind) {
      const where = UUID.test(id) ? { runId: id } : { workflowId: id };
      const ofKind = kind === undefined ? where : { ...where, kind };
      const row = await db(tenant).transaction((tx) => tx.findOne(Run, ofKind));
      return row === undefined ? undefined : toRecord(row);
    },
    async findMany(tenant, runIds) {
      if (runIds.length === 0) return [];
      const rows = await db(tenant).transaction((tx) => tx.find(Run, { runId: { $in: [...runIds] } }));
      return rows.map(toRecord);
    },
    async page(tenant, filter, request) {
      const where = Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
      const page = await db(tenant).transaction((tx) => tx.page(Run, where, request, ORDERS));
      return { ...page, items: page.items.map(toRecord) };
    },
    async begin(tenant, runId) {
      const { rows } = await db(tenant).transaction((tx) =>
        tx.sql(
          `update kernel.run set status = 'running', lease_epoch = lease_epoch + 1,
             started_at = coalesce(started_at, now()), workflow_started_at = coalesce(workflow_started_at, now())
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
      db(tenant).transaction(async (tx) => {
        const { rows } = await tx.sql(
          `update kernel.run set status = $2, failure = $3::jsonb, ended_at = now(), started_at = coalesce(started_at, now())
           where run_id = $1 and status in ('pending', 'running') returning run_id`,
          [runId, status, failure === undefined ? null : JSON.stringify(failure)],
        );
        if (rows.length === 0) return false;
        await alongside?.(tx);
        return true;
      }),
  };
  return { ...runs, startSweeper: (tenants) => startSweeper({ ...deps, tenants, launch, finish: runs.finish }) };
}

function kindOf(kinds: readonly RunKind[], kind: string): RunKind {
  const found = kinds.find((entry) => entry.kind === kind);
  if (found === undefined) throw new Error(`no plugin registered the run kind ${kind}`);
  return found;
}

/** False when an open run of an exclusive kind stands in the way; waits for one that is being written. */
async function insertRun(tx: TenantTransaction, row: unknown[]): Promise<boolean> {
  const { rowCount } = await tx.sql(
    `insert into kernel.run (tenant_id, run_id, kind, subject_id, exclusive, status, workflow_id, requested_by)
     values ($1, $2, $3, $4, $5, 'pending', $6, $7)
     on conflict (tenant_id, kind, subject_id) where exclusive and status in ('pending', 'running') do nothing`,
    row,
  );
  return rowCount === 1;
}

/** The open run that stood in the way; undefined when it ended in this very moment. */
async function activeRun(tx: TenantTransaction, kind: string, subjectId: string): Promise<string | undefined> {
  const { rows } = await tx.sql(
    `select run_id from kernel.run
     where kind = $1 and subject_id = $2 and exclusive and status in ('pending', 'running')`,
    [kind, subjectId],
  );
  return rows[0]?.run_id as string | undefined;
}

async function launchRun(deps: RunDeps, tenant: Tenant, run: OpenRun): Promise<void> {
  const { workflowType, role } = kindOf(deps.kinds, run.kind);
  await deps.workflows.start({
    workflowId: run.workflowId,
    type: workflowType,
    taskQueue: deps.queueOf(role),
    args: [{ tenant_id: tenant.tenantId, run_id: run.runId }],
  });
  const note = 'update kernel.run set workflow_started_at = coalesce(workflow_started_at, now()) where run_id = $1';
  await deps.db(tenant).transaction((tx) => tx.sql(note, [run.runId]));
}

const RECORD_FIELDS = [
  ...(['runId', 'kind', 'subjectId', 'status', 'workflowId', 'requestedBy', 'leaseEpoch'] as const),
  ...(['createdAt', 'startedAt', 'endedAt', 'failure'] as const),
];

/** A row as ports show it: what is null in the row is absent. */
function toRecord(row: { [F in (typeof RECORD_FIELDS)[number]]?: unknown }): RunRecord {
  const present = RECORD_FIELDS.filter((field) => row[field] !== null && row[field] !== undefined);
  return Object.fromEntries(present.map((field) => [field, row[field]])) as unknown as RunRecord;
}
