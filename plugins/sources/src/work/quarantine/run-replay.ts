import { createHash } from 'node:crypto';
import type { ChildRegistry, Tenant, TenantDb } from '@weir/kernel';
import { counted } from '@weir/kernel/contract';
import {
  type PreparedTable,
  quarantineOf,
  type ResumePoint,
  type TableCommit,
  type TableRef,
  type TablesService,
} from '@weir/plugin-datasets/contract';
import type { RunLogEntry } from '@weir/plugin-platform/contract';
import { RunFailed, run, type SpareChild, type WorkFolders, type WorkKit } from '@weir/work';
import type { ReplayOutcomeView } from '../../contract.ts';
import { sourceFailure } from '../../model/failure/failure.ts';
import type { Replayed, ReplayPlan } from '../../model/process/replay-messages.ts';
import { ReplayEntity, type ReplayRequest } from '../../model/quarantine/entity.ts';
import { replayOutcome, storedOutcome } from '../../model/quarantine/replay-outcome.ts';
import { REPLAY_KIND } from '../../model/run-kinds.ts';
import { StreamEntity, type StreamRow } from '../../model/stream/entity.ts';
import { keyOf } from '../../model/stream/needed-columns.ts';
import { mergeOf, rowShape } from '../sync/attempt-effects.ts';
import { evolveStream } from '../sync/plan/evolve-stream.ts';
import { tableOptions } from '../sync/plan/plan-sync.ts';
import { streamFailure } from '../sync/rule-failure.ts';
import { runReplayChild } from './run-replay-child.ts';

export interface ReplayDeps extends WorkKit {
  tables: TablesService;
  folders: WorkFolders;
  children: ChildRegistry;
  spare: Pick<SpareChild, 'drop'>;
}

/** One attempt of a replay, with everything that it works on. */
interface Attempt {
  tenant: Tenant;
  runId: string;
  leaseEpoch: number;
  row: StreamRow;
  request: ReplayRequest;
  signal: AbortSignal;
  /** The commits of replays that the tables had when this attempt began, where anybody asks. */
  follows: ResumePoint['follows'];
}

/**
 * A replay. Lines that are rows now, and those that stay, change places in one commit with a note of it, so that another attempt
 * finds either all of it done or nothing.
 */
export const replaying = run<ReplayDeps>(REPLAY_KIND, async ({ tenant, run, leaseEpoch, signal, log }, deps) => {
  await deps.spare.drop();
  const { outcome, stream } = await leased(deps, tenant, { runId: run.runId, leaseEpoch, signal });
  for (const line of outcomeLines(outcome)) log.write({ ...line, stream });
});

async function leased(
  deps: ReplayDeps,
  tenant: Tenant,
  { runId, leaseEpoch, signal }: Pick<Attempt, 'runId' | 'leaseEpoch' | 'signal'>,
): Promise<{ outcome: ReplayOutcomeView; stream: string }> {
  const { kernel, tables } = deps;
  const db = kernel.db(tenant);
  const { replay, row } = await db.transaction(async (tx) => {
    const found = await tx.findOne(ReplayEntity, { runId });
    const stream = found && (await tx.findOne(StreamEntity, { streamId: found.streamId }));
    return { replay: found, row: stream };
  });
  // Removed since the run was asked for: then there is nothing that its lines could become.
  if (replay === undefined || row === undefined) {
    throw new RunFailed({ ...sourceFailure('run_failed'), retryable: false });
  }
  const attempt = { tenant, runId, leaseEpoch, row, request: replay.request, signal };
  const { checkpoint, follows } = await resumed(tables, attempt);
  const outcome = storedOutcome(checkpoint) ?? (await carriedOut(deps, { ...attempt, follows }));
  await db.transaction(async (tx) => {
    const again = await tx.findOne(ReplayEntity, { runId });
    if (again !== undefined) await tx.update(again, { outcome });
  });
  return { outcome, stream: row.name };
}

