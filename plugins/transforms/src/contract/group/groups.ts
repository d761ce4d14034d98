import { type Static, Type } from '@sinclair/typebox';
import {
  type Accepted,
  contributionPoint,
  Id,
  Nullable,
  OneOf,
  RUN_STATUSES,
  RunFailure,
  service,
  type Tenant,
  Timestamp,
} from '@weir/kernel/contract';
import type { AlsoAtStart } from '@weir/plugin-schedules/contract';
import { CheckResult } from '../checks.ts';
import { RUN_REASONS } from '../runs.ts';
import type { PartitionChoice } from './partition-choice.ts';

/** `together`: all tables in one commit, or none; `each`: every table as its step ends; `none`: nothing is published. */
export const PUBLISH_MODES = ['together', 'each', 'none'] as const;
export type PublishMode = (typeof PUBLISH_MODES)[number];

/**
 * Why a step ran although the named run has staged it: what it reads, or the table that it writes, has moved; it is of another version,
 * or more of its table was asked for; its files were swept, or another run has them.
 */
export const NOT_ADOPTED = ['inputs_moved', 'definition_changed', 'files_gone'] as const;
export type NotAdopted = (typeof NOT_ADOPTED)[number];

/** Steps that a group has at most. */
export const MAX_STEPS = 500;

/** One transform of a group. */
export interface GroupStep {
  /** Unique within the group. */
  stepId: string;
  transformId: string;
  /** The artifact that is carried out: that in force unless named. */
  artifactId?: string | undefined;
  /** Steps that end first although nothing of theirs is read; ids. */
  after?: readonly string[] | undefined;
  force?: boolean | undefined;
  full?: boolean | undefined;
  /** Replaces these partitions alone, of `partition_overwrite`: those that get no rows are emptied. It always runs. */
  partitions?: PartitionChoice | undefined;
}

/** A whole that is to be started. */
export interface GroupStart {
  /** A kind of run whose workflow is `GroupWorkflow`, contributed to `GroupKinds`. */
  kind: string;
  subjectId: string;
  requestedBy: string;
  queue?: boolean | undefined;
  steps: readonly GroupStep[];
  publish: PublishMode;
  /** A whole that has ended, with steps staged and not published: they are taken over by step id, and run again where that cannot be. */
  adoptFrom?: string | undefined;
  /** Rows of each step to be kept, to be looked at; none unless given. Of steps that are not published at once. */
  sampleRows?: number | undefined;
  /** The transform that started all steps; each its own unless named. */
  triggeredBy?: string | undefined;
}

const digits = (description: string) => Nullable(Type.String({ description: `${description}, in decimal digits` }));

/** A step of a whole as it is now. */
export const Step = Type.Object({
  step_id: Type.String(),
  run_id: Id,
  transform_id: Id,
  name: Type.String({ description: 'Of the transform' }),
  status: OneOf(RUN_STATUSES),
  after: Type.Array(Type.String(), { description: 'The steps that it waits for' }),
  output: Type.String(),
  rows_in: digits('Rows that it read, of a step that does not publish by itself'),
  rows: digits('Rows that it wrote'),
  started_at: Nullable(Timestamp),
  staged_at: Nullable({
    ...Timestamp,
    description: 'When its result was written, to be published with those of the others',
  }),
  ended_at: Nullable(Timestamp),
  code: Nullable(Type.String({ description: 'Of its failure, or why it was skipped' })),
  reason: Nullable(OneOf(RUN_REASONS, { description: 'Why it did its work' })),
  checks: Type.Array(CheckResult, { description: 'How the checks ended; empty until they have' }),
  failure: Nullable(RunFailure),
  adopted_from: Nullable({ ...Id, description: 'The run whose result it took over in place of running its statement' }),
  not_adopted: Nullable(
    OneOf(NOT_ADOPTED, { description: 'Why it took over no result although the resumed run had one' }),
  ),
});

/** A step with what it would make. */
export interface GroupStepView extends Static<typeof Step> {
  /** Of the output; null until it is staged, and where it publishes at once. */
  columns: readonly { name: string; type: string }[] | null;
  sample: { columns: readonly { name: string; type: string }[]; rows: readonly (readonly unknown[])[] } | null;
}

/** Runs of several transforms as one. */
export interface GroupsService {
  /**
   * Starts a whole and its parts in one transaction; `also` belongs to it. Throws `steps_not_ready`, `steps_refused`,
   * `resume_refused` where nothing can be taken over, `run_already_active` with the part that is open, and what any start throws.
   */
  start(tenant: Tenant, asked: GroupStart, also?: AlsoAtStart): Promise<Static<typeof Accepted>>;
  /** The steps of a whole in the order in which they are carried out. Throws `not_found`. */
  steps(tenant: Tenant, runId: string): Promise<GroupStepView[]>;
}
export const Groups = service<GroupsService>('transforms.groups@1');

/** The kinds of run that are groups: they share the lanes of their tenant. */
export const GroupKinds = contributionPoint<string>('group.kind');
