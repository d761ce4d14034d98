import { type Static, Type } from '@sinclair/typebox';
import {
  CARRIERS,
  Closed,
  contributionPoint,
  EXAMPLE_ID,
  endpoint,
  FAILURE_ORIGINS,
  Id,
  idOf,
  kernelProblems,
  listQuery,
  Nullable,
  OneOf,
  Page,
  RUN_STATUSES,
  RunWorker,
  runFacts,
  runProblems,
  type Tenant,
  Timestamp,
} from '@weir/kernel/contract';
import { LOG_LINES, LOG_TEXT, RunLogDownloadQuery, RunLogPage, RunLogQuery } from '@weir/plugin-platform/contract';
import { cancelRuns, readRuns, reportRuns } from './access.ts';
import { reportProblems } from './problems.ts';

/** Seconds until a run fails that nobody ended, unless its creation says otherwise. */
export const DEFAULT_DEADLINE_SECONDS = 3_600;
const MAX_DEADLINE_SECONDS = 7 * 24 * 3_600;
const MAX_NAME_CHARS = 200;
const MAX_DETAIL_CHARS = 2_000;

/** The kind of runs that a service carries out and reports. */
export const EXTERNAL_RUN = 'external';

const Kind = Type.String({ pattern: '^[a-z][a-z0-9_-]{0,62}$', description: 'What is done, such as source-sync' });
const OrchestratorRunId = Type.String({
  minLength: 1,
  maxLength: MAX_NAME_CHARS,
  pattern: '^[!-~]+$',
  description: "The orchestrator's name of its run; printable ASCII without spaces",
});

/** What a run is about, by the name that people know. */
export const RunSubject = Type.Object({ kind: Type.String(), id: Id, name: Nullable(Type.String()) });

/** A run of any kind. */
export const Run = Type.Object({
  ...runFacts,
  kind: Kind,
  subject: RunSubject,
  carried_by: OneOf(CARRIERS, {
    description:
      'workflow: the platform does the work; caller: a service does and reports; parent: the run it is a part of',
  }),
  deadline: Nullable(Timestamp),
  parent_run_id: Nullable(Id),
  orchestrator_run_id: Nullable(OrchestratorRunId),
});
export type RunView = Static<typeof Run>;

/** Parts that a listed run shows; `parts_total` says how many it has. */
export const MAX_LISTED_PARTS = 20;

const { run_id, status, created_at, started_at, ended_at, failure, kind, subject } = Run.properties;

/** A run in a list, with the runs that do its work. */
export const ListedRun = Type.Object({
  ...Run.properties,
  parts: Type.Array(Type.Object({ run_id, kind, subject, status, created_at, started_at, ended_at, failure }), {
    description: `The first ${MAX_LISTED_PARTS} of the runs that are parts of this one, oldest first; empty without top`,
  }),
  parts_total: Type.Integer({ description: 'How many parts the run has; 0 without top' }),
});
export type ListedRunView = Static<typeof ListedRun>;

const params = Closed({ id: Type.String({ minLength: 1, description: 'Run id or workflow id' }) });
const reported = Closed({ id: idOf('run') });
const notReported = [
  ...[kernelProblems.notFound, reportProblems.runNotReported, reportProblems.runOfAnotherClient],
  reportProblems.orchestratorRunDiffers,
  ...[runProblems.runNotActive, runProblems.runPastDeadline],
];

/** `GET /runs` */
export const listRuns = endpoint({
  id: 'runs.list_runs',
  method: 'GET',
  path: '/runs',
  summary: 'List the runs of every kind, newest first',
  description:
    'With top, a run that is a part of another one is shown inside that one. That is the default, unless kind or parent_run_id says which runs are wanted.',
  access: readRuns,
  query: listQuery(['created_at'], {
    kind: Type.Optional({ ...Kind, description: 'Only runs of this kind, such as source-sync' }),
    status: Type.Optional(OneOf(RUN_STATUSES, { description: 'Only runs of this status' })),
    subject_id: Type.Optional({ ...Id, description: 'Only runs of this source, transform or other subject' }),
    parent_run_id: Type.Optional({ ...Id, description: 'Only the parts of this run' }),
    top: Type.Optional(
      Type.Boolean({
        description: 'true: only runs that are part of no other, with their parts inside; false: every run',
      }),
    ),
    orchestrator_run_id: Type.Optional({ ...OrchestratorRunId, description: 'Only runs of this orchestrator run' }),
    from: Type.Optional(Type.String({ format: 'date-time', description: 'Only runs created then or later' })),
    to: Type.Optional(Type.String({ format: 'date-time', description: 'Only runs created before' })),
  }),
  response: Page(ListedRun),
  errors: [kernelProblems.invalidPageToken],
  cli: {
    words: 'runs list',
    columns: ['created_at', 'kind', 'subject.name', 'status', 'ended_at', 'failure.code', 'run_id'],
  },
});

/** A proxy ends a connection that is silent for a minute. */
export const MAX_RUN_WAIT_SECONDS = 60;

/** `GET /runs/{id}` */
export const getRun = endpoint({
  id: 'runs.get_run',
  method: 'GET',
  path: '/runs/:id',
  summary: 'Read a run of any kind, and what the workflow engine says of its worker',
  description:
    'With wait, an open run is answered once it has ended, or as it is after so many seconds; a server that stops or has many waiting callers answers earlier.',
  access: readRuns,
  params,
  query: Closed({
    wait: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: MAX_RUN_WAIT_SECONDS,
        default: 0,
        description: 'How many seconds to wait for the end of the run',
      }),
    ),
  }),
  response: Type.Object({ ...Run.properties, worker: Nullable(RunWorker) }),
  errors: [kernelProblems.notFound],
  cli: 'runs get',
});

