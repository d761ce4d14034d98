import type { CommitBatch, Place, SyncEffect, SyncEvent } from '@weir/engine';
import type { Kernel, Tenant } from '@weir/kernel';
import { Problem } from '@weir/kernel/contract';
import {
  datasetProblems,
  type PreparedTable,
  type ProducersService,
  quarantineOf,
  type TablesService,
} from '@weir/plugin-datasets/contract';
import type { CopyTokens } from '@weir/work';
import { failureOf } from '../../model/failure/failure-of.ts';
import type { MergeWork, RowShape, Work } from '../../model/process/messages.ts';
import type { Sync } from '../../model/process/sync-types.ts';
import type { AttemptLog } from './ledger/attempt-log.ts';
import type { SyncLedger } from './ledger/sync-ledger.ts';
import { evolveStream } from './plan/evolve-stream.ts';
import type { PlannedStream } from './plan/plan-sync.ts';
import type { SyncChild } from './run-child.ts';

export interface EffectDeps {
  kernel: Kernel;
  tables: TablesService;
  producers: ProducersService;
  tokens: CopyTokens;
  tenant: Tenant;
  runId: string;
  leaseEpoch: number;
  sourceId: string;
  streams: ReadonlyMap<string, PlannedStream>;
  ledger: SyncLedger;
  log: Pick<AttemptLog, 'evolved' | 'committed' | 'stopping'>;
  child: Pick<SyncChild, 'perform' | 'release' | 'stop'>;
}

/**
 * Performs what the machine of an attempt asks for: what needs the database here, the rest by its process. A failure that
 * a repetition cannot mend and that concerns one stream alone is that stream's; any other is the attempt's.
 */
export function attemptEffects(deps: EffectDeps) {
  const { tables, tenant, runId, child, ledger, log } = deps;
  const shapes = new Map([...deps.streams].map(([id, { prepared }]) => [id, prepared]));
  const quarantines = new Map<string, PreparedTable>();

  const planned = (id: string): PlannedStream => required(deps.streams.get(id));
  const placeIn = ({ dataLocation }: PreparedTable, place: Place): string =>
    `${dataLocation}/${runId}-${deps.leaseEpoch}-${place}`;
  const quarantine = async (id: string): Promise<PreparedTable> => {
    const known = quarantines.get(id) ?? (await prepareQuarantine(deps, planned(id)));
    quarantines.set(id, known);
    return known;
  };
  const intend = async ({ stream, of, place }: Extract<Effect, { type: 'intend' }>): Promise<Event> => {
    const table = of === 'rows' ? required(shapes.get(stream)) : await quarantine(stream);
    await tables.recordStaged(tenant, runId, [{ ref: table.ref, location: placeIn(table, place), isFolder: true }]);
    return { type: 'intended' };
  };
  const work = async (asked: Work): Promise<Event> => {
    await deps.tokens.take();
    try {
      return await child.perform(asked);
    } finally {
      deps.tokens.give();
    }
  };
  const merge = async ({ stream, batch, place, replaces }: Extract<Effect, { type: 'merge' }>): Promise<Event> => {
    const known = planned(stream);
    const table = required(shapes.get(stream));
    const head = table.brings.create === undefined ? await tables.head(tenant, table.ref) : NO_TABLE;
    const { key, writeMode, isComplete, deleteMarker } = mergeOf(known, table);
    const asked: MergeWork = {
      kind: 'merge',
      folder: placeIn(table, place),
      shape: { ...rowShape(known, table), key },
      parts: batch.parts,
      replacedFiles: batch.replacedFiles,
      into: replaces ? undefined : head.metadataLocation,
      mode: writeMode,
      isComplete,
      ...(deleteMarker === undefined ? {} : { deleteMarker }),
    };
    const done = await work(asked);
    return done.type === 'merged' ? { ...done, merged: { ...done.merged, base: head.snapshotId } } : done;
  };
  // The table as it is by now: it may have columns of an earlier segment.
  const evolve = ({ stream, columns }: Extract<Effect, { type: 'evolve' }>): Promise<PreparedTable> =>
    evolveStream(deps, { ...planned(stream), prepared: required(shapes.get(stream)) }, columns);

  const commit = async (batches: readonly CommitBatch<Sync>[]): Promise<Event> => {
    const done = await ledger.commit(batches, { rows: (id) => required(shapes.get(id)), quarantine });
    for (const [at, { stream, batch, changesTable }] of batches.entries()) {
      if (changesTable) settle(shapes, stream);
      if (batch.quarantine.length > 0) settle(quarantines, stream);
      log.committed(planned(stream), required(done[at]));
    }
    return { type: 'committed' };
  };

  const perform = async (effect: Effect): Promise<Event | undefined> => {
    switch (effect.type) {
      case 'intend':
        return intend(effect);
      case 'stage': {
        const { segment, place } = effect;
        const table = required(shapes.get(segment.stream));
        const shape = rowShape(planned(segment.stream), table);
        return work({ kind: 'stage', segment: segment.id, folder: placeIn(table, place), shape });
      }
      case 'quarantine': {
        const table = await quarantine(effect.stream);
        const { row } = planned(effect.stream);
        const folder = placeIn(table, effect.place);
        return work({ kind: 'quarantine', stream: row.name, folder, schema: table.schema });
      }
      case 'evolve':
        shapes.set(effect.stream, await evolve(effect));
        ledger.evolved(effect.stream, effect.columns);
        log.evolved(planned(effect.stream), effect.columns);
        return { type: 'evolved' };
      case 'merge':
        return merge(effect);
      case 'commit':
        return commit(effect.batches);
      case 'release':
        child.release(effect.segment);
        return undefined;
      case 'stop':
        log.stopping();
        child.stop();
        return undefined;
    }
  };
  return (effect: Effect): Promise<Event | undefined> => perform(effect).catch((error) => failed(effect, error));
}

