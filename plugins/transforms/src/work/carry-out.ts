import { createHash } from 'node:crypto';
import { faultpoint } from '@weir/kernel';
import type { InputsService, PinnedInput } from '@weir/plugin-datasets/contract';
import { RunFailed, WORK_FAILURES } from '@weir/work';
import { ArtifactEntity, TransformRunEntity } from '../model/entities.ts';
import { tableRefOf } from '../model/output.ts';
import { type CommittedState, markOf, type Why, whyRun } from '../model/why-run.ts';
import { stageResult } from './stage-result.ts';
import type { CarryOutDeps, Job, TransformAttempt } from './transform-attempt.ts';

/** Snapshots among which that of a run is looked for. */
const NEWEST_SNAPSHOTS = 50;

/**
 * Brings the output of a transform to its inputs as they are at one moment: the table is as before until the one commit, and
 * as the statement says from then on. An attempt after a commit whose end was not recorded records it; a run that finds
 * nothing moved ends as skipped.
 */
export async function carryOutTransform(deps: CarryOutDeps, attempt: TransformAttempt): Promise<void> {
  const { tables, kernel, inputs } = deps;
  const job = await jobOf(deps, attempt);
  const { tenant, run, leaseEpoch, log, ref, key } = job;
  const lease = { runId: run.runId, leaseEpoch };
  const { checkpoint, follows } = await tables.resume(tenant, lease, { ref, streamId: run.subjectId, key });
  if (checkpoint?.runId === run.runId) {
    return recordCommit(deps, job, { rows: checkpoint.counters.rows, pins: await pin(deps, job, undefined) });
  }
  const output = await tables.describe(tenant, ref);
  const before = output.exists ? (checkpoint?.state as CommittedState | undefined) : undefined;
  const output_at = output.rowsSnapshotId ?? null;
  const pins = await pin(deps, job, before);
  const read = { inputs: pins.map(snapshotOf), rows_at: pins.map(rowsOf) };
  const now: CommittedState = { artifact_id: job.artifactId, ...read, output_at };
  const made = before && checkpoint && (await madeBy(deps, job, checkpoint.runId));
  const isOutputMoved = before !== undefined && output_at !== (made ?? before.output_at ?? null);
  const why = whyOf(job, { now, before, pins, isOutputMoved });
  if (why === undefined) {
    const message = 'nothing has changed since the last run: the run ends skipped';
    log.write({ level: 'info', step: 'end', message, fields: { status: 'skipped' } });
    const note = (tx: Parameters<typeof inputs.release>[0]) => noteInputs(tx, job, now.inputs, undefined);
    await kernel.runs.finish(tenant, run.runId, { status: 'skipped' }, { after: note });
    return;
  }
  await kernel.db(tenant).transaction(async (tx) => {
    await kernel.runs.assertLease(tx, run.runId, leaseEpoch);
    await inputs.hold(tx, run.runId, pins);
    await noteInputs(tx, job, now.inputs, why);
  });
  const becomesFull = (full: Why) => kernel.db(tenant).transaction((tx) => noteInputs(tx, job, now.inputs, full));
  log.write({ level: 'info', step: 'inputs', message: whyText(why, pins.length) });
  await faultpoint('T1');
  const staged = await stageResult(deps, job, { pins, why, becomesFull });
  await faultpoint('T2');
  await tables.commit(tenant, {
    ...lease,
    tables: [
      {
        ...{ ref, ...staged.change },
        ...(follows === undefined ? {} : { follows: follows.rows }),
        ...{ streamId: run.subjectId, attempt: leaseEpoch, batch: leaseEpoch, generation: 0 },
        stateSha256: createHash('sha256').update(JSON.stringify(now)).digest('hex'),
      },
    ],
    checkpoints: [{ key, state: now, counters: { rows: String(staged.rows) } }],
  });
  await faultpoint('T3');
  await recordCommit(deps, job, { rows: String(staged.rows), pins });
}

interface Standing {
  now: CommittedState;
  before: CommittedState | undefined;
  pins: readonly PinnedInput[];
  isOutputMoved: boolean;
}

/** The snapshot of the output that a run made; undefined where it made none, as it had no rows to write. */
async function madeBy({ kernel }: CarryOutDeps, { tenant }: Job, runId: string): Promise<string | undefined> {
  const row = await kernel.db(tenant).transaction((tx) => tx.findOne(TransformRunEntity, { runId }));
  return row?.outputSnapshotId ?? undefined;
}

function whyOf({ row, content }: Job, { now, before, pins, isOutputMoved }: Standing): Why | undefined {
  const changes = new Map(pins.flatMap(({ datasetId, change }) => (change ? [[datasetId, change.kind] as const] : [])));
  const asked = { isForced: row.forced, isFullAsked: row.fullAsked };
  return whyRun({ now, before, changes, definition: content, isOutputMoved, ...asked });
}

async function jobOf({ kernel }: CarryOutDeps, attempt: TransformAttempt): Promise<Job> {
  const { tenant, run } = attempt;
  const { row, artifact } = await kernel.db(tenant).transaction(async (tx) => {
    const found = await tx.findOne(TransformRunEntity, { runId: run.runId });
    const artifactId = found?.artifactId ?? undefined;
    return { row: found, artifact: artifactId ? await tx.findOne(ArtifactEntity, { artifactId }) : undefined };
  });
  if (row === undefined || artifact === undefined) {
    throw new RunFailed({ code: 'run_failed', ...WORK_FAILURES.run_failed, retryable: false });
  }
  const { artifactId, content } = artifact;
  const key = `transform:${run.subjectId}:${content.output}`;
  return { ...attempt, row, content, artifactId, ref: tableRefOf(content.output), key };
}

/** The inputs at one moment: that of the attempt before, which holds them, or now. */
async function pin(
  { inputs }: CarryOutDeps,
  { tenant, row, content }: Job,
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

/** Keeps what the commit of this run made, beside the run. */
async function recordCommit(
  { kernel, tables, inputs }: CarryOutDeps,
  job: Job,
  { rows, pins }: { rows: unknown; pins: readonly PinnedInput[] },
): Promise<void> {
  const { tenant, run, leaseEpoch, ref, log } = job;
  const snapshots = await tables.snapshots(tenant, ref, { limit: NEWEST_SNAPSHOTS });
  const snapshotId = snapshots.find(({ runId }) => runId === run.runId)?.snapshotId ?? null;
  await kernel.db(tenant).transaction(async (tx) => {
    await kernel.runs.assertLease(tx, run.runId, leaseEpoch);
    await tx.sql(
      'update transforms.transform_run set output_snapshot_id = $3, row_count = $4 where tenant_id = $1 and run_id = $2',
      [tenant.tenantId, run.runId, snapshotId, rows ?? null],
    );
    const { incremental } = job.content;
    await inputs.mark(
      tx,
      markOf(run.subjectId),
      pins.filter(({ datasetId }) => datasetId === incremental),
    );
  });
  log.write({ level: 'info', step: 'commit', message: `the output is at snapshot ${snapshotId ?? 'none'}` });
}
