import { createHash } from 'node:crypto';
import { faultpoint, type Kernel, type RunRecord, type Tenant } from '@weir/kernel';
import type {
  InputsService,
  PinnedInput,
  PreparedTable,
  TableRef,
  TablesService,
} from '@weir/plugin-datasets/contract';
import type { Column, PartitionSpec, StagedFile, TableSchema } from '@weir/plugin-datasets/stage';
import { RunFailed, WORK_FAILURES, type WorkLog } from '@weir/work';
import type { ArtifactContent } from '../model/artifact-content.ts';
import { compileCheck } from '../model/checks/compile-check.ts';
import { ArtifactEntity, TransformRunEntity, type TransformRunRow } from '../model/entities.ts';
import { tableRefOf } from '../model/output.ts';
import { type CommittedState, type Why, whyRun } from '../model/why-run.ts';
import type { Selects } from '../service/select/selects.ts';
import { passChecks } from './pass-checks.ts';

export interface CarryOutDeps {
  kernel: Pick<Kernel, 'db' | 'runs'>;
  inputs: InputsService;
  tables: TablesService;
  selects: Selects;
}

/** An attempt of a run of a transform, which holds the run's lease. */
export interface TransformAttempt {
  tenant: Tenant;
  run: RunRecord;
  leaseEpoch: number;
  signal: AbortSignal;
  log: WorkLog;
}

/** What the attempt is about, as the run's row and its artifact say. */
interface Job extends TransformAttempt {
  row: TransformRunRow;
  content: ArtifactContent;
  artifactId: string;
  ref: TableRef;
  /** Under which the last commit keeps what it stood on. */
  key: string;
}

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
  if (checkpoint?.runId === run.runId) return recordCommit(deps, job, checkpoint.counters.rows);
  const pins = await pin(deps, job);
  const now: CommittedState = { artifact_id: job.artifactId, inputs: pins.map(snapshotOf), rows_at: pins.map(rowsOf) };
  const isThere = (await tables.describe(tenant, ref)).exists;
  const before = isThere ? (checkpoint?.state as CommittedState | undefined) : undefined;
  const why = whyRun({ now, before, isForced: job.row.forced });
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
  log.write({ level: 'info', step: 'inputs', message: whyText(why, pins.length) });
  await faultpoint('T1');
  const staged = await stage(deps, job, pins);
  await faultpoint('T2');
  const isFull = job.content.materialization === 'full';
  await tables.commit(tenant, {
    ...lease,
    tables: [
      {
        ...{ ref, mode: isFull ? 'overwrite' : 'append', files: staged.files },
        ...(staged.replaceSchema === undefined ? {} : { replaceSchema: staged.replaceSchema }),
        ...(follows === undefined ? {} : { follows: follows.rows }),
        ...{ streamId: run.subjectId, attempt: leaseEpoch, batch: leaseEpoch, generation: 0 },
        stateSha256: createHash('sha256').update(JSON.stringify(now)).digest('hex'),
      },
    ],
    checkpoints: [{ key, state: now, counters: { rows: String(staged.rows) } }],
  });
  await faultpoint('T3');
  await recordCommit(deps, job, String(staged.rows));
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
async function pin({ inputs }: CarryOutDeps, { tenant, row, content }: Job): Promise<PinnedInput[]> {
  const known = new Map(row.inputs.map(({ dataset_id, snapshot_id }) => [dataset_id, snapshot_id]));
  const isHeld = content.inputs.length > 0 && content.inputs.every((id) => known.has(id));
  return inputs.pin(
    tenant,
    content.inputs.map((datasetId) =>
      isHeld ? { datasetId, snapshotId: known.get(datasetId) ?? null } : { datasetId },
    ),
  );
}

const snapshotOf = ({ datasetId, snapshotId }: PinnedInput) => ({ dataset_id: datasetId, snapshot_id: snapshotId });
const rowsOf = ({ datasetId, rowsSnapshotId: at }: PinnedInput) => ({ dataset_id: datasetId, snapshot_id: at });

