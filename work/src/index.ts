/** Door of what carries out runs in a worker, whatever they do. */

export { type Attempt, attempt, type RunInput, tenantOf } from './attempt.ts';
export { type BegunChild, beginChild, type ChildProgram, sendTo } from './begin-child.ts';
export { type CopyTokens, copyTokens } from './copy-tokens.ts';
export { type Failure, type KeptFailure, type Outcome, RunFailed, recordOf } from './failure.ts';
export {
  type Failures,
  type FailureWords,
  failures,
  isDiskFull,
  problemFailure,
  WORK_FAILURES,
  type WorkFailureCode,
} from './failures.ts';
export { inParallel } from './in-parallel.ts';
export { beginInLane } from './lanes.ts';
export { type LoggedAttempt, logEnd, loggedAttempt } from './logged-attempt.ts';
export { type SpareChild, spareChild } from './spare-child.ts';
export { type UncountedAttempts, uncountedAttempts } from './uncounted-attempts.ts';
export { logLeft, type WorkFolders, workFolders } from './work-folders.ts';
export { failureLine, type RunLogWriters, type WorkLog, workLog } from './work-log.ts';