/** Where there is nothing to merge into yet. */
const NO_TABLE = { metadataLocation: undefined, snapshotId: null };

/** What a commit has brought to a table, no other one brings. */
function settle(tables: Map<string, PreparedTable>, stream: string): void {
  tables.set(stream, { ...required(tables.get(stream)), brings: {} });
}

type Effect = SyncEffect<Sync>;
type Event = SyncEvent<Sync>;

function failed({ type }: Effect, error: unknown): Event {
  if (error instanceof Problem && error.code === datasetProblems.baseMoved.entry.code) return { type: 'base_moved' };
  const failure = failureOf(error);
  const isOwn = (type === 'evolve' || type === 'intend') && !failure.retryable;
  return { type: isOwn ? 'stream_failed' : 'failed', failure };
}

/** The quarantine table of a stream, which is an output of its source as the stream's own table is. */
async function prepareQuarantine(deps: EffectDeps, { ref }: PlannedStream): Promise<PreparedTable> {
  const { kernel, tables, producers, tenant, sourceId } = deps;
  const own = quarantineOf(ref);
  const entry = { ref: own, kind: 'source' as const, producerId: sourceId };
  const isOurs = await kernel.db(tenant).transaction((tx) => producers.register(tx, entry));
  if (!isOurs) throw datasetProblems.destinationNotAllowed();
  return tables.prepare(tenant, own, {}, { at: 'commit', columns: 'quarantine' });
}

/** How the rows of a stream are typed for its table. */
export function rowShape(
  { key }: Pick<PlannedStream, 'key'>,
  { schema, spec, extraColumns: extra, jsonColumns: json }: PreparedTable,
): RowShape {
  return { schema, spec, extra, json, ...(key === undefined ? {} : { key: fieldIds(schema, key) }) };
}

/** What decides on the merge of a stream: its key, and how a row says that it was deleted. */
export function mergeOf({ row, key = [] }: Pick<PlannedStream, 'row' | 'key'>, { schema }: PreparedTable) {
  const [deleteMarker] = fieldIds(schema, [DELETE_MARKER]);
  return {
    key: fieldIds(schema, key),
    writeMode: row.writeMode === 'soft_delete' ? ('soft_delete' as const) : ('merge' as const),
    isComplete: row.syncMode === 'full_refresh',
    deleteMarker,
  };
}

/** The member by which a change-data connector says that a row was deleted. */
const DELETE_MARKER = '_ab_cdc_deleted_at';

function fieldIds(schema: object, names: readonly string[]): number[] {
  const { fields } = schema as { fields: readonly { id: number; name: string }[] };
  return names.flatMap((name) => fields.find((field) => field.name === name)?.id ?? []);
}

function required<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('the engine names a stream that is not in its plan');
  return value;
}
