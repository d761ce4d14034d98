import { faultpoint } from '@weir/kernel';
import type { Checkpoint, InputsService, PinnedInput } from '@weir/plugin-datasets/contract';
import { RunFailed, WORK_FAILURES } from '@weir/work';
import { ArtifactEntity, TransformRunEntity } from '../model/entities.ts';
import { tableRefOf } from '../model/output.ts';
import { type CommittedState, type Why, whyRun } from '../model/why-run.ts';
import type { AskedWork } from '../service/select/selects.ts';
import { adoptStep, readsDigest, sha256 } from './adopt-step.ts';
import { keepStaged } from './keep-staged.ts';
import { outputMoved } from './output-moved.ts';
import { NEWEST_SNAPSHOTS, recordCommit } from './record-commit.ts';
import { stageResult } from './stage-result.ts';
import { checkpointKey, placedInput, stepPlace } from './step-place.ts';
import type { CarryOutDeps, Job, TransformAttempt } from './transform-attempt.ts';

/** `staged`: its whole publishes it, and ends it. */
type Carried = 'done' | 'staged';

/**
 * Brings the output of a transform to its inputs as they are at one moment: the table is as before until the one commit, and
 * as the statement says from then on; a step of a whole that publishes together stages that commit. An attempt after a commit whose end was not recorded records it; a run that finds
 * nothing moved ends as skipped.
 */
export async function carryOutTransform(deps: CarryOutDeps, attempt: TransformAttempt): Promise<Carried> {
  const { tables, kernel, inputs } = deps;
  const job = await jobOf(deps, attempt);
  if (job.place.isStaged) return 'staged';
  const { tenant, run, leaseEpoch, log, ref, key } = job;
  const lease = { runId: run.runId, leaseEpoch };
  const { checkpoint, follows } = await tables.resume(tenant, lease, { ref, streamId: run.subjectId, key });
  const landed = await landedCommit(deps, job, checkpoint);
  if (landed !== undefined) {
    await recordCommit(deps, { tenant, lease, log }, { ...made(job), ...landed });
    return 'done';
  }
  const output = await tables.describe(tenant, ref);
  const before = output.exists ? (checkpoint?.state as CommittedState | undefined) : undefined;
  const output_at = output.rowsSnapshotId ?? null;
  const pins = await pin(deps, job, before);
  const read = { inputs: pins.map(snapshotOf), rows_at: pins.map(rowsOf) };
  const now: CommittedState = { artifact_id: job.artifactId, ...read, output_at };
  const committed = before && checkpoint && { state: before, runId: checkpoint.runId };
  const isOutputMoved = committed !== undefined && (await outputMoved(deps, job, { committed, outputAt: output_at }));
  const why = whyOf(job, { now, before, pins, isOutputMoved });
  if (why === undefined) {
    const message = 'nothing has changed since the last run: the run ends skipped';
    log.write({ level: 'info', step: 'end', message, fields: { status: 'skipped' } });
    const note = (tx: Parameters<typeof inputs.release>[0]) => noteInputs(tx, job, now.inputs, undefined);
    await kernel.runs.finish(tenant, run.runId, { status: 'skipped' }, { after: note });
    return 'done';
  }
  await kernel.db(tenant).transaction(async (tx) => {
    await kernel.runs.assertLease(tx, run.runId, leaseEpoch);
    await inputs.hold(tx, run.runId, pins);
    await noteInputs(tx, job, now.inputs, why);
  });
  log.write({ level: 'info', step: 'inputs', message: whyText(why, pins.length) });
  const reads = readsDigest({ inputs: now.inputs, before, base: output.snapshotId ?? null });
  if (await adoptStep(deps, job, { now, pins, why, reads })) return 'staged';
  const { rows, ...written } = await writeResult(deps, job, { now, pins, why });
  if (job.place.publish !== 'each') {
    await keepStaged(deps, job, { ...written, pins, reads, rows });
    return 'staged';
  }
  await tables.commit(tenant, {
    ...lease,
    tables: [{ ...written.table, ...(follows === undefined ? {} : { follows: follows.rows }) }],
    checkpoints: written.checkpoint === undefined ? [] : [written.checkpoint],
  });
  await faultpoint('T3');
  await recordCommit(deps, { tenant, lease, log }, { ...made(job), rows: String(rows) });
  return 'done';
}

/** Steps of a whole are served by one process after the other, and no other work is. */
function ownerOf({ tenant, signal, place: { groupRunId, stepsToCome, partitions }, content }: Job): AskedWork {
  const runs = content.materialization === 'merge' || partitions !== undefined ? 2 : 1;
  const owner = groupRunId && `${tenant.tenantId}/${groupRunId}`;
  return { signal, owner, hasMore: stepsToCome > 0, runs: runs * (1 + stepsToCome) };
}

const made = ({ ref, run, place }: Job) => ({
  ref,
  runId: run.runId,
  transformId: run.subjectId,
  isOfPartitions: place.partitions !== undefined,
});

interface Standing {
  now: CommittedState;
  before: CommittedState | undefined;
  pins: readonly PinnedInput[];
  isOutputMoved: boolean;
}

