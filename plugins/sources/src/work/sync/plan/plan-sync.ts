import { type ConnectorLimits, lastPosition, stateFile, streamKey, streamOfKey } from '@weir/connector-runtime';
import type { ConfiguredStream } from '@weir/connector-sdk';
import type { PlannedStream as EngineStream } from '@weir/engine';
import type { Kernel, RunFailureRecord, Tenant } from '@weir/kernel';
import type {
  PreparedTable,
  PrepareOptions,
  ResumePoint,
  TableRef,
  TablesService,
} from '@weir/plugin-datasets/contract';
import { RunFailed } from '@weir/work';
import { sourceFailure } from '../../../model/failure/failure.ts';
import { failureOf } from '../../../model/failure/failure-of.ts';
import type { PatternFile } from '../../../model/pattern/pattern-file.ts';
import type { ChildStream } from '../../../model/process/messages.ts';
import type { Sync } from '../../../model/process/sync-types.ts';
import type { SourceRow } from '../../../model/source/entity.ts';
import { SourceEntity } from '../../../model/source/entity.ts';
import { checkpointKey } from '../../../model/stream/checkpoint-key.ts';
import { StreamEntity, type StreamRow } from '../../../model/stream/entity.ts';
import { columnKind, isOfFiles, keyOf, neededColumns } from '../../../model/stream/needed-columns.ts';
import { howToWrite } from '../../../model/sync/how-to-write.ts';
import { leftOut } from '../../../model/sync/left-out.ts';
import { type Figures, figuresOf } from '../../../model/sync/sync-figures.ts';

/** How one stream is carried out by this attempt, and what earlier attempts of the run have done for it. */
export interface PlannedStream {
  row: StreamRow;
  ref: TableRef;
  checkpointKey: string;
  /** The names of the columns that tell rows apart, in a mode that merges them. */
  key: readonly string[] | undefined;
  options: PrepareOptions;
  prepared: PreparedTable;
  /** From where it is read on, by what this run or an earlier one has stored. */
  resume: ResumePoint;
  figures: Figures;
  /** This run has committed it whole before; nothing is left to do. */
  complete: boolean;
  engine: EngineStream<Sync>;
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
  /** The position of the last state for all streams that was stored. */
  lastPosition: number;
}

interface PlanDeps {
  kernel: Kernel;
  tables: TablesService;
  /** Lines of one stream that one run may reject. */
  maxRejected: number;
}

/** The attempt that plans. */
interface PlanningAttempt {
  runId: string;
  leaseEpoch: number;
  sourceId: string;
}

/**
 * Plans an attempt: the enabled streams, how their tables are to be once rows are committed, and the state from which each is
 * read.
 */
export async function planSync(deps: PlanDeps, tenant: Tenant, run: PlanningAttempt): Promise<SyncPlan> {
  const { source, rows } = await deps.kernel.db(tenant).transaction(async (tx) => ({
    source: await tx.findOne(SourceEntity, { sourceId: run.sourceId }),
    rows: await tx.find(StreamEntity, { sourceId: run.sourceId, enabled: true }, { orderBy: { name: 'asc' } }),
  }));
  if (source === undefined) throw new RunFailed(sourceFailure('run_failed'));
  await finishCommits(deps, tenant, { rows, run });
  const { streams, refused } = await planStreams(deps, tenant, { source, rows, run });
  const open = streams.filter((stream) => !stream.complete);
  const states = open.flatMap(({ engine }) => engine.state ?? []);
  const catalog = JSON.stringify({ streams: open.map(({ row }) => configured(row)) });
  const withoutState = open
    .filter(({ engine }) => engine.state === undefined)
    .map(({ child }) => streamOfKey(child.key));
  const state = stateFile(states, withoutState);
  return { source, streams, refused, catalog, state, lastPosition: lastPosition(states) };
}

interface Planning {
  source: Pick<SourceRow, 'patternId'>;
  rows: readonly StreamRow[];
  run: PlanningAttempt;
}

/**
 * Brings to their end what earlier attempts have left half done, before any stream is planned: one commit may hold several
 * of them. Where pointers and checkpoints move together nothing ever is.
 */
