import { ApplicationFailure, CancelledFailure, Context } from '@temporalio/activity';
import type { Kernel, Tenant } from '@weir/kernel';
import { type Failure, RunFailed, recordOf, sourceFailure } from './sync/failure.ts';
import { failureOf } from './sync/failure-of.ts';

/** All that a workflow of this plugin is given. */
export interface RunInput {
  tenant_id: string;
  run_id: string;
}

/** A cancellation arrives with the answer to a heartbeat, so this is also how long one may go unnoticed. */
const HEARTBEAT_EVERY_MS = 1_000;

/** What an attempt is given: when to stop, how to show that it goes on, and a log whose lines name run and workflow. */
export interface Attempt {
  signal: AbortSignal;
  /** What the attempt before this one told last; undefined when there was none that did. */
  told: unknown;
  beat(details: unknown): void;
  log: Log;
}

type Log = Kernel['log'];

/**
 * Carries out one attempt with heartbeats. What fails becomes an `ApplicationFailure` that says whether a retry can
 * help and carries the run's failure; a stopping worker hands the attempt back.
 */
export async function attempt<T>(base: Log, input: RunInput, work: (given: Attempt) => Promise<T>): Promise<T> {
  const context = Context.current();
  const { workflowExecution, attempt: number, heartbeatDetails: told } = context.info;
  const log = base.child({ run_id: input.run_id, workflow_id: workflowExecution?.workflowId, attempt: number });
  log.info('attempt started');
  let details: unknown;
  const timer = setInterval(() => context.heartbeat(details), HEARTBEAT_EVERY_MS);
  try {
    const beat = (latest: unknown) => {
      details = latest;
    };
    const result = await work({ signal: context.cancellationSignal, told, beat, log });
    log.info('attempt ended');
    return result;
  } catch (error) {
    // The last word reaches the engine with the failure, so that the next attempt is given it.
    context.heartbeat(details);
    if (context.cancellationSignal.aborted) throw cancelledOrHandedBack(context.cancellationSignal.reason);
    const failure = failureOf(error);
    log.warn({ code: failure.code, err: error }, 'attempt failed');
    throw applicationFailure(failure);
  } finally {
    clearInterval(timer);
  }
}

function applicationFailure(failure: Failure): ApplicationFailure {
  return ApplicationFailure.create({
    type: failure.code,
    message: failure.detail,
    nonRetryable: failure.isLast === true || !failure.retryable,
    details: [recordOf(failure)],
  });
}

const SHUTDOWN_REASON = 'WORKER_SHUTDOWN';

function cancelledOrHandedBack(reason: unknown): Error {
  if (reason instanceof Error && reason.message === SHUTDOWN_REASON) {
    return applicationFailure(sourceFailure('worker_stopping'));
  }
  return reason instanceof CancelledFailure ? reason : new CancelledFailure('the run was cancelled');
}

/** The tenant of a run. Throws `RunFailed` when there is none of that id any more. */
export async function tenantOf(
  kernel: Pick<Kernel, 'tenants'>,
  { tenant_id: tenantId }: Pick<RunInput, 'tenant_id'>,
): Promise<Tenant> {
  const tenant = await kernel.tenants.byId(tenantId);
  if (tenant === undefined) throw new RunFailed({ ...sourceFailure('run_failed'), retryable: false });
  return tenant;
}
