import { createHash } from 'node:crypto';
import type { TenantTransaction } from '@weir/kernel';
import { Problem } from '@weir/kernel/contract';
import { datasetProblems, type PinnedInput } from '@weir/plugin-datasets/contract';
import type { NotAdopted } from '../contract.ts';
import type { CommittedState, Why } from '../model/why-run.ts';
import { keepStaged } from './keep-staged.ts';
import type { StagedStep } from './step-place.ts';
import type { CarryOutDeps, Job } from './transform-attempt.ts';

export const sha256 = (value: unknown): string => createHash('sha256').update(JSON.stringify(value)).digest('hex');

/** What the result of a step follows from beside its artifact: its inputs, the commit before, and the table that it goes to. */
interface Reads {
  inputs: CommittedState['inputs'];
  before: CommittedState | undefined;
  /** The newest snapshot of the output. */
  base: string | null;
}

/** Equal of two steps that read the same. A draft is known by its snapshot id, which one that is staged again has not. */
export const readsDigest = ({ inputs, before = undefined, base }: Reads): string =>
  sha256([inputs, before ?? null, base]);

/** What the attempt has found before it runs the statement. */
interface Found {
  now: CommittedState;
  pins: readonly PinnedInput[];
  why: Why;
  reads: string;
}

/** The step of the resumed whole. */
interface Earlier {
  runId: string;
  /** Null of one that another whole has taken over. */
  staged: StagedStep | null;
  transformId: string;
  artifactId: string | null;
  extent: string | null;
  reads: string | null;
  isSampled: boolean;
  partitions: unknown;
}

/**
 * Takes over what the resumed whole has staged for this step, where the statement would give the same; otherwise keeps why not. The
 * files, the commit and what was found out about it change hands in one transaction.
 */
export async function adoptStep(deps: CarryOutDeps, job: Job, found: Found): Promise<boolean> {
  const { kernel } = deps;
  const { tenant, run, leaseEpoch, place, log } = job;
  if (place.publish === 'each' || place.adoptFrom === undefined) return false;
  const earlier = await earlierStep(deps, job, place.adoptFrom);
  if (earlier === undefined) return false;
  const fault = differs(earlier, job, found) ?? (await takeOver(deps, job, { ...found, earlier }));
  if (fault === undefined) {
    const message = `the result of run ${earlier.runId} is taken over; the statement does not run`;
    log.write({ level: 'info', step: 'statement', message });
    return true;
  }
  await kernel.db(tenant).transaction(async (tx) => {
    await kernel.runs.assertLease(tx, run.runId, leaseEpoch);
    const own = [tenant.tenantId, run.runId];
    await tx.sql('update transforms.step set not_adopted = $3 where tenant_id = $1 and run_id = $2', [...own, fault]);
  });
  const message = `the result of run ${earlier.runId} is not taken over: ${fault}`;
  log.write({ level: 'info', step: 'inputs', message });
  return false;
}

/** The step of that name in the resumed whole; undefined where it has never staged a result. */
async function earlierStep({ kernel }: CarryOutDeps, { tenant, place }: Job, groupRunId: string) {
  const { rows } = await kernel.db(tenant).transaction((tx) =>
    tx.sql(
      `select step.run_id, step.staged, step.reads_digest, run.transform_id, run.artifact_id, run.extent,
         step.partitions, step.sample is not null as is_sampled
       from transforms.step join transforms.transform_run run using (tenant_id, run_id)
       where step.tenant_id = $1 and step.group_run_id = $2 and step.step_id = $3 and step.staged_at is not null`,
      [tenant.tenantId, groupRunId, place.stepId],
    ),
  );
  return rows.map(
    (row): Earlier => ({
      runId: String(row.run_id),
      staged: (row.staged ?? null) as StagedStep | null,
      transformId: String(row.transform_id),
      artifactId: row.artifact_id as string | null,
      extent: row.extent as string | null,
      reads: row.reads_digest as string | null,
      isSampled: row.is_sampled === true,
      partitions: row.partitions ?? undefined,
    }),
  )[0];
}

