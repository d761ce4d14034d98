import { type Static, Type } from '@sinclair/typebox';
import { Id, Nullable, OneOf, runFacts } from '@weir/kernel/contract';
import { CheckResult } from './checks.ts';

/** Why a run did its work; null until it is known, and for one that was skipped. */
export const RUN_REASONS = [
  ...['first', 'input_moved', 'definition_changed', 'forced', 'full_asked'],
  ...['other_input_moved', 'input_overwritten', 'input_rows_changed', 'input_rolled_back', 'input_expired'],
  ...['columns_changed', 'output_moved', 'clock', 'backfill'],
] as const;
export type RunReason = (typeof RUN_REASONS)[number];
/** How much of its output a run makes: all of it, or what follows from what is new in an input. */
export const RUN_EXTENTS = ['full', 'increment'] as const;
export type RunExtent = (typeof RUN_EXTENTS)[number];

/** A dataset at the snapshot that a run reads. */
export const RunInput = Type.Object({
  dataset_id: Type.String(),
  snapshot_id: Nullable(Type.String({ description: 'Decimal digits; null for a table without rows' })),
});

/** A run of one transform. */
export const TransformRun = Type.Object({
  ...runFacts,
  transform_id: Id,
  triggering_transform_id: Nullable(Id),
  orchestrator_run_id: Nullable(Type.String({ description: 'May be shared by the transforms of one grouped run' })),
  artifact_id: Nullable(Type.String()),
  reason: Nullable(OneOf(RUN_REASONS)),
  extent: Nullable(
    OneOf(RUN_EXTENTS, {
      description:
        'full: it rebuilt the whole output; increment: what follows from the rows that came since the last run; null: it was skipped, or wrote its whole result into what was there',
    }),
  ),
  moved_inputs: Type.Array(Type.String(), { description: 'The datasets that changed since the last run, by id' }),
  inputs: Type.Array(RunInput),
  output: Type.String(),
  output_snapshot_id: Nullable(Type.String({ description: 'Decimal digits' })),
  rows: Nullable(Type.String({ description: 'Rows written, in decimal digits' })),
  broken_checks: Type.Array(Type.String(), { description: 'The checks that did not pass, by name' }),
  checks: Type.Array(CheckResult, { description: 'How the checks ended; empty until they have' }),
});
export type TransformRunView = Static<typeof TransformRun>;
