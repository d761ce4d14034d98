import { type ConnectorLimits, stateFile, streamKey } from '@weir/connector-runtime';
import type { ConfiguredStream } from '@weir/connector-sdk';
import type { Kernel, RunFailureRecord, Tenant } from '@weir/kernel';
import type { Checkpoint, TableRef, TablesService } from '@weir/plugin-datasets/contract';
import type { PatternFile } from '../pattern/pattern-file.ts';
import type { SourceRow } from '../source/entity.ts';
import { SourceEntity } from '../source/entity.ts';
import { StreamEntity, type StreamRow } from '../stream/entity.ts';
import { checkpointKey } from './checkpoint-key.ts';
import { failureOf, RunFailed, sourceFailure } from './failure.ts';
import type { ChildStream } from './messages.ts';

/** How one stream is carried out by this attempt, and what earlier attempts of the run have done for it. */
export interface PlannedStream {
  row: StreamRow;
  ref: TableRef;
  checkpointKey: string;
  /** Its commit replaces the table's rows; it is read at once and committed at its end. */
  replaces: boolean;
  /** The last checkpoint, of this run or an earlier one. */
  checkpoint: Checkpoint | undefined;
  /** This run has committed it whole before; nothing is left to do. */
  complete: boolean;
  child: ChildStream;
}

/** A stream whose table cannot be made as the stream wants it; the others are synced all the same. */
export interface RefusedStream {
  row: StreamRow;
  failure: RunFailureRecord;
}

export interface SyncPlan {
  source: SourceRow;
  streams: PlannedStream[];
  refused: RefusedStream[];
  /** JSON texts of the protocol's inputs for the streams that are not complete. */
  catalog: string;
  state: string;
}

interface PlanDeps {
  kernel: Kernel;
  tables: TablesService;
}

/**
 * Plans an attempt: the enabled streams, their tables made or evolved, and the state from which each is read.
 */
export async function planSync(
  deps: PlanDeps,
  tenant: Tenant,
  run: { runId: string; sourceId: string },
): Promise<SyncPlan> {
  const { source, rows } = await deps.kernel.db(tenant).transaction(async (tx) => ({
    source: await tx.findOne(SourceEntity, { sourceId: run.sourceId }),
    rows: await tx.find(StreamEntity, { sourceId: run.sourceId, enabled: true }, { orderBy: { name: 'asc' } }),
  }));
  if (source === undefined) throw new RunFailed(sourceFailure('run_failed'));
  const streams: PlannedStream[] = [];
  const refused: RefusedStream[] = [];
  for (const row of rows) {
    try {
      streams.push(await planStream(deps.tables, tenant, row, run.runId));
    } catch (error) {
      const failure = failureOf(error);
      if (failure.retryable) throw error;
      refused.push({ row, failure });
    }
  }
  const open = streams.filter((stream) => !stream.complete);
  const states = open.flatMap(({ row, checkpoint }) =>
    row.syncMode === 'incremental' && typeof checkpoint?.state === 'string' ? [checkpoint.state] : [],
  );
  const catalog = JSON.stringify({ streams: open.map(({ row }) => configured(row)) });
  return { source, streams, refused, catalog, state: stateFile(states) };
}

async function planStream(
  tables: TablesService,
  tenant: Tenant,
  row: StreamRow,
  runId: string,
): Promise<PlannedStream> {
  const ref = tables.bronze(tenant, row.destinationTable);
  const prepared = await tables.prepare(tenant, ref, row.jsonSchema);
  const key = checkpointKey(row);
  const checkpoint = await tables.checkpoint(tenant, key);
  const full = row.syncMode === 'full_refresh';
  // What a full refresh has put there is read again by the first incremental sync, so that sync takes its place.
  const afterOverwrite = !full && checkpoint?.state == null && checkpoint?.counters.overwrote === 1;
  const afterReset = checkpoint === undefined && row.resetTable === row.destinationTable;
  const replaces = (full && row.writeMode === 'overwrite') || afterOverwrite || afterReset;
  const atEnd = full || afterOverwrite || afterReset;
  const { name } = row;
  return {
    row,
    ref,
    checkpointKey: key,
    replaces,
    checkpoint,
    complete: checkpoint?.runId === runId && checkpoint.counters.whole === 1,
    child: {
      key: streamKey(row.namespace ? { name, namespace: row.namespace } : { name }),
      streamId: row.streamId,
      atEnd,
      schema: prepared.schema,
      dataLocation: prepared.dataLocation,
    },
  };
}

/** A stream as the connector is asked for it: its own description word for word, and how to read it. */
function configured(row: StreamRow): ConfiguredStream {
  const cursor = row.cursorField ?? row.defaultCursorField;
  const key = row.primaryKey ?? row.sourceDefinedPrimaryKey;
  return {
    stream: row.discovered as unknown as ConfiguredStream['stream'],
    sync_mode: row.syncMode,
    destination_sync_mode: row.writeMode === 'overwrite' ? 'overwrite' : 'append',
    ...(cursor ? { cursor_field: cursor } : {}),
    ...(key ? { primary_key: key } : {}),
    generation_id: row.generation,
    minimum_generation_id: 0,
    sync_id: 0,
  };
}

/** The bounds that a pattern asks for. */
export function limitsOf({ resources = {} }: Pick<PatternFile, 'resources'>): ConnectorLimits {
  const { memory_mib: memoryMiB, cpus, pids, tmp_mib: tmpMiB } = resources;
  return {
    ...(memoryMiB === undefined ? {} : { memoryMiB }),
    ...(cpus === undefined ? {} : { cpus }),
    ...(pids === undefined ? {} : { pids }),
    ...(tmpMiB === undefined ? {} : { tmpMiB }),
  };
}