async function finishCommits(
  { tables }: PlanDeps,
  tenant: Tenant,
  { rows, run }: Omit<Planning, 'source'>,
): Promise<void> {
  const { runId, leaseEpoch } = run;
  for (const row of rows.length > 1 ? rows : []) {
    const stream = {
      ref: tables.bronze(tenant, row.destinationTable),
      streamId: row.streamId,
      key: checkpointKey(row),
    };
    const { follows } = await tables.resume(tenant, { runId, leaseEpoch }, stream);
    if (follows === undefined) return;
  }
}

/** Plans each stream by itself; then those that cannot be read beside the others are left out. */
async function planStreams(
  deps: PlanDeps,
  tenant: Tenant,
  { source, rows, run }: Planning,
): Promise<Pick<SyncPlan, 'streams' | 'refused'>> {
  const streams: PlannedStream[] = [];
  const refused: RefusedStream[] = [];
  for (const row of rows) {
    try {
      streams.push(await planStream(deps, tenant, { source, row, run }));
    } catch (error) {
      const failure = failureOf(error);
      if (failure.retryable) throw error;
      refused.push({ row, failure });
    }
  }
  const open = streams.filter((stream) => !stream.complete && stream.engine.isStateful);
  const stands = open.map(({ row, engine }) => ({ name: row.name, state: engine.state }));
  const codes = leftOut(stands);
  const isLeftOut = (stream: PlannedStream) => codes[open.indexOf(stream)] !== undefined;
  const left = open.flatMap(({ row }, at) => {
    const code = codes[at];
    return code === undefined ? [] : [{ row, failure: sourceFailure(code) }];
  });
  return { streams: streams.filter((stream) => !isLeftOut(stream)), refused: [...refused, ...left] };
}

async function planStream(
  { tables, maxRejected }: PlanDeps,
  tenant: Tenant,
  { source, row, run: { runId, leaseEpoch } }: Pick<Planning, 'source' | 'run'> & { row: StreamRow },
): Promise<PlannedStream> {
  const ref = tables.bronze(tenant, row.destinationTable);
  const key = checkpointKey(row);
  const { streamId, name } = row;
  const resume = await tables.resume(tenant, { runId, leaseEpoch }, { ref, streamId, key });
  const { checkpoint } = resume;
  const written = howToWrite(row, checkpoint);
  const ofFiles = isOfFiles(source, row);
  const options: PrepareOptions = { ...tableOptions(row), ofFiles, ...(written.replaces && { conflicts: 'replace' }) };
  const prepared = await tables.prepare(tenant, ref, row.jsonSchema, options);
  const figures = figuresOf(checkpoint, runId);
  const isStateful = row.syncMode === 'incremental';
  const state = isStateful && typeof checkpoint?.state === 'string' ? checkpoint.state : undefined;
  return {
    row,
    ref,
    checkpointKey: key,
    key: keyOf(row),
    options,
    prepared,
    resume,
    figures,
    complete: checkpoint?.runId === runId && checkpoint.counters.whole === 1,
    engine: {
      ...written,
      id: streamId,
      isStateful,
      policy: row.schemaChangePolicy,
      maxRejected,
      changesTable: Object.keys(prepared.brings).length > 0,
      batch: figures.batch,
      rejected: figures.rowsRejected,
      state,
    },
    child: { key: streamKey(row.namespace ? { name, namespace: row.namespace } : { name }), streamId, isStateful },
  };
}

/** How the table of a stream is made or evolved: by a commit and by nothing else. */
export function tableOptions(row: StreamRow): PrepareOptions {
  return {
    at: 'commit',
    policy: row.schemaChangePolicy,
    conflicts: 'keep',
    partitionBy: row.partitionBy ?? null,
    needed: neededColumns(row),
    columns: columnKind(row),
  };
}

/** The protocol's words for what becomes of the rows; it has one for all modes that find a row by its key. */
const WRITE_MODE_WORDS: Readonly<Record<StreamRow['writeMode'], ConfiguredStream['destination_sync_mode']>> = {
  append: 'append',
  overwrite: 'overwrite',
  merge: 'append_dedup',
  soft_delete: 'append_dedup',
};

/** A stream as the connector is asked for it: its own description word for word, and how to read it. */
function configured(row: StreamRow): ConfiguredStream {
  const cursor = row.cursorField ?? row.defaultCursorField;
  const key = row.primaryKey ?? row.sourceDefinedPrimaryKey;
  return {
    stream: row.discovered as unknown as ConfiguredStream['stream'],
    sync_mode: row.syncMode,
    destination_sync_mode: WRITE_MODE_WORDS[row.writeMode],
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
