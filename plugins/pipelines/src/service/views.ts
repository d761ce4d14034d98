import { type Kernel, runView, type TenantTransaction } from '@weir/kernel';
import type { SubjectSchedulesService } from '@weir/plugin-schedules/contract';
import type { FactsService } from '@weir/plugin-transforms/contract';
import type { PipelineRunView, PipelineVersionView, PipelineView } from '../contract.ts';
import {
  type Noted,
  type PipelineRow,
  PipelineRunEntity,
  type PipelineRunRow,
  type VersionRow,
} from '../model/entities.ts';
import { inputsOf } from '../model/validate.ts';
import { type KnownStep, knownSteps } from './known-steps.ts';

export interface ViewDeps {
  kernel: Pick<Kernel, 'runs'>;
  facts: FactsService;
  schedules: Pick<SubjectSchedulesService, 'summaries'>;
}

const NO_STEPS = { total: 0, succeeded: 0, skipped: 0, failed: 0, outputs: [] };

/** Runs with what the kernel and their steps know of them, in their order. */
export async function runViews(
  { kernel, facts }: Pick<ViewDeps, 'kernel' | 'facts'>,
  tx: TenantTransaction,
  rows: readonly PipelineRunRow[],
): Promise<PipelineRunView[]> {
  const ids = rows.map(({ runId }) => runId);
  const runs = new Map((await kernel.runs.findMany(tx, ids)).map((run) => [run.runId, run]));
  const outcomes = await facts.outcomes(tx, ids);
  return rows.flatMap((row) => {
    const run = runs.get(row.runId);
    if (run === undefined) return [];
    const { outputs, ...steps } = outcomes.get(row.runId) ?? NO_STEPS;
    const from = row.fromRunId ?? null;
    return [
      {
        ...runView(run),
        pipeline_id: row.pipelineId,
        version: row.version ?? null,
        fingerprint: row.fingerprint,
        publish: row.publish,
        why: { kind: row.cause, run_id: from },
        resumed_run_id: row.cause === 'resume' ? from : null,
        steps,
        published: outputs.length > 0,
        outputs: outputs.map((one) => ({ ...one })),
      },
    ];
  });
}

/** Pipelines as the wire shows them, with their newest runs and schedules. */
export async function pipelineViews(
  deps: ViewDeps,
  tx: TenantTransaction,
  rows: readonly PipelineRow[],
): Promise<PipelineView[]> {
  const ids = rows.map(({ pipelineId }) => pipelineId);
  const known = await knownSteps(
    deps.facts,
    tx,
    rows.map(({ steps }) => steps),
  );
  const schedules = await deps.schedules.summaries(tx, ids);
  const last = await lastRuns(deps, tx, ids);
  return rows.map((row, at) => ({
    ...ownView(row),
    steps: stepViews(known[at] ?? []),
    schedule: schedules.get(row.pipelineId) ?? null,
    last_run: last.get(row.pipelineId) ?? null,
  }));
}

export async function pipelineView(deps: ViewDeps, tx: TenantTransaction, row: PipelineRow): Promise<PipelineView> {
  return (await pipelineViews(deps, tx, [row]))[0] as PipelineView;
}

function ownView(row: PipelineRow) {
  const { fingerprint, sandboxed } = row;
  const isOfNow = (noted: Noted | null | undefined): noted is Noted => noted?.fingerprint === fingerprint;
  return {
    pipeline_id: row.pipelineId,
    name: row.name,
    description: row.description ?? null,
    status: row.status,
    draft_state: row.draftState,
    fingerprint,
    publish: row.publish,
    active_version: row.activeVersion ?? null,
    latest_version: row.latestVersion ?? null,
    validated: isOfNow(row.validated) ? { at: row.validated.at, by: row.validated.by } : null,
    sandboxed:
      sandboxed && isOfNow(sandboxed) ? { at: sandboxed.at, by: sandboxed.by, run_id: sandboxed.run_id } : null,
    paused: row.paused ?? null,
    created_by: row.createdBy,
    etag: String(row.version),
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  };
}

function stepViews(steps: readonly KnownStep[]): PipelineView['steps'] {
  const writers = new Map(
    steps.flatMap(({ step_id, artifact }) =>
      artifact ? [[artifact.output.toLowerCase(), { stepId: step_id }] as const] : [],
    ),
  );
  return steps.map(({ step_id, transform_id, after, transform, artifact }) => ({
    step_id,
    transform_id,
    transform_name: transform?.name ?? null,
    after,
    inputs: inputsOf(artifact, writers),
    output: artifact?.output ?? transform?.output ?? null,
    artifact_id: artifact?.artifactId ?? null,
  }));
}

/** The newest run of each pipeline, rehearsals left out. */
async function lastRuns(
  deps: Pick<ViewDeps, 'kernel' | 'facts'>,
  tx: TenantTransaction,
  pipelineIds: readonly string[],
): Promise<Map<string, PipelineRunView>> {
  if (pipelineIds.length === 0) return new Map();
  const { rows } = await tx.sql(
    `select distinct on (pipeline_id) run_id from pipelines.run
     where tenant_id = $1 and pipeline_id = any ($2::uuid[]) and version is not null
     order by pipeline_id, created_at desc, run_id desc`,
    [tx.tenant.tenantId, pipelineIds],
  );
  const found = await tx.find(PipelineRunEntity, { runId: { $in: rows.map(({ run_id }) => String(run_id)) } });
  return new Map((await runViews(deps, tx, found)).map((view) => [view.pipeline_id, view]));
}

/** A version as the wire shows it. */
export const versionView = (
  row: VersionRow,
  { activeVersion }: Pick<PipelineRow, 'activeVersion'>,
): PipelineVersionView => ({
  pipeline_id: row.pipelineId,
  version: row.version,
  fingerprint: row.fingerprint,
  publish: row.publish,
  steps: row.steps,
  note: row.note ?? null,
  active: row.version === activeVersion,
  created_by: row.createdBy,
  created_at: row.createdAt.toISOString(),
});
