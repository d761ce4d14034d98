import type { InferEntity } from '@mikro-orm/core';
import { createTelemetry, type Telemetry } from '@weir/telemetry';
import type { Logger } from 'pino';
import { v7 as uuidv7 } from 'uuid';
import type { Tenant } from '../contract/caller.ts';
import { nextSteps } from '../contract/next-steps.ts';
import { RunAdmission, RunChanges, RunDrops } from '../contract/points.ts';
import { kernelProblems } from '../contract/problems.ts';
import { runProblems } from '../contract/run-problems.ts';
import type { RunStatus } from '../contract/shapes.ts';
import type { Contributions } from '../contributions/contributions.ts';
import type { Duty } from '../duties/duty.ts';
import { faultpoint } from '../faultpoint.ts';
import type { PageOrders, TenantDb, TenantTransaction } from '../persistence/tenant-db.ts';
import type { Workflows } from '../workflows/workflows.ts';
import { cancelRun, carrierRun } from './cancel-run.ts';
import { Run } from './run-entity.ts';
import { admitRun, workerOf } from './run-worker.ts';
import type { NewRun, RunFailureRecord, RunKind, RunRecord, Runs } from './runs.ts';
import { type OpenRun, runSweep, type SweeperDeps } from './sweeper.ts';

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
export function createRuns(deps: RunDeps): Runs & { sweep: Duty } {
  const { db } = deps;
  const { telemetry = createTelemetry() } = deps;
  const changed = async (tx: TenantTransaction, run: Pick<RunRecord, 'runId' | 'kind' | 'subjectId' | 'status'>) => {
    const { runId: run_id, kind, subjectId: subject_id, status } = run;
    for (const told of await deps.contributions.forTenant(tx, RunChanges))
      await told(tx, { run_id, kind, subject_id, status });
  };
  const launch: SweeperDeps['launch'] = (tenant, run) => launchRun(deps, telemetry, tenant, run);
  const runs: Runs = {
    async admit(kind, { queue: wait = false } = {}) {
      const queue = queueOfKind(deps, kind);
      return queue === undefined ? { kind, warning: null } : admitRun(deps.workflows, { kind, queue, wait });
    },
    start: (tx, run) =>
      telemetry.span({ name: 'run.start', attributes: { kind: run.kind } }, async (note) => {
        const { kind, subjectId, requestedBy, admitted } = run;
        const known = kindOf(deps.kinds, kind);
        const carriedBy = carrierOf(known, run);
        if (admitted.kind !== kind) throw new Error(`the queue of ${kind} was not looked at`);
        const parentWorkflow = run.parentRunId && (await openWorkflow(tx, run.parentRunId));
        const gates = carriedBy === 'parent' ? [] : await deps.contributions.forTenant(tx, RunAdmission);
        for (const gate of gates) await gate(tx, { kind, subjectId, requestedBy });
        const runId = uuidv7();
        note({ run_id: runId });
        const workflowId = (carriedBy === 'parent' && parentWorkflow) || `${tx.tenant.tenantId}:${kind}:${runId}`;
        const traceparent = telemetry.traceparent() ?? null;
        const row = [
          ...[tx.tenant.tenantId, runId, kind, subjectId, known.exclusive, workflowId, requestedBy, traceparent],
          ...[known.exclusiveGroup, carriedBy, run.deadline, run.parentRunId, run.orchestratorRunId],
        ];
        for (let tried = 1; !(await insertRun(tx, row)); tried += 1) {
          const active = await activeRun(tx, rivalsOf(deps.kinds, known), subjectId);
          if (active !== undefined) throw runProblems.runAlreadyActive({ members: { run_id: active } });
          if (tried === MAX_START_TRIES) throw kernelProblems.conflict();
        }
        await changed(tx, { runId, kind, subjectId, status: 'pending' });
        if (carriedBy === 'workflow') tx.afterCommit(() => launch(tx.tenant, { runId, kind, workflowId, traceparent }));
        return { run_id: runId, workflow_id: workflowId, warning: admitted.warning };
      }),
    async adopt(tx, { orchestratorRunId, subjectId, kind, parentRunId }) {
      const found = await tx.findOne(Run, { orchestratorRunId, subjectId, carriedBy: 'caller' }, { lock: true });
      if (found === undefined) return undefined;
      if (found.status !== 'pending' && found.status !== 'running') throw runProblems.runNotActive();
      const { exclusive, exclusiveGroup } = kindOf(deps.kinds, kind);
      await tx.sql(
        `update kernel.run set kind = $2, exclusive = $3, exclusive_group = $4, carried_by = 'parent', parent_run_id = $5,
           deadline = null, workflow_id = (select workflow_id from kernel.run where run_id = $5) where run_id = $1`,
        [found.runId, kind, exclusive, exclusiveGroup ?? null, parentRunId],
      );
      await changed(tx, { runId: found.runId, kind, subjectId, status: found.status });
      return found.runId;
    },
    async cancel(tenant, asked) {
      const run = await carrierRun(asked, (runId) => runs.find(tenant, runId));
      return cancelRun(run, {
        workflows: deps.workflows,
        queue: run.carriedBy === 'workflow' ? queueOfKind(deps, run.kind) : undefined,
        end: () => runs.finish(tenant, run.runId, { status: 'cancelled' }),
      });
    },
    async worker(tenant, asked) {
      const run = await carrierRun(asked, (runId) => runs.find(tenant, runId));
      const queue = queueOfKind(deps, run.kind);
      return queue === undefined || run.carriedBy !== 'workflow' ? undefined : workerOf(deps.workflows, run, queue);
    },
    async find(tenant, id, kind) {
      const where = UUID.test(id) ? { runId: id } : { workflowId: id, carriedBy: { $ne: 'parent' } };
      const row = await db(tenant).transaction((tx) => tx.findOne(Run, given({ ...where, kind })));
      return row === undefined ? undefined : toRecord(row);
    },
    async findMany(tx, runIds) {
      return runIds.length === 0 ? [] : (await tx.find(Run, { runId: { $in: [...runIds] } })).map(toRecord);
    },
    active: activeRun,
    async page(tenant, filter, request) {
      const { from, to, ...same } = filter;
      const times = { $gte: from, $lt: to };
      const where = given({ ...same, createdAt: from === undefined && to === undefined ? undefined : given(times) });
      const page = await db(tenant).transaction((tx) => tx.page(Run, where, request, ORDERS));
      return { ...page, items: page.items.map(toRecord) };
    },
    parts: (tenant, runIds, limit) => db(tenant).transaction((tx) => partsOf(tx, runIds, limit)),
    async drop(tx, runIds) {
      const gone = await withWholes(tx, runIds);
      if (gone.length === 0) return;
      for (const dropped of deps.contributions.of(RunDrops)) await dropped(tx, gone);
      await tx.sql('delete from kernel.run where run_id = any ($1::uuid[])', [gone]);
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
        const kept = failure && (await withSteps(tx, runId, failure));
        const { rows } = await tx.sql(
          `update kernel.run set status = $2, failure = $3::jsonb, ended_at = now(), started_at = coalesce(started_at, now())
           where run_id = $1 and status in ('pending', 'running')
           returning kind, subject_id, extract(epoch from ended_at - created_at) as seconds`,
          [runId, status, kept === undefined ? null : JSON.stringify(kept)],
        );
        const [row] = rows;
        if (row === undefined) return undefined;
        await steps.after?.(tx);
        await changed(tx, { runId, kind: String(row.kind), subjectId: String(row.subject_id), status });
        const parts = await endParts(tx, runId, status === 'cancelled' ? 'cancelled' : 'failed');
        for (const part of parts) await changed(tx, part);
        return [{ kind: String(row.kind), status, seconds: Number(row.seconds) }, ...parts];
      });
      for (const run of ended ?? []) deps.ended?.(run);
      return ended !== undefined;
    },
  };
  return {
    ...runs,
    sweep: runSweep({ ...deps, launch, finish: runs.finish, queueOfKind: (kind) => queueOfKind(deps, kind) }),
  };
}

