import { setTimeout as delay } from 'node:timers/promises';
import type { CommitEffect, CommitEvent, FoundTable } from '@weir/engine';
import type { Tenant, TenantTransaction } from '@weir/kernel';
import { kernelProblems } from '@weir/kernel/contract';
import {
  currentSchema,
  draftTable,
  FILE_COLUMN,
  outdatedMetadata,
  type PartitionBy,
  prepareAppend,
  type RemoteCatalog,
  stringifyMetadata,
  type TableChange,
  type TableIdent,
  type TableSchema,
} from '@weir/lakehouse';
import { type DeferredWrites, deferWrites } from '../commit/deferred-writes.ts';
import { asLostRace, LostRace, outcomeOf } from '../commit/outcome.ts';
import { removeListed } from '../commit/outdated-metadata.ts';
import { tellCommitted } from '../commit/tell-committed.ts';
import { datasetProblems, type PrepareOptions, type TableRef } from '../contract.ts';
import { type CurrentTable, identOf, loadTables, newTableLocation, type TableDeps } from '../store/table-store.ts';
import { fittingColumns, type WantedColumns } from './wanted-columns.ts';
import { isEnough, type SchemaOptions, wantedSchema } from './wanted-schema.ts';

/** A table as it is to be: its name, its columns, and what may be done to bring it there. */
export interface WantedTable extends SchemaOptions, Pick<PrepareOptions, 'partitionBy'> {
  ref: TableRef;
  wanted: WantedColumns;
}

interface SchemaDraft {
  from: CurrentTable | undefined;
  to: CurrentTable;
  /** What a catalog that keeps the metadata itself is told; undefined for a new table. */
  change: TableChange | undefined;
  writes: DeferredWrites;
}

/**
 * Performs a commit that brings no rows but a schema: it makes the table, or evolves it. It stands when the table's
 * schema holds every wanted column, whoever saw to that. It belongs to no run, so the ledger is not told of the one small
 * file that it writes.
 */
export function schemaEffects(deps: TableDeps, tenant: Tenant, wanted: WantedTable) {
  const { kernel, catalog, io, remote } = deps;
  let current: CurrentTable | undefined;
  let draft: SchemaDraft | undefined;

  const report = (tx: TenantTransaction, { metadata, metadataLocation }: CurrentTable) =>
    tellCommitted(deps, tx, { ref: wanted.ref, metadata, metadataLocation, by: 'schema' });
  const move = async (asked: SchemaDraft): Promise<void> => {
    const { from, to } = asked;
    const ident = identOf(wanted.ref);
    if (remote !== undefined) {
      await moveRemote(remote, ident, asked);
      const [moved] = await loadTables(deps, tenant, [wanted.ref]);
      current = moved;
      if (moved !== undefined) await kernel.db(tenant).transaction((tx) => report(tx, moved));
      return;
    }
    await kernel.db(tenant).transaction(async (tx) => {
      const { sql } = tx;
      if (from === undefined) {
        await catalog.ensureNamespace(sql, wanted.ref.namespace);
        await catalog.insertTable(sql, ident, to.metadataLocation).catch(asLostRace);
      } else if (!(await catalog.swapPointer(sql, ident, from.metadataLocation, to.metadataLocation))) {
        throw new LostRace();
      }
      await report(tx, to);
    });
    if (from !== undefined) await removeListed(deps, tenant, outdatedMetadata(from, to));
    current = to;
  };
  const made = (): SchemaDraft => {
    if (draft === undefined) throw kernelProblems.internal();
    return draft;
  };

  const perform = async (effect: CommitEffect): Promise<CommitEvent> => {
    switch (effect.type) {
      case 'load': {
        [current] = await loadTables(deps, tenant, [wanted.ref]);
        return { type: 'loaded', tables: [foundTable(current, wanted)] };
      }
      case 'prepare': {
        draft = await draftSchema(deps, wanted, current);
        return { type: 'prepared', drafts: [{ table: 0, snapshotId: null, files: draft.writes.locations() }] };
      }
      case 'intend':
        return { type: 'intended' };
      case 'write':
        await made().writes.flush();
        return { type: 'written' };
      case 'move':
        await move(made());
        return { type: 'moved' };
      case 'promote':
        return { type: 'promoted' };
      case 'remove': {
        const removed = await Promise.allSettled(
          effect.drafts.flatMap(({ files }) => files).map((file) => io.remove(file)),
        );
        const failed = removed.find(({ status }) => status === 'rejected');
        if (failed !== undefined) kernel.log.warn({ err: failed }, 'metadata of a lost schema change was not removed');
        return { type: 'removed' };
      }
      case 'wait':
        await delay(effect.ms);
        return { type: 'waited' };
    }
  };
  return {
    perform: (effect: CommitEffect): Promise<CommitEvent> => perform(effect).catch(outcomeOf),
    /** The table, once the commit stands. */
    table(): CurrentTable {
      if (current === undefined) throw kernelProblems.internal();
      return current;
    },
  };
}

