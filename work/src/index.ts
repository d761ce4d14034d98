/** Door of what carries out runs in a worker, whatever they do. */

export { type Attempt, attempt, type LogKeysOf, type RunInput, runKeys, tenantOf } from './attempt/attempt.ts';
export { type BoundedAttempt, boundedAttempt } from './attempt/bounded-attempt.ts';
export { givenUp, isGivenUp } from './attempt/give-up.ts';
export { beginInLane } from './attempt/lanes.ts';
export { type LeasedRun, leasedAttempt, NO_LOGS, nextStep, type WorkKit } from './attempt/leased-attempt.ts';
export { type LoggedAttempt, logEnd, loggedAttempt } from './attempt/logged-attempt.ts';
export { type Run, type RunWork, run } from './attempt/run.ts';
export { type UncountedAttempts, uncountedAttempts } from './attempt/uncounted-attempts.ts';
export { blockingCheck, type StartCheck } from './blocking-check.ts';
export { type BegunChild, beginChild, type ChildProgram, sendTo } from './child/begin-child.ts';
export { type SpareChild, spareChild, withChild } from './child/spare-child.ts';
export { type CopyTokens, copyTokens } from './copy-tokens.ts';
export { type Ending, type Failure, type KeptFailure, type Outcome, RunFailed, recordOf } from './failure/failure.ts';
export { type FailureEntry, failurePages, workProblems } from './failure/failure-pages.ts';
export {
  type Failures,
  type FailureWords,
  failures,
  isDiskFull,
  problemFailure,
  WORK_FAILURES,
  type WorkFailureCode,
} from './failure/failures.ts';
export { inParallel } from './in-parallel.ts';
export { failureLine, type RunLogWriters, type WorkLog, workLog } from './log/work-log.ts';
export { activityNames, type RunDeclaration } from './run-declaration.ts';
export { logLeft, sweepFolders, type WorkFolders, workFolders } from './work-folders.ts';
export { workerDoor, workflowsBeside } from './worker-door.ts';
