import { type RunRecord, runView } from '@weir/kernel';
import type { TransformRunView } from '../contract.ts';
import type { TransformRunRow } from './entities.ts';

/** A run of a transform as the wire shows it. */
export function transformRunView(run: RunRecord, row: TransformRunRow): TransformRunView {
  return {
    ...runView(run),
    transform_id: row.transformId,
    triggering_transform_id: row.triggeringTransformId ?? null,
    orchestrator_run_id: row.orchestratorRunId ?? null,
    artifact_id: row.artifactId ?? null,
    reason: row.reason ?? null,
    extent: row.extent ?? null,
    moved_inputs: row.movedInputs,
    inputs: row.inputs,
    output: row.output,
    output_snapshot_id: row.outputSnapshotId ?? null,
    rows: row.rowCount ?? null,
    broken_checks: row.checks.filter(({ status }) => status !== 'passed').map(({ name }) => name),
    checks: row.checks,
  };
}