/** What is found of the table. That its schema suffices settles it, whichever snapshot it has. */
function foundTable(table: CurrentTable | undefined, wanted: WantedTable): FoundTable {
  const suffices = table !== undefined && isEnough(wantedSchema(table, wanted));
  return {
    snapshotId: table?.metadata['current-snapshot-id']?.toString() ?? null,
    settled: suffices ? { snapshotId: String(currentSchema(table.metadata)['schema-id']), sameFiles: true } : undefined,
    newest: null,
  };
}

/** A table that is not there yet, in a place of its own; nothing is written. */
export function draftNew(warehouse: string, wanted: WantedTable): CurrentTable {
  const location = newTableLocation(warehouse, wanted.ref);
  const { columns } = fittingColumns(wanted.wanted, wanted);
  const { partitionBy } = wanted;
  return draftTable({ location, columns, ...(partitionBy && { partitionBy: partitionBy as PartitionBy }) });
}

async function draftSchema(
  { io, warehouse, remote }: TableDeps,
  wanted: WantedTable,
  from: CurrentTable | undefined,
): Promise<SchemaDraft> {
  const { policy } = wanted;
  const writes = deferWrites(io);
  if (from === undefined) {
    const to = draftNew(warehouse, wanted);
    await writes.io.write(to.metadataLocation, stringifyMetadata(to.metadata));
    return { from, to, change: undefined, writes: remote === undefined ? writes : deferWrites(io) };
  }
  const { metadata, metadataLocation } = from;
  const { schema } = wantedSchema(from, wanted);
  if (policy === 'freeze') assertFrozen(currentSchema(metadata), schema);
  const input = { io: writes.io, metadata, metadataLocation, files: [], schema };
  const next = await prepareAppend({ ...input, writeMetadata: remote === undefined });
  const to = { metadata: next.metadata, metadataLocation: next.newMetadataLocation };
  return { from, to, change: next, writes };
}

/** Has the catalog that keeps the metadata make the table, or change its schema. */
async function moveRemote(remote: RemoteCatalog, ident: TableIdent, { to, change }: SchemaDraft): Promise<void> {
  if (change === undefined) {
    const { metadata } = to;
    await remote.ensureNamespace(ident.namespace);
    const partitionSpec = metadata['partition-specs'][0] ?? { 'spec-id': 0, fields: [] };
    const table = { location: metadata.location, schema: currentSchema(metadata), partitionSpec };
    await remote.createTable(ident, table).catch(asLostRace);
    return;
  }
  const outcome = await remote.commitTable(ident, change);
  if (outcome === 'conflict') throw new LostRace();
  if (outcome === 'unknown') throw kernelProblems.dependencyUnavailable();
}

/** Refuses a change of a schema that may not change, by its fields. The column of files is none of the source's. */
export function assertFrozen(has: TableSchema, wants: TableSchema): void {
  const known = new Map(has.fields.map((field) => [field.id, field]));
  const columns = wants.fields.filter((field) => known.get(field.id) !== field).map((field) => field.name);
  const [only] = columns;
  if (columns.length === 1 && only === FILE_COLUMN.name) return;
  throw datasetProblems.schemaFrozen({ values: { count: columns.length }, members: { columns } });
}