/** `POST /runs` */
export const createRun = endpoint({
  id: 'runs.create_run',
  method: 'POST',
  path: '/runs',
  summary: 'Create a run that the calling service carries out and reports',
  description:
    'The service then starts it and ends it with complete or fail; no other client may. A run that is not ended before its deadline fails. With parent_run_id it is a part of that run and ends with it.',
  access: reportRuns,
  body: Closed({
    orchestrator_run_id: OrchestratorRunId,
    subject_id: Id,
    parent_run_id: Type.Optional(Id),
    deadline_seconds: Type.Optional(
      Type.Integer({ minimum: 1, maximum: MAX_DEADLINE_SECONDS, default: DEFAULT_DEADLINE_SECONDS }),
    ),
  }),
  example: { orchestrator_run_id: 'nightly-2026-11-24', subject_id: EXAMPLE_ID, deadline_seconds: 3600 },
  status: 201,
  location: '/runs/:run_id',
  response: Run,
  errors: [reportProblems.orchestratorRunKnown, runProblems.parentEnded],
});

/** `POST /runs/{id}/start` */
export const startRun = endpoint({
  id: 'runs.start_run',
  method: 'POST',
  path: '/runs/:id/start',
  summary: 'Report that the work of a run has begun',
  description: 'Of a run that is running already nothing changes.',
  access: reportRuns,
  params: reported,
  body: Closed({ orchestrator_run_id: OrchestratorRunId }),
  example: { orchestrator_run_id: 'nightly-2026-11-24' },
  response: Run,
  errors: notReported,
});

/** `POST /runs/{id}/complete` */
export const completeRun = endpoint({
  id: 'runs.complete_run',
  method: 'POST',
  path: '/runs/:id/complete',
  summary: 'Report that the work of a run has succeeded, or was skipped',
  access: reportRuns,
  params: reported,
  body: Closed({
    orchestrator_run_id: OrchestratorRunId,
    status: Type.Optional(OneOf(['succeeded', 'skipped'], { default: 'succeeded' })),
  }),
  example: { orchestrator_run_id: 'nightly-2026-11-24', status: 'succeeded' },
  response: Run,
  errors: notReported,
});

/** `POST /runs/{id}/fail` */
export const failRun = endpoint({
  id: 'runs.fail_run',
  method: 'POST',
  path: '/runs/:id/fail',
  summary: 'Report that the work of a run has failed, and why',
  access: reportRuns,
  params: reported,
  body: Closed({
    orchestrator_run_id: OrchestratorRunId,
    code: Type.Optional(Type.String({ pattern: '^[a-z][a-z0-9_]{0,62}$', default: 'external_failure' })),
    detail: Type.String({ minLength: 1, maxLength: MAX_DETAIL_CHARS, description: 'For people; never a secret' }),
    hint: Type.Optional(Type.String({ minLength: 1, maxLength: MAX_DETAIL_CHARS })),
    origin: Type.Optional(OneOf(FAILURE_ORIGINS, { default: 'platform' })),
    retryable: Type.Optional(Type.Boolean({ default: false })),
  }),
  example: {
    orchestrator_run_id: 'nightly-2026-11-24',
    code: 'external_failure',
    detail: 'The model server did not answer',
    retryable: true,
  },
  response: Run,
  errors: notReported,
});

/** `POST /runs/{id}/cancel` */
export const cancelRun = endpoint({
  id: 'runs.cancel_run',
  method: 'POST',
  path: '/runs/:id/cancel',
  summary: 'Cancel a run of any kind',
  description:
    'cancelled: the run has ended, because no worker had it or a service carries it out. cancelling: its worker was asked to end it. Committed data stays.',
  access: cancelRuns,
  params,
  response: Type.Object({ run_id: Id, workflow_id: Type.String(), state: OneOf(['cancelling', 'cancelled']) }),
  status: 202,
  location: '/runs/:run_id',
  errors: [kernelProblems.notFound, runProblems.runNotActive, kernelProblems.dependencyUnavailable],
  cli: 'runs cancel',
});

/** `GET /runs/{id}/logs` (ours) */
export const readLog = endpoint({
  id: 'runs.read_log',
  method: 'GET',
  path: '/runs/:id/logs',
  summary: 'Read, search and follow the log of a run of any kind',
  description:
    'To follow a run, ask again with after and wait_seconds until ended is true. A long search answers in parts: a page may be empty and have a next_page_token all the same.',
  access: readRuns,
  params,
  query: RunLogQuery,
  response: RunLogPage,
  errors: [kernelProblems.notFound, kernelProblems.invalidPageToken, kernelProblems.dependencyUnavailable],
  cli: 'runs logs',
});

/** `GET /runs/{id}/logs/download` (ours) */
export const downloadLog = endpoint({
  id: 'runs.download_log',
  method: 'GET',
  path: '/runs/:id/logs/download',
  summary: 'Download the whole log of a run of any kind, as text or a JSON document a line',
  access: readRuns,
  params,
  query: RunLogDownloadQuery,
  produces: [LOG_TEXT, LOG_LINES],
  errors: [kernelProblems.notFound],
});

/** How a plugin names the subjects of its kinds of run. */
export interface RunSubjects {
  /** The noun of the subject, such as `source`. */
  subject: string;
  kinds: readonly string[];
  /** Whose ends are told where a run of these kinds consists of parts: its own alone unless it says `parts`. */
  speaks?: 'parts';
  /** The names of these subjects that the tenant has, by id. */
  names(tenant: Tenant, ids: readonly string[]): Promise<ReadonlyMap<string, string>>;
}

/** Where each domain names what its runs are about. */
export const RunSubjectNames = contributionPoint<RunSubjects>('run.subject');