/** Why the statement may give something else than the earlier step has staged. */
function differs(earlier: Earlier, { run, artifactId, place }: Job, { why, reads }: Found): NotAdopted | undefined {
  const isOfOther = earlier.transformId !== run.subjectId || earlier.artifactId !== artifactId;
  const isOfPartitions = JSON.stringify(earlier.partitions) !== JSON.stringify(place.partitions);
  if (isOfOther || isOfPartitions || (why.extent === 'full' && earlier.extent !== 'full')) return 'definition_changed';
  return earlier.reads === reads ? undefined : 'inputs_moved';
}

type Adoption = Found & { earlier: Earlier };

/** Undefined once the result is this run's; its draft is written again, on the table as it is known now. */
async function takeOver(
  deps: CarryOutDeps,
  job: Job,
  { now, pins, reads, earlier }: Adoption,
): Promise<NotAdopted | undefined> {
  const { run, leaseEpoch } = job;
  const { staged } = earlier;
  if (staged === null) return 'files_gone';
  const { table, checkpoint, rows } = staged;
  const ofAttempt = { runId: run.runId, attempt: leaseEpoch, batch: leaseEpoch, stateSha256: sha256(now) };
  const commit = { table: { ...table, ...ofAttempt }, checkpoint: checkpoint && { ...checkpoint, state: now } };
  const written = { ...commit, pins, reads, rows: Number(rows), isSampled: earlier.isSampled };
  const also = (tx: TenantTransaction) => moveResult(deps, tx, { from: earlier.runId, to: run.runId, table });
  return keepStaged(deps, job, { ...written, also }).then(
    () => undefined,
    (error: unknown) => {
      const fault = faultOf(error);
      if (fault === undefined) throw error;
      return fault;
    },
  );
}

type Handover = Parameters<CarryOutDeps['tables']['takeOver']>[1];

/** Gives a run what another has staged and found out. Throws `FILES_GONE` where a third one was faster, or the sweep. */
async function moveResult({ tables }: CarryOutDeps, tx: TenantTransaction, handover: Handover): Promise<void> {
  const of = [tx.tenant.tenantId, handover.from];
  const { rowCount } = await tx.sql(
    'update transforms.step set staged = null where tenant_id = $1 and run_id = $2 and staged is not null',
    of,
  );
  if (rowCount === 0 || !(await tables.takeOver(tx, handover))) throw FILES_GONE;
  const both = [...of, handover.to];
  await tx.sql(
    `update transforms.step set adopted_from = coalesce(earlier.adopted_from, earlier.run_id),
       sample = coalesce(step.sample, earlier.sample)
     from transforms.step earlier
     where earlier.tenant_id = $1 and earlier.run_id = $2 and step.tenant_id = $1 and step.run_id = $3`,
    both,
  );
  await tx.sql(
    `update transforms.transform_run run set checks = earlier.checks, lineage = earlier.lineage, extent = earlier.extent
     from transforms.transform_run earlier
     where earlier.tenant_id = $1 and earlier.run_id = $2 and run.tenant_id = $1 and run.run_id = $3`,
    both,
  );
  await tx.sql(
    `insert into transforms.check_sample (tenant_id, run_id, name, columns, rows)
     select tenant_id, $3, name, columns, rows from transforms.check_sample where tenant_id = $1 and run_id = $2
     on conflict do nothing`,
    both,
  );
}

/** Rolls the transaction back in which a result was to change hands. */
const FILES_GONE = new Error('the files of the earlier step are gone');

const { stagedFileRefused, baseMoved, commitConflict } = datasetProblems;
const FAULTS: ReadonlyMap<string, NotAdopted> = new Map([
  [stagedFileRefused.entry.code, 'files_gone'],
  [baseMoved.entry.code, 'inputs_moved'],
  [commitConflict.entry.code, 'inputs_moved'],
]);

/** What an error says about the staged result; undefined for one that says nothing about it. */
function faultOf(error: unknown): NotAdopted | undefined {
  if (error === FILES_GONE) return 'files_gone';
  return error instanceof Problem ? FAULTS.get(error.code) : undefined;
}