/** What became of the lines, and why some of them stay. */
function outcomeLines({ lines, superseded, rows, rejected, reasons, snapshot_id }: ReplayOutcomeView): RunLogEntry[] {
  const snapshot = snapshot_id === null ? '' : ` as snapshot ${snapshot_id}`;
  const left = superseded === 0 ? '' : `, ${superseded} of replaced rows were not tried`;
  const message = `of ${lines} lines ${rows} are rows now${snapshot}, ${rejected} stay in quarantine${left}`;
  const fields = { lines, rows, rejected, superseded, ...(snapshot_id === null ? {} : { snapshot_id }) };
  return [
    { level: 'info', step: 'replay', message, fields },
    ...reasons.map(({ reason, lines: stay }): RunLogEntry => {
      return {
        level: 'warn',
        step: 'replay',
        message: `still in quarantine for ${reason}: ${counted(stay, 'line')}`,
        fields: { reason, lines: stay },
      };
    }),
  ];
}

/** What an attempt before has done, if any; tables that it left half moved are first brought to where it meant them to be. */
function resumed(
  tables: TablesService,
  { tenant, runId, leaseEpoch, row }: Omit<Attempt, 'follows'>,
): Promise<ResumePoint> {
  const stream = {
    ref: tables.bronze(tenant, row.destinationTable),
    streamId: writerOf(row),
    key: checkpointOf(runId),
  };
  return tables.resume(tenant, { runId, leaseEpoch }, stream);
}

// The stream's own id belongs to its syncs: what a replay commits covers no state of theirs.
const writerOf = ({ streamId }: StreamRow) => `replay-${streamId}`;
const checkpointOf = (runId: string) => `quarantine-replay/${runId}`;

async function carriedOut(deps: ReplayDeps, attempt: Attempt): Promise<ReplayOutcomeView> {
  const { tables } = deps;
  const { tenant, row } = attempt;
  const ref = tables.bronze(tenant, row.destinationTable);
  const { exists } = await tables.describe(tenant, quarantineOf(ref));
  if (!exists) return replayOutcome(undefined, null);
  let table = await tables.prepare(tenant, ref, row.jsonSchema, tableOptions(row));
  const quarantine = await tables.prepare(tenant, quarantineOf(ref), {}, { at: 'commit', columns: 'quarantine' });
  let replayed = await staged(deps, attempt, {
    table,
    quarantine,
    stopAtUnknown: row.schemaChangePolicy !== 'capture',
  });
  const { unknown } = replayed;
  if (unknown.length > 0 && row.schemaChangePolicy === 'freeze') {
    throw new RunFailed(streamFailure({ rule: 'schema_frozen', columns: unknown }));
  }
  if (unknown.length > 0 && row.schemaChangePolicy === 'evolve') {
    const planned = { row, ref, options: tableOptions(row), prepared: table };
    table = await evolveStream({ ...deps, tenant }, planned, unknown);
    replayed = await staged(deps, attempt, { table, quarantine, stopAtUnknown: false });
  }
  return commit(deps, attempt, { table, quarantine, replayed });
}

interface Tables {
  table: PreparedTable;
  quarantine: PreparedTable;
}