/** A commit of this run whose end was not recorded: known by its checkpoint, or, where it writes none, by its snapshot. */
async function landedCommit(
  { tables }: CarryOutDeps,
  { tenant, run, ref, place }: Job,
  checkpoint: Checkpoint | undefined,
): Promise<{ rows: unknown } | undefined> {
  if (checkpoint?.runId === run.runId) return { rows: checkpoint.counters.rows };
  if (place.partitions === undefined) return undefined;
  const snapshots = await tables.snapshots(tenant, ref, { limit: NEWEST_SNAPSHOTS });
  const own = snapshots.find(({ runId }) => runId === run.runId);
  return own && { rows: own.addedRecords ?? '0' };
}

/** Runs the statement and says what is to be committed. A run of some partitions leaves the checkpoint as it is. */
async function writeResult(
  deps: CarryOutDeps,
  job: Job,
  { now, pins, why }: Pick<Standing, 'now' | 'pins'> & { why: Why },
) {
  const { tenant, run, leaseEpoch, ref, key, place } = job;
  const { kernel } = deps;
  const becomesFull = (full: Why) => kernel.db(tenant).transaction((tx) => noteInputs(tx, job, now.inputs, full));
  await faultpoint('T1');
  const { change, rows } = await deps.selects.within(ownerOf(job), (selects) =>
    stageResult({ ...deps, selects }, job, { pins, why, becomesFull }),
  );
  await faultpoint('T2');
  const of = { streamId: run.subjectId, attempt: leaseEpoch, batch: leaseEpoch, generation: 0 };
  const table = { ref, ...change, ...of, stateSha256: sha256(now) };
  const counters = { rows: String(rows) };
  return { table, rows, checkpoint: place.partitions === undefined ? { key, state: now, counters } : undefined };
}

/** Partitions are asked for whether or not anything moved. */
const BACKFILL: Why = { reason: 'backfill', moved: [], extent: undefined };

function whyOf({ row, content, place }: Job, { now, before, pins, isOutputMoved }: Standing): Why | undefined {
  if (place.partitions !== undefined) return BACKFILL;
  const changes = new Map(pins.flatMap(({ datasetId, change }) => (change ? [[datasetId, change.kind] as const] : [])));
  const asked = { isForced: row.forced, isFullAsked: row.fullAsked };
  return whyRun({ now, before, changes, definition: content, isOutputMoved, ...asked });
}

async function jobOf({ kernel }: CarryOutDeps, attempt: TransformAttempt): Promise<Job> {
  const { tenant, run } = attempt;
  const { row, artifact, place } = await kernel.db(tenant).transaction(async (tx) => {
    const found = await tx.findOne(TransformRunEntity, { runId: run.runId });
    const artifactId = found?.artifactId ?? undefined;
    const carried = artifactId ? await tx.findOne(ArtifactEntity, { artifactId }) : undefined;
    return { row: found, artifact: carried, place: await stepPlace(tx, run.runId) };
  });
  if (row === undefined || artifact === undefined) {
    throw new RunFailed({ code: 'run_failed', ...WORK_FAILURES.run_failed, retryable: false });
  }
  const { artifactId, content } = artifact;
  const key = checkpointKey(run.subjectId, content.output);
  return { ...attempt, row, content, artifactId, place, ref: tableRefOf(content.output), key };
}

/** The inputs at one moment: that of the attempt before, which holds them, that of the whole, or now; what a step of the whole has staged, as it staged it. */
async function pin(
  { inputs }: CarryOutDeps,
  { tenant, row, content, place }: Job,
  before: CommittedState | undefined,
): Promise<PinnedInput[]> {
  const last = new Map(before?.inputs.map(({ dataset_id, snapshot_id }) => [dataset_id, snapshot_id]));
  const known = new Map(row.inputs.map(({ dataset_id, snapshot_id }) => [dataset_id, snapshot_id]));
  const isHeld = content.inputs.length > 0 && content.inputs.every((id) => known.has(id));
  return inputs.pin(
    tenant,
    content.inputs.map((datasetId) => ({
      datasetId,
      ...(isHeld ? { snapshotId: known.get(datasetId) ?? null } : {}),
      ...placedInput(place, datasetId),
      ...(last.has(datasetId) ? { since: last.get(datasetId) ?? null } : {}),
    })),
  );
}

const snapshotOf = ({ datasetId, snapshotId }: PinnedInput) => ({ dataset_id: datasetId, snapshot_id: snapshotId });
const rowsOf = ({ datasetId, rowsSnapshotId: at }: PinnedInput) => ({ dataset_id: datasetId, snapshot_id: at });

type RowTransaction = Parameters<InputsService['release']>[0];

async function noteInputs(tx: RowTransaction, { run }: Job, inputs: CommittedState['inputs'], why: Why | undefined) {
  await tx.sql(
    `update transforms.transform_run set inputs = $3::json, reason = $4, moved_inputs = $5, extent = $6
     where tenant_id = $1 and run_id = $2`,
    [tx.tenant.tenantId, run.runId, JSON.stringify(inputs), why?.reason ?? null, why?.moved ?? [], why?.extent ?? null],
  );
}

function whyText({ reason, moved, extent }: Why, inputs: number): string {
  const what = moved.length === 0 ? '' : `: ${moved.join(', ')}`;
  const how = extent === undefined ? '' : ` (${extent})`;
  return `${inputs} inputs are held; the run does its work${how}: ${reason}${what}`;
}
