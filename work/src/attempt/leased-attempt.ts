import type { Kernel, RunRecord, Tenant } from '@weir/kernel';
import { failures as anyFailures, type Failures } from '../failure/failures.ts';
import type { OpenedLog, RunLogWriters, WorkLog } from '../log/work-log.ts';
import { type Attempt, type RunInput, tenantOf } from './attempt.ts';
import { boundedAttempt } from './bounded-attempt.ts';
import { loggedAttempt } from './logged-attempt.ts';
import { uncountedAttempts } from './uncounted-attempts.ts';

/** What the runs of a plugin need in one worker process; a plugin adds its own to it. */
export interface WorkKit {
  kernel: Kernel;
  /** Where runs have their logs; nowhere unless given. */
  runLogs?: RunLogWriters;
  /** The plugin's translation of errors; that of every plugin unless given. */
  failures?: Failures;
}

/** A run that is carried out. */
export interface HeldRun {
  tenant: Tenant;
  run: RunRecord;
}

/** One attempt of a run, which holds the run's lease. */
export interface LeasedRun extends HeldRun {
  /** Its log names the run. */
  kernel: Kernel;
  /** An attempt that a newer one has overtaken fails at `kernel.runs.assertLease` with it. */
  leaseEpoch: number;
  signal: AbortSignal;
  log: WorkLog;
  /** Takes what the next heartbeat reports. */
  beat(details: object): void;
}

/** What the workflow engine gives an attempt; nothing without it. */
export type GivenAttempt = Partial<Omit<Attempt, 'log'>>;

interface AttemptMeans<Waits> {
  /** Takes the lease; without it no lane is waited for. */
  begin?(tenant: Tenant): Promise<{ leaseEpoch: number } | Waits | undefined>;
  /** The last attempt that made progress, 0 for none; without it attempts in a row without progress have no limit. */
  idle?(held: HeldRun): Promise<number>;
}

/**
 * One attempt: lease, log and limit of attempts around the work, whose result it gives. Undefined for a run that has ended;
 * for one that has to wait what `begin` answers.
 */
export async function leasedAttempt<R, Waits extends string = never>(
  { kernel, runLogs = NO_LOGS, failures = anyFailures() }: WorkKit,
  input: RunInput,
  given: GivenAttempt & AttemptMeans<Waits>,
  work: (given: LeasedRun) => Promise<R>,
): Promise<R | Waits | undefined> {
  const { signal = new AbortController().signal, told, beat = () => undefined, idle } = given;
  const { begin = (tenant) => kernel.runs.begin(tenant, input.run_id) } = given;
  // Before anything that may fail, so that what earlier attempts reported is reported again.
  const uncounted = idle && uncountedAttempts(told, beat);
  const tenant = await tenantOf(kernel, input);
  const lease = await begin(tenant);
  if (typeof lease !== 'object') return lease;
  const run = await kernel.runs.find(tenant, input.run_id);
  if (run === undefined) return undefined;
  const leased = { kernel, tenant, run, signal, beat: uncounted?.progress ?? beat, ...lease };
  // All that may fail for ever is within the limit: outside of it are the lease and the log, which need but the database.
  return loggedAttempt({ runLogs, failures, tenant, runId: run.runId, signal, ...lease }, (log) => {
    const carryOut = () => work({ ...leased, log });
    if (idle === undefined || uncounted === undefined) return carryOut();
    const lastProgress = () => idle({ tenant, run });
    return boundedAttempt({ failures, signal, uncounted, lastProgress, ...lease }, carryOut);
  });
}

/**
 * The lease of a run for its next step: a step whose first try this is keeps the attempt of the step before it, and one that is
 * tried again is a new attempt.
 */
export async function nextStep(
  { runs }: Pick<Kernel, 'runs'>,
  { tenant, runId, number }: { tenant: Tenant; runId: string; number: number | undefined },
): Promise<{ leaseEpoch: number } | undefined> {
  const run = number === 1 ? await runs.find(tenant, runId) : undefined;
  return run?.status === 'running' ? { leaseEpoch: run.leaseEpoch } : runs.begin(tenant, runId);
}

const NO_LOG: OpenedLog = { write: () => undefined, take: async () => undefined, close: async () => undefined };
/** Where runs have their logs that have none. */
export const NO_LOGS: RunLogWriters = { open: () => NO_LOG };
