import type { Kernel, Tenant, TenantTransaction } from '@weir/kernel';
import { type FieldFault, kernelProblems } from '@weir/kernel/contract';
import { type BulkResultView, type BulkStreamBody, sourceProblems } from '../../contract.ts';
import type { SourceRow } from '../../model/source/entity.ts';
import { type BulkPlan, type BulkStep, planBulk } from '../../model/stream/bulk-plan.ts';
import { destinationTable } from '../../model/stream/destination-name.ts';
import { StreamEntity, type StreamFields, type StreamRow } from '../../model/stream/entity.ts';
import { streamView } from '../../model/stream/view.ts';
import { knownNamespaces } from '../row/last-seen.ts';
import { liveSource } from '../row/live-source.ts';
import { refuseWhileRunning } from '../row/refuse-while-running.ts';
import { knowStreams } from './apply-refresh.ts';
import {
  type DestinationServices,
  markLeftRows,
  takeChosenTable,
  takenTables,
  takePlannedTable,
} from './destinations.ts';
import { standingTables } from './standing-tables.ts';
import { insertStreams, removeStreams, updateStreams } from './write-streams.ts';

/** Changing many streams of a source in one transaction. */
export function bulkService(kernel: Kernel, services: DestinationServices) {
  return {
    /** Does all of it or, when anything is refused, nothing; every fault is told with its pointer. */
    async apply(tenant: Tenant, sourceId: string, items: readonly BulkStreamBody[]): Promise<BulkResultView> {
      const fixed = await standingTables(kernel, services, tenant, { sourceId, asked: items });
      return kernel.db(tenant).transaction(async (tx) => {
        const source = await liveSource(tx, sourceId, { lock: true });
        const namespaces = await knownNamespaces(tx, sourceId);
        const plan = planBulk(sourceId, await tx.find(StreamEntity, { sourceId }), items, namespaces);
        if (plan.stale.length > 0) throw kernelProblems.preconditionFailed({ errors: plan.stale });
        const faults = [...plan.faults, ...fixed];
        if (faults.length > 0) throw sourceProblems.streamsRefused({ errors: faults });
        if (plan.steps.some(({ action }) => action === 'deleted')) await refuseWhileRunning(kernel, tx, sourceId);
        const rows = await takeTables(tx, { source, plan }, services);
        await write(tx, plan, rows);
        if (plan.steps.some(({ action }) => action === 'created')) await knowStreams(tx, source);
        return resultOf(tx, plan, rows);
      });
    },
  };
}

/** The row that each step leaves, with the table that it asks for; undefined for a removed one. */
async function takeTables(
  tx: TenantTransaction,
  { source, plan }: { source: SourceRow; plan: BulkPlan<StreamRow> },
  services: DestinationServices,
): Promise<(StreamFields | undefined)[]> {
  const { sourceId, name: sourceName } = source;
  const taken = await takenTables(tx);
  for (const step of plan.steps)
    if (step.action === 'deleted') taken.delete(step.before.destinationTable.toLowerCase());
  const faults: FieldFault[] = [];
  const rows: (StreamFields | undefined)[] = [];
  for (const [index, step] of plan.steps.entries()) {
    if (step.action === 'deleted') {
      rows.push(undefined);
      continue;
    }
    const { table } = step;
    let row: StreamFields = step.after;
    if (table !== undefined) {
      const free = await takeChosenTable(tx, { sourceId, table, taken }, services);
      if (!free) faults.push({ pointer: `/streams/${index}/destination/table`, code: 'destination_taken' });
      row = { ...row, destinationTable: table };
    } else if (step.action === 'created') {
      const place = { sourceName, namespace: row.namespace ?? undefined, stream: row.name };
      const planned = destinationTable(place, (name) => taken.has(name));
      row = { ...row, destinationTable: await takePlannedTable(tx, { sourceId, planned }, services) };
    }
    taken.add(row.destinationTable.toLowerCase());
    rows.push(row);
  }
  if (faults.length > 0) throw sourceProblems.streamsRefused({ errors: faults });
  const coming = (table: 'planned' | 'chosen') =>
    rows.filter((row, at) => row && comesTo(plan.steps[at]) === table) as StreamFields[];
  const planned = await markLeftRows(tx, coming('planned'), 'planned');
  const chosen = await markLeftRows(tx, coming('chosen'), 'chosen');
  const marked = new Map([...planned, ...chosen].map((row) => [row.streamId, row]));
  return rows.map((row) => row && (marked.get(row.streamId) ?? row));
}

/** What table a step brings its stream to, if any. */
function comesTo(step: BulkStep | undefined): 'planned' | 'chosen' | undefined {
  if (step === undefined || step.action === 'deleted') return undefined;
  if (step.table !== undefined) return 'chosen';
  return step.action === 'created' ? 'planned' : undefined;
}

/** Removed ones first, so that what they leave is free for the others. */
async function write(
  tx: TenantTransaction,
  { steps }: BulkPlan<StreamRow>,
  rows: readonly (StreamFields | undefined)[],
): Promise<void> {
  const of = (action: BulkStep['action']) => rows.filter((row, at) => row && steps[at]?.action === action);
  const removed = steps.flatMap((step) => (step.action === 'deleted' ? step.before.streamId : []));
  await removeStreams(tx, removed);
  await updateStreams(tx, of('updated') as StreamFields[], new Date());
  await insertStreams(tx, of('created') as StreamFields[]);
}

async function resultOf(
  tx: TenantTransaction,
  { steps }: BulkPlan<StreamRow>,
  rows: readonly (StreamFields | undefined)[],
): Promise<BulkResultView> {
  const ids = rows.flatMap((row) => row?.streamId ?? []);
  const found = await tx.find(StreamEntity, { streamId: { $in: ids } });
  const now = new Map(found.map((row) => [row.streamId, row]));
  const results = steps.map((step, at) => {
    const { streamId, name } = (rows[at] ?? (step as { before: StreamFields }).before) as StreamFields;
    const row = now.get(streamId);
    return { action: step.action, stream_id: streamId, name, stream: row ? streamView(tx.tenant, row) : null };
  });
  return { results };
}
