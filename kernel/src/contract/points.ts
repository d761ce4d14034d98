import { type Static, Type } from '@sinclair/typebox';
import type { Tenant } from './caller.ts';
import { contributionPoint } from './contribution.ts';
import { type NextStepEntry, NextSteps } from './next-steps.ts';
import { Nullable, OneOf, type RunStatus } from './shapes.ts';

/** The transaction in which a run is made or changed; the kernel's `TenantTransaction` fits. */
interface RunTransaction {
  readonly tenant: Tenant;
  sql(text: string, params: unknown[]): Promise<{ rows: Record<string, unknown>[]; rowCount: number }>;
  /** Runs after the commit; a failure there is logged and changes nothing. */
  afterCommit(work: () => Promise<void>): void;
}

/** A part that requests need, by name; `check` answers within its own bound, and a throw means down. */
export interface HealthCheck {
  name: string;
  /** Without it the platform serves less, but is ready. */
  degrades?: true;
  check(): Promise<boolean>;
}

/** The parts that `/ready` and `/api/v1/services/health` ask. */
export const HealthChecks = contributionPoint<HealthCheck>('health.check');
export const CHECK_STATUSES = ['pass', 'warning', 'fail'] as const;

/** What a readiness check found; `items` name the things that are at fault, such as streams. */
export interface CheckOutcome {
  status: (typeof CHECK_STATUSES)[number];
  detail: string;
  hint?: string;
  /** Steps that help; `{subject_id}` is filled. */
  next?: readonly NextStepEntry[];
  items?: { id: string; name: string; code: string }[];
}

/** One condition that must hold before work on a subject may start. */
export interface ReadinessCheck {
  /** The kind of thing that is checked, such as `source`. */
  subject: string;
  /** Lower snake case, unique per subject. */
  check: string;
  title: string;
  /** Whether a failure refuses the start; otherwise it is told only. */
  blocks: boolean;
  /** A failure that refuses no start makes the subject unready all the same: what would start is known to fail. */
  withholds?: true;
  run(tenant: Tenant, subjectId: string): Promise<CheckOutcome>;
}

/** Where each domain lists the conditions for its own things and for those of others. */
export const ReadinessChecks = contributionPoint<ReadinessCheck>('readiness.check');

/** The answer of a readiness route: every check of a subject; `ready` when none that blocks or withholds has failed. */
export const Readiness = Type.Object({
  subject: Type.String(),
  subject_id: Type.String(),
  ready: Type.Boolean(),
  checks: Type.Array(
    Type.Object({
      check: Type.String(),
      title: Type.String(),
      status: OneOf(CHECK_STATUSES),
      blocks: Type.Boolean(),
      detail: Type.String(),
      hint: Nullable(Type.String()),
      next: NextSteps,
      items: Type.Array(Type.Object({ id: Type.String(), name: Type.String(), code: Type.String() })),
    }),
  ),
});
export type ReadinessView = Static<typeof Readiness>;

/** Refuses a new run by throwing a problem, in the transaction that would make it. */
export type AdmitRun = (
  tx: RunTransaction,
  run: { kind: string; subjectId: string; requestedBy: string },
) => Promise<void>;

/** The gates that every new run passes; a part that its whole carries out has passed with it. */
export const RunAdmission = contributionPoint<AdmitRun>('run.admission');

/** Told of every change of a run, in the transaction that makes it. */
export type RunChanged = (
  tx: RunTransaction,
  run: { run_id: string; kind: string; subject_id: string; status: RunStatus },
) => Promise<void>;

/** Who is told when a run begins to wait, to run, or has ended. */
export const RunChanges = contributionPoint<RunChanged>('run.changed');

/** Removes what a plugin keeps of runs that are deleted, in the transaction that deletes their rows. */
export type RunsDropped = (tx: RunTransaction, runIds: readonly string[]) => Promise<void>;

/** Who keeps something of runs beside their rows. */
export const RunDrops = contributionPoint<RunsDropped>('run.dropped');

/** Told when an activity starts, with how long it waited, and when it ends, with how long it took, in seconds. */
export type ActivityWatch = (queue: string, seconds: number, outcome?: 'succeeded' | 'failed' | 'cancelled') => void;
/** Who is told of the activities of a worker process. */
export const ActivityWatches = contributionPoint<ActivityWatch>('activity.watch');
