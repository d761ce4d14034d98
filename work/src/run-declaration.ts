import type { ActivityOptions } from '@temporalio/workflow';
import type { RunKind } from '@weir/kernel';
import type { KeptFailure } from './failure/failure.ts';

/** How long attempts may take, one and all together, and how many there are; without a number they decide: see `idle` of `run`. */
export type RunTimes = Required<Pick<ActivityOptions, 'startToCloseTimeout'>> &
  Pick<ActivityOptions, 'scheduleToCloseTimeout'> & { maximumAttempts?: number };

/** The lane that an attempt waits for. */
export interface Lane {
  /** The setting that says how many runs of the kind a tenant may have at once; 0 for any number. */
  setting: string;
  /** The failure of a run that has waited for more than a day. */
  missed: KeptFailure;
}

/** The key under which the lines of a run name its subject. */
export type SubjectKey = `${string}_id`;

/**
 * A kind of run as data, which the API, its workflow and its activities share. Without `lane` an attempt waits for none: these
 * runs have no limit, or are part of a run that has one.
 */
export type RunDeclaration = RunKind & {
  workflowType: string;
  role: string;
  times: RunTimes;
  lane?: Lane;
  subject?: SubjectKey;
};

/** The names of the activities of a kind of run: of one attempt, and of the end. */
export function activityNames({ workflowType }: Pick<RunDeclaration, 'workflowType'>) {
  const name = workflowType.replace(/Workflow$/, '');
  return { attempt: `attempt${name}`, end: `end${name}` };
}
