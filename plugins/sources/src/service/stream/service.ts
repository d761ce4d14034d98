import { type Kernel, type PageOrders, requireMatch, type Tenant, type TenantTransaction } from '@weir/kernel';
import { type Input, kernelProblems } from '@weir/kernel/contract';
import {
  type createStream,
  type listStreams,
  type StreamView,
  sourceProblems,
  type updateStream,
} from '../../contract.ts';
import type { SourceRow } from '../../model/source/entity.ts';
import { destinationTable } from '../../model/stream/destination-name.ts';
import { StreamEntity, type StreamFields, type StreamRow } from '../../model/stream/entity.ts';
import { keptStream, newStream } from '../../model/stream/new-stream.ts';
import { changesOf, givenNamespace, namedIn, settingsOf, withAttention } from '../../model/stream/settings.ts';
import { faultsOf, newFaults, refuseFaults, schemaFaults } from '../../model/stream/stream-rules.ts';
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
import { refuseStandingTable } from './standing-tables.ts';
import { insertStreams, removeStreams, updateStreams } from './write-streams.ts';

const ORDERS: PageOrders = { orders: { name: 'name', created_at: 'createdAt' }, first: 'name', id: 'streamId' };

/** The ids in the path of a route of one stream. */
export interface StreamIds {
  source_id: string;
  stream_id: string;
}

/** What can be done with single streams of a source. Every change holds the lock of the source's row. */
export function streamService(kernel: Kernel, services: DestinationServices) {
  return {
    /** The streams of a source by keyset page. */
    async list(tenant: Tenant, sourceId: string, query: Input<typeof listStreams>['query']) {
      return kernel.db(tenant).transaction(async (tx) => {
        await liveSource(tx, sourceId);
        const { enabled, needs_attention, sync_mode, write_mode, name, namespace, ...request } = query;
        const filter = {
          enabled,
          name,
          namespace,
          needsAttention: needs_attention,
          syncMode: sync_mode,
          writeMode: write_mode,
        };
        const given = Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
        const { items, next_page_token } = await tx.page(StreamEntity, { sourceId, ...given }, request, ORDERS);
        return { items: items.map((row) => streamView(tenant, row)), next_page_token, total: null };
      });
    },

    get: (tenant: Tenant, ids: StreamIds): Promise<StreamView> =>
      kernel.db(tenant).transaction(async (tx) => streamView(tenant, (await liveStream(tx, ids)).row)),

    /** Adds a stream as it is described; the source is ready from then on. */
    async create(tenant: Tenant, sourceId: string, body: Input<typeof createStream>['body']): Promise<StreamView> {
      await refuseStandingTable(kernel, services, tenant, { sourceId, asked: body });
      return kernel.db(tenant).transaction(async (tx) => {
        const source = await liveSource(tx, sourceId, { lock: true });
        const row = await describedStream(tx, source, body, services);
        await insertStreams(tx, [row]);
        await knowStreams(tx, source);
        return streamView(tenant, row);
      });
    },

    /** Changes how a stream is synced; the rules are checked on what the patch makes of it. */
    async update(
      tenant: Tenant,
      ids: StreamIds,
      patch: Input<typeof updateStream>['body'],
      ifMatch: string | undefined,
    ): Promise<StreamView> {
      const asked = { ...patch, stream_id: ids.stream_id };
      await refuseStandingTable(kernel, services, tenant, { sourceId: ids.source_id, asked });
      return kernel.db(tenant).transaction(async (tx) => {
        const { row } = await liveStream(tx, ids, { lock: true });
        requireMatch(ifMatch, String(row.version));
        const after = withAttention<StreamFields>({ ...row, ...changesOf(patch) });
        const change = { before: faultsOf(settingsOf(row)), named: namedIn(patch) };
        refuseFaults(newFaults(settingsOf(after), change));
        const table = patch.destination?.table ?? row.destinationTable;
        const routed = table !== row.destinationTable;
        if (routed) {
          const taken = await takenTables(tx);
          const free = await takeChosenTable(tx, { sourceId: row.sourceId, table, taken }, services);
          if (!free) throw sourceProblems.destinationTaken();
        }
        if (namedIn(changesOf(patch)).length === 0 && !routed) return streamView(tenant, row);
        const moved = routed ? await arrivedAt(tx, { ...after, destinationTable: table }, 'chosen') : after;
        await updateStreams(tx, [moved], new Date());
        return streamView(tenant, (await liveStream(tx, ids)).row);
      });
    },

    /** Removes a stream; its table stays. Throws `run_already_active` while a run of the source is open. */
    remove: (tenant: Tenant, ids: StreamIds, ifMatch: string | undefined): Promise<undefined> =>
      kernel.db(tenant).transaction(async (tx) => {
        const { row } = await liveStream(tx, ids, { lock: true });
        requireMatch(ifMatch, String(row.version));
        await refuseWhileRunning(kernel, tx, ids.source_id);
        await removeStreams(tx, [row.streamId]);
        return undefined;
      }),
  };
}

/** A stream of a live source, with the lock of the source when it is to be changed. Throws `not_found`. */
export async function liveStream(
  tx: TenantTransaction,
  { source_id: sourceId, stream_id: streamId }: StreamIds,
  options: { lock?: boolean } = {},
): Promise<{ source: SourceRow; row: StreamRow }> {
  const source = await liveSource(tx, sourceId, options);
  const row = await tx.findOne(StreamEntity, { streamId, sourceId });
  if (row === undefined) throw kernelProblems.notFound();
  return { source, row };
}

/** A stream as a body describes it, with its table taken, ready to be inserted. */
async function describedStream(
  tx: TenantTransaction,
  { sourceId, name: sourceName }: SourceRow,
  body: Input<typeof createStream>['body'],
  services: DestinationServices,
): Promise<StreamFields> {
  const namespace = givenNamespace(body, await knownNamespaces(tx, sourceId));
  const errors = schemaFaults(body.schema);
  if (errors.length > 0) throw sourceProblems.streamSchemaInvalid({ errors });
  const known = await tx.findOne(StreamEntity, { sourceId, name: body.name });
  if (known !== undefined) throw sourceProblems.streamNameTaken({ members: { stream_id: known.streamId } });
  const taken = await takenTables(tx);
  const place = { sourceName, namespace: namespace ?? undefined, stream: body.name };
  const stream = newStream(keptStream(body, namespace), { sourceId, table: '' }, new Date());
  const row = withAttention<StreamFields>({ ...stream, ...changesOf(body) });
  refuseFaults(row.attention);
  const table = body.destination?.table;
  if (table === undefined) {
    const planned = destinationTable(place, (name) => taken.has(name));
    const own = await takePlannedTable(tx, { sourceId, planned }, services);
    return arrivedAt(tx, { ...row, destinationTable: own }, 'planned');
  }
  if (!(await takeChosenTable(tx, { sourceId, table, taken }, services))) throw sourceProblems.destinationTaken();
  return arrivedAt(tx, { ...row, destinationTable: table }, 'chosen');
}

async function arrivedAt(tx: TenantTransaction, row: StreamFields, table: 'planned' | 'chosen'): Promise<StreamFields> {
  const [marked = row] = await markLeftRows(tx, [row], table);
  return marked;
}
