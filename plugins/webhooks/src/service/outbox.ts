import type { RunStatus, Tenant } from '@weir/kernel/contract';
import type { TableBlocked, TableCommitted } from '@weir/plugin-datasets/contract';
import { v7 as uuidv7 } from 'uuid';
import { TEST_EVENT, type WebhookEvent } from '../contract.ts';
import { RETRY_MS } from '../model/retry.ts';
import type { Wake } from './wake.ts';

/** The transaction in which an event happens. */
export interface EventTransaction {
  readonly tenant: Tenant;
  sql(text: string, params: unknown[]): Promise<{ rows: Record<string, unknown>[]; rowCount: number }>;
  afterCommit(work: () => Promise<void>): void;
}

const VALUES = `$1::uuid, now() + make_interval(secs => ${RETRY_MS / 1_000})`;
const INTO = `insert into webhooks.delivery (tenant_id, webhook_id, event, subject, facts, event_id, retry_until)`;
const ACTIVE =
  "from webhooks.webhook w, event where w.status = 'active' and event.name = any (w.events) returning webhook_id";

/**
 * What the end of a run means depends on how the one before it ended. A run that consists of parts speaks for them, unless its kind
 * ($8) leaves it to them.
 */
const RUN_EVENT = `
with previous as (
  select status from kernel.run
  where kind = $4 and subject_id = $5 and run_id <> $6 and status in ('succeeded', 'failed')
  order by ended_at desc, run_id desc limit 1),
event as (
  select case
    when $4 = any ($8::text[]) and exists (select from kernel.run where parent_run_id = $6) then null
    when exists (select from kernel.run whole join kernel.run part on part.parent_run_id = whole.run_id
      where part.run_id = $6 and whole.kind <> all ($8::text[])) then null
    when $7 = 'failed' and (select status from previous) = 'failed' then 'run.failed_again'
    when $7 = 'failed' then 'run.failed'
    when (select status from previous) = 'failed' then 'run.recovered' end as name)
${INTO} select w.tenant_id, w.webhook_id, event.name, $2, $3::jsonb, ${VALUES} ${ACTIVE}`;

const TABLE_CHANGED: WebhookEvent = 'table.changed';
const TABLE_BLOCKED: WebhookEvent = 'table.blocked';
const eventSql = (event: WebhookEvent) => `
with event as (select '${event}'::text as name)
${INTO} select w.tenant_id, w.webhook_id, event.name, $2, $3::jsonb, ${VALUES} ${ACTIVE}`;

/** Writes events for the webhooks that want them, in the transactions in which they happen. `speakByParts`: kinds of run that leave it to their parts; `silent`: kinds that emit nothing. */
export function webhookOutbox(
  wake: Wake,
  { speakByParts, silent }: { speakByParts(): readonly string[]; silent(): readonly string[] },
) {
  const write = async (tx: EventTransaction, text: string, values: unknown[]): Promise<void> => {
    const { rows } = await tx.sql(text, [uuidv7(), ...values]);
    if (rows.length > 0)
      tx.afterCommit(() =>
        wake(
          tx.tenant,
          rows.map(({ webhook_id }) => String(webhook_id)),
        ),
      );
  };
  return {
    async runChanged(
      tx: EventTransaction,
      run: { run_id: string; kind: string; subject_id: string; status: RunStatus },
    ): Promise<void> {
      const { run_id, kind, subject_id, status } = run;
      if ((status !== 'failed' && status !== 'succeeded') || silent().includes(kind)) return;
      const subject = `run:${kind}:${subject_id}`;
      await write(tx, RUN_EVENT, [
        ...[subject, JSON.stringify({ run_id }), kind, subject_id, run_id, status],
        speakByParts(),
      ]);
    },

    /** Drops the events of deleted runs. A change of a table keeps its event, without the id of the run. */
    async runsDropped(tx: Pick<EventTransaction, 'sql'>, runIds: readonly string[]): Promise<void> {
      await tx.sql(`delete from webhooks.delivery where event <> $2 and facts ->> 'run_id' = any ($1::text[])`, [
        runIds,
        TABLE_CHANGED,
      ]);
      await tx.sql(
        `update webhooks.delivery set facts = facts || '{"run_id": null}'
         where event = $2 and facts ->> 'run_id' = any ($1::text[])`,
        [runIds, TABLE_CHANGED],
      );
    },

    /** A rewrite of files changes no row. */
    tableCommitted: (async (tx, table) => {
      if (table.operation === 'replace') return;
      const facts = {
        ...{ dataset_id: table.datasetId, operation: table.operation, schema_id: table.schemaId },
        ...{ snapshot_id: table.snapshotId, parent_snapshot_id: table.parentSnapshotId },
        ...{ run_id: table.runId, added_records: table.addedRecords },
      };
      await write(tx, eventSql(TABLE_CHANGED), [`table:${table.datasetId}`, JSON.stringify(facts)]);
    }) satisfies TableCommitted,

    tableBlocked: (async (tx, { datasetId, why, detail, runId }) => {
      const facts = { dataset_id: datasetId, why, detail, run_id: runId };
      await write(tx, eventSql(TABLE_BLOCKED), [`table:${datasetId}`, JSON.stringify(facts)]);
    }) satisfies TableBlocked,

    /** Writes a test event for one webhook; answers its id. */
    async test(tx: EventTransaction, webhookId: string): Promise<string> {
      const eventId = uuidv7();
      const event: WebhookEvent = TEST_EVENT;
      await tx.sql(
        `${INTO} select tenant_id, webhook_id, $2, $2, '{}', ${VALUES} from webhooks.webhook where webhook_id = $3`,
        [...[eventId, event, webhookId]],
      );
      tx.afterCommit(() => wake(tx.tenant, [webhookId]));
      return eventId;
    },
  };
}

export type WebhookOutbox = ReturnType<typeof webhookOutbox>;
