import { type Duty, duty, type Kernel, type PageOrders, type Tenant, type TenantTransaction } from '@weir/kernel';
import { type Input, kernelProblems, type Output } from '@weir/kernel/contract';
import { type Envelope, KEPT_DAYS } from '../contract/envelope.ts';
import type { ExecutionItemView, ExecutionView, listExecutions } from '../contract/executions.ts';
import { aiProblems } from '../contract/problems.ts';
import { ExecutionEntity, type ExecutionRow } from '../model/entities.ts';

const ORDERS: PageOrders = { orders: { created_at: 'createdAt' }, first: '-created_at', id: 'executionId' };
const DAY_MS = 86_400_000;
const BATCH = 1_000;

export type NewExecution = Omit<ExecutionRow, 'tenantId' | 'createdAt' | 'expiresAt'>;

/** The row as every answer shows it, around a result. */
export function envelopeOf<T>(row: ExecutionRow, result: T): Envelope<T> {
  return { ...factsOf(row), result };
}

function factsOf(row: ExecutionRow) {
  return {
    execution_id: row.executionId,
    trace_id: row.traceId,
    task: row.task,
    provider: row.provider,
    model: row.model,
    external_id: row.externalId ?? null,
    degraded: row.degraded,
    status: row.status,
    proposal: row.proposal ?? null,
    digest: row.digest ?? null,
    confidence: row.confidence ?? null,
    warnings: row.warnings,
    validation: { attempts: row.attempts, checks: row.checks },
    usage: {
      input_tokens: row.inputTokens,
      output_tokens: row.outputTokens,
      cost_micros: row.costMicros,
      latency_ms: row.latencyMs,
    },
    created_at: row.createdAt.toISOString(),
    expires_at: row.expiresAt.toISOString(),
  };
}

const itemOf = (row: ExecutionRow): ExecutionItemView => ({ ...factsOf(row), requested_by: row.actor });
const viewOf = (row: ExecutionRow): ExecutionView => ({ ...itemOf(row), result: row.result ?? null });

/** What was asked for, and what became of it. What is older than `KEPT_DAYS` is not found. */
export function executionService({ db }: Pick<Kernel, 'db'>) {
  /** Throws `not_found`. */
  const found = async (
    tx: TenantTransaction,
    executionId: string,
    options: { lock?: boolean } = {},
  ): Promise<ExecutionRow> => {
    const row = await tx.findOne(ExecutionEntity, { executionId, expiresAt: { $gt: new Date() } }, options);
    if (row === undefined) throw kernelProblems.notFound();
    return row;
  };
  /** Changes an open proposal to its last state. Throws `proposal_not_open`. */
  const decide = async (
    tx: TenantTransaction,
    executionId: string,
    state: 'accepted' | 'refused',
  ): Promise<ExecutionRow> => {
    const row = await found(tx, executionId, { lock: true });
    if (row.proposal !== 'drafted') throw notOpen(row);
    return tx.update(row, { proposal: state });
  };
  return {
    found,
    decide,
    insert(tx: TenantTransaction, row: NewExecution): Promise<ExecutionRow> {
      const createdAt = new Date();
      return tx.insert(ExecutionEntity, {
        ...row,
        createdAt,
        expiresAt: new Date(createdAt.getTime() + KEPT_DAYS * DAY_MS),
      });
    },
    list: (tenant: Tenant, query: Input<typeof listExecutions>['query']): Promise<Output<typeof listExecutions>> =>
      db(tenant).transaction(async (tx) => {
        const { status, proposal, task, ...request } = query ?? {};
        const asked = { status, proposal, task };
        const where = Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined));
        const page = await tx.page(ExecutionEntity, { ...where, expiresAt: { $gt: new Date() } }, request, ORDERS);
        return { items: page.items.map(itemOf), next_page_token: page.next_page_token, total: null };
      }),
    get: (tenant: Tenant, executionId: string): Promise<ExecutionView> =>
      db(tenant).transaction(async (tx) => viewOf(await found(tx, executionId))),
    refuse: (tenant: Tenant, executionId: string): Promise<ExecutionView> =>
      db(tenant).transaction(async (tx) => viewOf(await decide(tx, executionId, 'refused'))),
  };
}
export type Executions = ReturnType<typeof executionService>;

/** Why a proposal cannot be accepted or refused any more. */
export const notOpen = ({ proposal, executionId }: ExecutionRow) =>
  aiProblems.proposalNotOpen({ values: { state: proposal ?? 'not made' }, members: { execution_id: executionId } });

/** Removes what is older than it is kept. */
export const retention = ({ db }: Pick<Kernel, 'db'>): Duty =>
  duty({
    name: 'ai.retention',
    everyMs: 3_600_000,
    where: 'api',
    perTenant: (tenant) =>
      db(tenant).transaction(async (tx) => {
        await tx.sql(
          'delete from ai.execution where execution_id in (select execution_id from ai.execution where expires_at <= now() limit $1)',
          [BATCH],
        );
        await tx.sql(`delete from ai.budget where day < (now() at time zone 'utc')::date - 40`, []);
      }),
  });