interface Staged {
  files: readonly StagedFile[];
  rows: number;
  /** The schema that the commit brings. */
  replaceSchema: object | undefined;
}

/** Writes the result below a folder of the attempt, under the columns that the statement has over these very inputs. */
async function stage(
  { kernel, tables, selects }: CarryOutDeps,
  job: Job,
  pins: readonly PinnedInput[],
): Promise<Staged> {
  const { tenant, run, leaseEpoch, signal, log, ref, content } = job;
  const { sql } = content;
  const { columns } = await selects.describe({ sql, inputs: pins, signal });
  const isFull = content.materialization === 'full';
  const options = { columns: { exactly: columns }, conflicts: isFull ? 'replace' : 'refuse' } as const;
  const prepared = await tables.prepare(tenant, ref, {}, options);
  const folder = `${prepared.dataLocation}/${run.runId}-${leaseEpoch}`;
  await tables.recordStaged(tenant, run.runId, [{ ref, location: folder, isFolder: true }]);
  log.write({ level: 'info', step: 'statement', message: `the statement runs; ${columns.length} columns` });
  const checks = (content.checks ?? []).map((check) => compileCheck(check, new Date()));
  const found = await selects.run({
    ...{ sql, inputs: pins, signal, folder, store: prepared.store, schema: writtenSchema(prepared, columns), checks },
    spec: prepared.spec as PartitionSpec,
  });
  await passChecks(kernel, job, found);
  const { files, rows } = found;
  log.write({ level: 'info', step: 'statement', message: `${rows} rows in ${files.length} files`, fields: { rows } });
  return { files, rows, replaceSchema: prepared.replaces ? prepared.schema : undefined };
}

/** The columns of the table that the result has; rows have no value in the others. */
function writtenSchema({ schema }: PreparedTable, columns: readonly Column[]): TableSchema {
  const table = schema as TableSchema;
  const names = new Set(columns.map(({ name }) => name.toLowerCase()));
  return { ...table, fields: table.fields.filter(({ name }) => names.has(name.toLowerCase())) };
}

type RowTransaction = Parameters<InputsService['release']>[0];

async function noteInputs(tx: RowTransaction, { run }: Job, inputs: CommittedState['inputs'], why: Why | undefined) {
  await tx.sql(
    `update transforms.transform_run set inputs = $3::json, reason = $4, moved_inputs = $5
     where tenant_id = $1 and run_id = $2`,
    [tx.tenant.tenantId, run.runId, JSON.stringify(inputs), why?.reason ?? null, why?.moved ?? []],
  );
}

function whyText({ reason, moved }: Why, inputs: number): string {
  const what = moved.length === 0 ? '' : `: ${moved.join(', ')}`;
  return `${inputs} inputs are held; the run does its work: ${reason}${what}`;
}

/** Keeps what the commit of this run made, beside the run. */
async function recordCommit({ kernel, tables }: CarryOutDeps, job: Job, rows: unknown): Promise<void> {
  const { tenant, run, leaseEpoch, ref, log } = job;
  const snapshots = await tables.snapshots(tenant, ref, { limit: NEWEST_SNAPSHOTS });
  const snapshotId = snapshots.find(({ runId }) => runId === run.runId)?.snapshotId ?? null;
  await kernel.db(tenant).transaction(async (tx) => {
    await kernel.runs.assertLease(tx, run.runId, leaseEpoch);
    await tx.sql(
      'update transforms.transform_run set output_snapshot_id = $3, row_count = $4 where tenant_id = $1 and run_id = $2',
      [tenant.tenantId, run.runId, snapshotId, rows ?? null],
    );
  });
  log.write({ level: 'info', step: 'commit', message: `the output is at snapshot ${snapshotId ?? 'none'}` });
}
