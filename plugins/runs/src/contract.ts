export { reportProblems } from './contract/problems.ts';
export {
  cancelRun,
  completeRun,
  createRun,
  DEFAULT_DEADLINE_SECONDS,
  downloadLog,
  EXTERNAL_RUN,
  failRun,
  getRun,
  type ListedRunView,
  listRuns,
  MAX_LISTED_PARTS,
  RunSubjectNames,
  type RunSubjects,
  type RunView,
  readLog,
  startRun,
} from './contract/runs.ts';