/** The queue that takes runs of a kind; undefined for a kind without a workflow. */
function queueOfKind({ kinds, queueOf }: RunDeps, kind: string): string | undefined {
  const { role } = kindOf(kinds, kind);
  return role === undefined ? undefined : queueOf(role);
}

function carrierOf({ kind, workflowType }: RunKind, run: NewRun): RunRecord['carriedBy'] {
  if (workflowType !== undefined) return 'workflow';
  if (run.deadline !== undefined) return 'caller';
  if (run.parentRunId !== undefined) return 'parent';
  throw new Error(`a run of kind ${kind} needs a parent or a deadline`);
}

/** The kinds whose open runs stand in the way of one of this kind. */
function rivalsOf(kinds: readonly RunKind[], { kind, exclusiveGroup: group }: RunKind): string[] {
  const ofGroup = kinds.filter(({ exclusiveGroup }) => group !== undefined && exclusiveGroup === group);
  return [...new Set([kind, ...ofGroup.map((rival) => rival.kind)])];
}

function kindOf(kinds: readonly RunKind[], kind: string): RunKind {
  const found = kinds.find((entry) => entry.kind === kind);
  if (found === undefined) throw new Error(`no plugin registered the run kind ${kind}`);
  return found;
}

/** False when an open run of an exclusive kind stands in the way; waits for one that is being written. */
async function insertRun(tx: TenantTransaction, row: unknown[]): Promise<boolean> {
  const { rowCount } = await tx.sql(
    `insert into kernel.run (tenant_id, run_id, kind, subject_id, exclusive, status, workflow_id, requested_by, traceparent,
       exclusive_group, carried_by, deadline, parent_run_id, orchestrator_run_id)
     values ($1, $2, $3, $4, $5, 'pending', $6, $7, $8, $9, $10, $11, $12, $13)
     on conflict do nothing`,
    row.map((value) => value ?? null),
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

/** The workflow of an open run, which stays open until the transaction ends. Throws `parent_run_ended`. */
async function openWorkflow(tx: TenantTransaction, runId: string): Promise<string> {
  const open = "select workflow_id from kernel.run where run_id = $1 and status in ('pending', 'running') for share";
  const { rows } = await tx.sql(open, [runId]);
  if (rows[0] === undefined) throw runProblems.parentEnded();
  return String(rows[0].workflow_id);
}

/** The failure of a run with the places of its steps filled. */
async function withSteps(tx: TenantTransaction, runId: string, failure: RunFailureRecord): Promise<RunFailureRecord> {
  const { next, ...facts } = failure;
  if (next === undefined) return failure;
  const { rows } = await tx.sql('select subject_id from kernel.run where run_id = $1', [runId]);
  return { ...facts, ...nextSteps(next, { run_id: runId, subject_id: rows[0]?.subject_id }) };
}

/** Ends the open parts of a run that has ended, and theirs. */
async function endParts(tx: TenantTransaction, parentRunId: string, status: 'failed' | 'cancelled') {
  const { code, detail, hint } = runProblems.parentEnded.entry;
  const failure = status === 'failed' ? { code, origin: 'platform', retryable: true, detail, hint } : null;
  const { rows } = await tx.sql(
    `with recursive part as (
       select run_id from kernel.run where parent_run_id = $1
       union select run.run_id from kernel.run join part on run.parent_run_id = part.run_id)
     update kernel.run set status = $2, failure = $3::jsonb, ended_at = now(), started_at = coalesce(started_at, now())
     where run_id in (select run_id from part) and status in ('pending', 'running')
     returning run_id, kind, subject_id, extract(epoch from ended_at - created_at) as seconds`,
    [parentRunId, status, failure && JSON.stringify(failure)],
  );
  return rows.map((row) => ({
    ...{ runId: String(row.run_id), kind: String(row.kind), subjectId: String(row.subject_id) },
    ...{ status, seconds: Number(row.seconds) },
  }));
}

/** The first `limit` parts of each run and their number, by two statements whatever the number of runs. */
async function partsOf(tx: TenantTransaction, runIds: readonly string[], limit: number) {
  const { rows } = await tx.sql(
    `select run_id, total from (
       select run_id, count(*) over whole as total, row_number() over (whole order by created_at, run_id) as place
       from kernel.run where parent_run_id = any ($1::uuid[]) window whole as (partition by parent_run_id)) as part
     where place <= $2`,
    [runIds, limit],
  );
  const totals = new Map(rows.map(({ run_id, total }) => [String(run_id), Number(total)]));
  const orderBy = { createdAt: 'asc', runId: 'asc' } as const;
  const found = totals.size === 0 ? [] : await tx.find(Run, { runId: { $in: [...totals.keys()] } }, { orderBy });
  const parts = new Map<string, { items: RunRecord[]; total: number }>();
  for (const part of found.map(toRecord)) {
    const parent = part.parentRunId as string;
    const items = [...(parts.get(parent)?.items ?? []), part];
    parts.set(parent, { items, total: totals.get(part.runId) as number });
  }
  return parts;
}

/** These runs, and each run above them that would be left without a part. */
async function withWholes(tx: TenantTransaction, runIds: readonly string[]): Promise<string[]> {
  const gone = new Set(runIds);
  for (;;) {
    const { rows } = await tx.sql(
      `select distinct parent_run_id from kernel.run child
       where run_id = any ($1::uuid[]) and parent_run_id is not null and parent_run_id <> all ($1::uuid[])
         and not exists (select from kernel.run sibling
           where sibling.parent_run_id = child.parent_run_id and sibling.run_id <> all ($1::uuid[]))`,
      [[...gone]],
    );
    if (rows.length === 0) return [...gone];
    for (const { parent_run_id } of rows) gone.add(String(parent_run_id));
  }
}

/** Starts the workflow of a run in the trace of the request that made the run, however late that is. */
async function launchRun(deps: RunDeps, telemetry: Telemetry, tenant: Tenant, run: OpenRun): Promise<void> {
  const { runId, kind, workflowId } = run;
  const { workflowType: type, role } = kindOf(deps.kinds, kind);
  if (type === undefined) throw new Error(`runs of kind ${kind} have no workflow`);
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

const given = (members: object) =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));

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
    carriedBy: row.carriedBy,
    deadline: row.deadline ?? undefined,
    parentRunId: row.parentRunId ?? undefined,
    orchestratorRunId: row.orchestratorRunId ?? undefined,
    createdAt: row.createdAt,
    startedAt: row.startedAt ?? undefined,
    endedAt: row.endedAt ?? undefined,
    failure: row.failure ?? undefined,
  };
}
