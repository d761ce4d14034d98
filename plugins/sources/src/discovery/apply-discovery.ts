import type { TenantTransaction } from '@weir/kernel';
import type { ProducersService, TablesService } from '@weir/plugin-datasets/contract';
import { v7 as uuidv7 } from 'uuid';
import type { SourceRow } from '../source/entity.ts';
import { StreamEntity } from '../stream/entity.ts';
import { planRefresh } from '../stream/refresh-streams.ts';
import type { KeptStream } from './entity.ts';

/** The services of datasets that the streams of a source need. */
export interface DestinationServices {
  producers: ProducersService;
  tables: TablesService;
}

const MAX_NAME_ROUNDS = 10;

/**
 * Brings the streams of a source in line with a discovery, in the caller's transaction: new streams are made disabled,
 * `full_refresh`, `overwrite`, each with its bronze table registered; known ones get their schema and modes refreshed.
 */
export async function applyDiscovery(
  tx: TenantTransaction,
  source: SourceRow,
  discovered: readonly KeptStream[],
  services: DestinationServices,
): Promise<void> {
  const known = await tx.find(StreamEntity, { sourceId: source.sourceId });
  const { create, refresh } = planRefresh(source.name, known, discovered, await takenTables(tx));
  const now = new Date();
  for (const { streamId, stream } of refresh) {
    const row = known.find((candidate) => candidate.streamId === streamId);
    if (row !== undefined) await tx.update(row, { ...factsOf(stream), version: row.version + 1, updatedAt: now });
  }
  for (const { stream, table } of create) {
    const destination = await registerTable(tx, source, table, services);
    await tx.insert(StreamEntity, {
      streamId: uuidv7(),
      sourceId: source.sourceId,
      name: stream.name,
      namespace: stream.namespace,
      ...factsOf(stream),
      enabled: false,
      syncMode: 'full_refresh',
      writeMode: 'overwrite',
      cursorField: null,
      primaryKey: null,
      destinationTable: destination,
      generation: 1,
      version: 1,
      createdAt: now,
      updatedAt: now,
    });
  }
}

function factsOf(stream: KeptStream) {
  return {
    jsonSchema: stream.schema,
    supportedSyncModes: stream.supported_sync_modes,
    sourceDefinedCursor: stream.source_defined_cursor,
    defaultCursorField: stream.default_cursor_field,
    sourceDefinedPrimaryKey: stream.source_defined_primary_key,
    discovered: stream.discovered,
  };
}

async function takenTables(tx: TenantTransaction): Promise<Set<string>> {
  const { rows } = await tx.sql('select destination_table from sources.stream', []);
  return new Set(rows.map((row) => String(row.destination_table)));
}

/** Registers the planned table; when a producer outside of sources has it, the next free name with a number. */
async function registerTable(
  tx: TenantTransaction,
  source: SourceRow,
  planned: string,
  { producers, tables }: DestinationServices,
): Promise<string> {
  for (let round = 1; round <= MAX_NAME_ROUNDS; round += 1) {
    const table = round === 1 ? planned : `${planned}_${round}`;
    const entry = { ref: tables.bronze(tx.tenant, table), kind: 'source', producerId: source.sourceId } as const;
    if (await producers.register(tx, entry)) return table;
  }
  throw new Error('no free destination table was found');
}
