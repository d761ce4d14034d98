import type { TenantTransaction } from '@weir/kernel';
import type { StreamDefaultsView } from '../../contract/source/pattern-file.ts';
import type { RefreshDiffView } from '../../contract.ts';
import type { SourceRow } from '../../model/source/entity.ts';
import { sourceAfter } from '../../model/source/transitions.ts';
import { StreamEntity, type StreamFields, type StreamRow } from '../../model/stream/entity.ts';
import { newStream } from '../../model/stream/new-stream.ts';
import {
  planRefresh,
  type RefreshRequest,
  type StreamRefresh,
  sameSchema,
} from '../../model/stream/refresh-streams.ts';
import { diffSchemas } from '../../model/stream/schema-diff.ts';
import { withStreamDefaults } from '../../model/stream/stream-defaults.ts';
import { datasetIdOf } from '../../model/stream/view.ts';
import type { PatternCatalog } from '../pattern/catalog.ts';
import { type DestinationServices, markLeftRows, takenTables, takePlannedTable } from './destinations.ts';
import { insertStreams, removeStreams, updateStreams } from './write-streams.ts';

/** What was found of the streams of a source, and how complete that is. */
export type Found = Pick<RefreshRequest, 'found' | 'from' | 'undescribed'>;

/** What a refresh needs: `beforeRemoval` is asked before any stream goes, and may throw. */
export interface RefreshDeps {
  services: DestinationServices;
  /** Where the source's pattern says what new streams are set to. */
  patterns: Pick<PatternCatalog, 'of'>;
  beforeRemoval(): Promise<void>;
}

/** What a refresh did in its transaction, and the rows whose schema it changed. */
export interface AppliedRefresh {
  diff: Omit<RefreshDiffView, 'table_conflicts' | 'warnings'>;
  changed: readonly StreamRow[];
}

/** Brings the streams of a source in line with what was found, in the caller's transaction, which holds the source's lock. */
export async function applyRefresh(
  tx: TenantTransaction,
  source: SourceRow,
  seen: Found,
  deps: RefreshDeps,
): Promise<AppliedRefresh> {
  const known = await tx.find(StreamEntity, { sourceId: source.sourceId }, { orderBy: { name: 'asc' } });
  const taken = await takenTables(tx);
  const plan = planRefresh<StreamRow>({ ...seen, sourceName: source.name, known, takenTables: taken });
  if (plan.remove.length > 0) await deps.beforeRemoval();
  const now = new Date();
  const pattern = plan.create.length === 0 ? undefined : await deps.patterns.of(source, tx.sql);
  const defaults = pattern?.stream_defaults ?? {};
  const created = await makeStreams(tx, { source, plan, defaults, now }, deps.services);
  await removeStreams(
    tx,
    plan.remove.map(({ streamId }) => streamId),
  );
  await updateStreams(
    tx,
    plan.update.map(({ after }) => after),
    now,
  );
  await insertStreams(tx, created);
  const changed = plan.update.filter(({ before, after }) => !sameSchema(before, after));
  return { diff: diffOf(tx, { plan, changed, created }), changed: changed.map(({ after }) => after) };
}

async function makeStreams(
  tx: TenantTransaction,
  { source, plan, defaults, now }: { source: SourceRow; plan: StreamRefresh; defaults: StreamDefaultsView; now: Date },
  services: DestinationServices,
): Promise<StreamFields[]> {
  const created: StreamFields[] = [];
  for (const { stream, table: planned } of plan.create) {
    const table = await takePlannedTable(tx, { sourceId: source.sourceId, planned }, services);
    created.push(withStreamDefaults(newStream(stream, { sourceId: source.sourceId, table }, now), defaults));
  }
  return markLeftRows(tx, created, 'planned');
}

/** Notes on the source that its streams are known. The caller holds its lock. */
export async function knowStreams(tx: TenantTransaction, source: SourceRow): Promise<void> {
  const status = sourceAfter(source.status, 'streams_given');
  if (status === source.status) return;
  await tx.update<SourceRow>(source, { status, version: source.version + 1, updatedAt: new Date() });
}

/** What a refresh does, as the wire shows it. Ids of new streams are left out: a dry run has none. */
function diffOf(
  tx: TenantTransaction,
  {
    plan,
    changed,
    created,
  }: { plan: StreamRefresh; changed: StreamRefresh['update']; created: readonly StreamFields[] },
): AppliedRefresh['diff'] {
  const rows = [...plan.update.map(({ after }) => after), ...plan.unchanged, ...created];
  return {
    added: created.map((row) => ({
      ...labelOf(row),
      dataset_id: datasetIdOf(tx.tenant, row),
      supported_sync_modes: row.supportedSyncModes,
    })),
    changed: changed.map(({ before, after }) => ({
      stream_id: after.streamId,
      ...labelOf(after),
      fields: diffSchemas(before.jsonSchema, after.jsonSchema),
      supported_sync_modes:
        before.supportedSyncModes.join() === after.supportedSyncModes.join()
          ? null
          : { from: before.supportedSyncModes, to: after.supportedSyncModes },
    })),
    removed: plan.remove.map((row) => ({
      stream_id: row.streamId,
      ...labelOf(row),
      enabled: row.enabled,
      dataset_id: datasetIdOf(tx.tenant, row),
    })),
    needs_attention: rows
      .filter((row) => row.needsAttention && !created.includes(row))
      .map((row) => ({ stream_id: row.streamId, ...labelOf(row), enabled: row.enabled, attention: row.attention }))
      .sort((a, b) => (a.name < b.name ? -1 : 1)),
    unchanged: plan.unchanged.length + plan.update.length - changed.length,
  };
}

function labelOf({ name, namespace }: StreamFields) {
  return { name, namespace: namespace ?? null };
}