/** Has the lines staged by a process of its own, in folders that the ledger knows first. */
async function staged(
  { kernel, tables, folders, children }: ReplayDeps,
  attempt: Attempt,
  { table, quarantine, stopAtUnknown }: Tables & { stopAtUnknown: boolean },
): Promise<Replayed> {
  const { tenant, runId, leaseEpoch, row, request, signal } = attempt;
  const suffix = `${runId}-${leaseEpoch}-${stopAtUnknown ? 'first' : 'last'}`;
  const at = ({ dataLocation }: PreparedTable, of: string) => `${dataLocation}/${suffix}-${of}`;
  const places = { rows: at(table, 'rows'), merged: at(table, 'merged'), lines: at(quarantine, 'lines') };
  const place = (ref: TableRef, location: string) => ({ ref, location, isFolder: true });
  await tables.recordStaged(tenant, runId, [
    place(table.ref, places.rows),
    place(table.ref, places.merged),
    place(quarantine.ref, places.lines),
  ]);
  const key = keyOf(row);
  const merging = key === undefined ? undefined : mergeOf({ row, key }, table);
  const { replacedBy } = table;
  const liveRuns = replacedBy === undefined ? undefined : await runsSince(kernel.db(tenant), row, replacedBy);
  const workDir = await folders.make(suffix);
  const { metadataLocation, schema } = quarantine;
  const plan: ReplayPlan = {
    runId,
    workDir,
    store: table.store,
    stopAtUnknown,
    select: {
      ...(request.run_id === null ? {} : { runId: request.run_id }),
      ...(request.reasons === null ? {} : { reasons: request.reasons }),
      ...(liveRuns === undefined ? {} : { liveRuns }),
    },
    rows: {
      shape: rowShape({ key }, table),
      folder: places.rows,
      merge: merging && {
        folder: places.merged,
        into: table.brings.create === undefined ? table.metadataLocation : undefined,
        key: merging.key,
        mode: merging.writeMode,
        ...(merging.deleteMarker === undefined ? {} : { deleteMarker: merging.deleteMarker }),
      },
    },
    quarantine: { metadataLocation, schema, folder: places.lines },
  };
  try {
    return await runReplayChild(plan, { children, signal });
  } finally {
    await folders.remove(workDir);
  }
}

async function commit(
  { tables }: ReplayDeps,
  attempt: Attempt,
  { table, quarantine, replayed }: Tables & { replayed: Replayed },
): Promise<ReplayOutcomeView> {
  const { tenant, runId, leaseEpoch, row, follows } = attempt;
  if (replayed.rows === 0 && replayed.quarantine.removed.length === 0) return replayOutcome(replayed, null);
  const facts = {
    streamId: writerOf(row),
    attempt: leaseEpoch,
    batch: leaseEpoch,
    stateSha256: createHash('sha256').digest('hex'),
    generation: row.generation,
  };
  const changes: TableCommit[] = [];
  const { files, staged, removed } = replayed.table;
  if (keyOf(row) !== undefined) {
    const delta = { mode: 'row_delta' as const, deletes: removed, base: table.snapshotId };
    const change = { ref: table.ref, files, staged, ...delta, ...table.brings };
    changes.push({ ...change, ...facts, ...(follows && { follows: follows.rows }) });
  } else if (files.length > 0) {
    const after = follows && { follows: follows.rows };
    changes.push({ ref: table.ref, mode: 'append', files, staged, ...table.brings, ...facts, ...after });
  }
  // It names no snapshot: left half done it can so be ended behind whatever syncs have added, while its files are there.
  changes.push({
    ref: quarantine.ref,
    mode: 'row_delta',
    ...quarantine.brings,
    ...facts,
    ...(follows && { follows: follows.quarantine }),
    files: replayed.quarantine.files,
    staged: replayed.quarantine.staged,
    deletes: replayed.quarantine.removed,
  });
  const outcome = replayOutcome(replayed, null);
  const result = await tables.commit(tenant, {
    runId,
    leaseEpoch,
    tables: changes,
    checkpoints: [{ key: checkpointOf(runId), state: outcome, counters: {} }],
  });
  const ofTable = result.tables.find(({ ref }) => ref.table === table.ref.table);
  return { ...outcome, snapshot_id: ofTable?.snapshotId ?? null };
}

/**
 * The syncs of a stream's source from one on, that one included; all of them when it is not known. Syncs of one source
 * never overlap, so that what one of them replaced was there before it.
 */
function runsSince(db: TenantDb, { sourceId }: Pick<StreamRow, 'sourceId'>, runId: string): Promise<string[]> {
  return db.transaction(async (tx) => {
    const { rows } = await tx.sql(
      `select run_id from sources.sync_run where source_id = $1 and created_at >= coalesce(
         (select created_at from sources.sync_run where run_id = $2), '-infinity')`,
      [sourceId, runId],
    );
    return rows.map(({ run_id }) => String(run_id));
  });
}
