import type { Kernel, Tenant } from '@weir/kernel';
import { type Failure, RunFailed, recordOf } from '../failure/failure.ts';
import { type Failures, WORK_FAILURES } from '../failure/failures.ts';
import type { SubjectKey } from '../run-declaration.ts';

/** All that a workflow is given that carries out a run. */
export interface RunInput {
  tenant_id: string;
  run_id: string;
}

/** Loaded by the first attempt: the API and the processes of attempts have this door too, and no attempts of their own. */
const loadEngine = () => import('@temporalio/activity');
type Engine = Awaited<ReturnType<typeof loadEngine>>;

/** A cancellation arrives with the answer to a heartbeat, so this is also how long one may go unnoticed. */
const HEARTBEAT_EVERY_MS = 1_000;

/** What an attempt is given: when to stop, how to report progress, and a log whose lines name run and workflow. */
export interface Attempt {
  /** From 1. */
  number: number;
  signal: AbortSignal;
  /** What the attempt before this one reported last; undefined when none did. */
  told: unknown;
  beat(details: unknown): void;
  log: Log;
}

type Log = Kernel['log'];

/** What every line of a run says beside its ids, such as the source that it reads. */
export type LogKeysOf<Input = RunInput> = (input: Input) => Promise<Record<string, string | undefined>>;

/** What an attempt needs of its worker. */
export interface AttemptKit<Input> {
  log: Log;
  failures: Failures;
  keysOf?: LogKeysOf<Input> | undefined;
}

/** The keys of a run from its row: its subject and the orchestrator run that it is part of. */
export function runKeys({ tenants, runs }: Pick<Kernel, 'tenants' | 'runs'>, subject?: SubjectKey): LogKeysOf {
  return async ({ tenant_id: tenantId, run_id: runId }) => {
    const tenant = await tenants.byId(tenantId);
    const run = tenant && (await runs.find(tenant, runId));
    const own = subject === undefined ? {} : { [subject]: run?.subjectId };
    return { ...own, orchestrator_run_id: run?.orchestratorRunId };
  };
}

/**
 * Carries out one attempt with heartbeats, at a run or at whatever the ids of the input name. What fails becomes an `ApplicationFailure` that says whether a retry can
 * help and carries the run's failure; a stopping worker hands the attempt back.
 */
export async function attempt<T, Input extends { tenant_id: string }>(
  { log: base, failures, keysOf = async () => ({}) }: AttemptKit<Input>,
  input: Input,
  work: (given: Attempt) => Promise<T>,
): Promise<T> {
  const engine = await loadEngine();
  const context = engine.Context.current();
  const { workflowExecution, attempt: number, heartbeatDetails: told } = context.info;
  let details: unknown;
  const timer = setInterval(() => context.heartbeat(details), HEARTBEAT_EVERY_MS);
  // Whether the run can be read is found out by its work.
  const keys = await keysOf(input).catch(() => ({}));
  const { tenant_id: _, ...named } = input;
  const ids = { ...named, workflow_id: workflowExecution?.workflowId, attempt: number };
  const log = base.child({ ...ids, ...keys });
  log.info('attempt started');
  try {
    const beat = (latest: unknown) => {
      details = latest;
    };
    const result = await work({ number, signal: context.cancellationSignal, told, beat, log });
    log.info('attempt ended');
    return result;
  } catch (error) {
    // The last word reaches the engine with the failure, so that the next attempt is given it.
    context.heartbeat(details);
    const { cancellationSignal: signal } = context;
    if (signal.aborted) throw cancelledOrHandedBack(engine, signal.reason, failures);
    const failure = failures.of(error);
    log.warn({ code: failure.code, err: error }, 'attempt failed');
    throw applicationFailure(engine, failure);
  } finally {
    clearInterval(timer);
  }
}

function applicationFailure({ ApplicationFailure }: Engine, failure: Failure): Error {
  return ApplicationFailure.create({
    type: failure.code,
    message: failure.detail,
    nonRetryable: failure.isLast === true || !failure.retryable,
    details: [recordOf(failure)],
  });
}

const SHUTDOWN_REASON = 'WORKER_SHUTDOWN';

function cancelledOrHandedBack(engine: Engine, reason: unknown, failures: Failures): Error {
  if (reason instanceof Error && reason.message === SHUTDOWN_REASON) {
    return applicationFailure(engine, failures.known('worker_stopping'));
  }
  const { CancelledFailure } = engine;
  return reason instanceof CancelledFailure ? reason : new CancelledFailure('the run was cancelled');
}

/** The tenant of a run. Throws `RunFailed` when there is none of that id any more. */
export async function tenantOf(
  kernel: Pick<Kernel, 'tenants'>,
  { tenant_id: tenantId }: Pick<RunInput, 'tenant_id'>,
): Promise<Tenant> {
  const tenant = await kernel.tenants.byId(tenantId);
  if (tenant === undefined) throw new RunFailed({ code: 'run_failed', ...WORK_FAILURES.run_failed, retryable: false });
  return tenant;
}
