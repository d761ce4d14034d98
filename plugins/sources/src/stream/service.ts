import { type Kernel, type PageOrders, requireMatch, type Tenant, type TenantTransaction } from '@weir/kernel';
import { type Input, kernelProblems } from '@weir/kernel/contract';
import { Producers, type ProducersService, Tables, type TablesService } from '@weir/plugin-datasets/contract';
import { type listStreams, type StreamView, sourceProblems, type updateStream } from '../contract.ts';
import { liveSource } from '../source/live-source.ts';
import { uniqueConstraint } from '../unique-constraint.ts';
import { StreamEntity, type StreamRow } from './entity.ts';
import { checkStream, type StreamSettings } from './stream-rules.ts';
import { streamView } from './view.ts';

const ORDERS: PageOrders = { orders: { name: 'name', created_at: 'createdAt' }, first: 'name', id: 'streamId' };

type StreamPatch = Input<typeof updateStream>['body'];

/** What can be done with the streams of a source. */
export function streamService(kernel: Kernel) {
  const producers = kernel.use(Producers);
  const tables = kernel.use(Tables);
  return {
    /** The streams of a source by keyset page. */
    async list(tenant: Tenant, sourceId: string, query: Input<typeof listStreams>['query']) {
      return kernel.db(tenant).transaction(async (tx) => {
        await liveSource(tx, sourceId);
        const { enabled, ...request } = query;
        const where = { sourceId, ...(enabled === undefined ? {} : { enabled }) };
        const { items, next_page_token } = await tx.page(StreamEntity, where, request, ORDERS);
        return { items: items.map((row) => streamView(tenant, row)), next_page_token, total: null };
      });
    },

    /** Changes how a stream is synced; the rules are checked on what the patch makes of it. */
    async update(
      tenant: Tenant,
      ids: { source_id: string; stream_id: string },
      patch: StreamPatch,
      ifMatch: string | undefined,
    ): Promise<StreamView> {
      return kernel.db(tenant).transaction(async (tx) => {
        await liveSource(tx, ids.source_id);
        const row = await tx.findOne(
          StreamEntity,
          { streamId: ids.stream_id, sourceId: ids.source_id },
          { lock: true },
        );
        if (row === undefined) throw kernelProblems.notFound();
        requireMatch(ifMatch, String(row.version));
        const changes = changesOf(patch);
        checkStream(settingsOf({ ...row, ...changes }));
        const table = patch.destination?.table;
        if (table !== undefined && table !== row.destinationTable) {
          await takeDestination(tx, { producers, tables, table, sourceId: row.sourceId });
          Object.assign(changes, { destinationTable: table });
        }
        if (Object.keys(changes).length === 0) return streamView(tenant, row);
        const stamped = { ...changes, version: row.version + 1, updatedAt: new Date() };
        try {
          return streamView(tenant, await tx.update(row, stamped));
        } catch (error) {
          if (uniqueConstraint(error) === 'stream_destination') throw sourceProblems.destinationTaken();
          throw error;
        }
      });
    },
  };
}

/** Registers the table for the source in the caller's transaction, or throws `destination_taken`. */
async function takeDestination(
  tx: TenantTransaction,
  {
    producers,
    tables,
    table,
    sourceId,
  }: { producers: ProducersService; tables: TablesService; table: string; sourceId: string },
): Promise<void> {
  const used = await tx.findOne(StreamEntity, { destinationTable: table });
  if (used !== undefined) throw sourceProblems.destinationTaken();
  const ref = tables.bronze(tx.tenant, table);
  const registered = await producers.register(tx, { ref, kind: 'source', producerId: sourceId });
  if (!registered) throw sourceProblems.destinationTaken();
}

function changesOf(patch: StreamPatch): Partial<StreamRow> {
  return {
    ...(patch.enabled === undefined ? {} : { enabled: patch.enabled }),
    ...(patch.sync_mode === undefined ? {} : { syncMode: patch.sync_mode }),
    ...(patch.write_mode === undefined ? {} : { writeMode: patch.write_mode }),
    ...(patch.cursor_field === undefined ? {} : { cursorField: patch.cursor_field }),
    ...(patch.primary_key === undefined ? {} : { primaryKey: patch.primary_key }),
  };
}

/** A stream's row as the rules see it. */
export function settingsOf(row: StreamRow): StreamSettings {
  return {
    enabled: row.enabled,
    syncMode: row.syncMode,
    writeMode: row.writeMode,
    cursorField: row.cursorField ?? undefined,
    primaryKey: row.primaryKey ?? undefined,
    supportedSyncModes: row.supportedSyncModes,
    sourceDefinedCursor: row.sourceDefinedCursor,
    defaultCursorField: row.defaultCursorField ?? undefined,
    jsonSchema: row.jsonSchema,
  };
}
