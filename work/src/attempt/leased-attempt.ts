import type { Kernel, RunRecord, Tenant } from '@weir/kernel';
import { failures as anyFailures, type Failures } from '../failure/failures.ts';
import type { OpenedLog, RunLogWriters, WorkLog } from '../log/work-log.ts';
import type { SubjectKey } from './attempt.ts';
import { loggedAttempt } from './logged-attempt.ts';

/** What carries out the runs of a plugin. */
export interface WorkKit {
  kernel: Kernel;
  /** Where runs have their logs; nowhere unless given. */
  runLogs?: RunLogWriters;
  /** The plugin's translation of errors; that of every plugin unless given. */
  failures?: Failures;
  /** What the subject of the runs is called in the log; not named unless given. */
  subject?: SubjectKey;
}

/** One attempt of a run, which holds the run's lease. */
export interface LeasedRun {
  kernel: Kernel;
  tenant: Tenant;
  run: RunRecord;
  /** An attempt that a newer one has overtaken fails at `kernel.runs.assertLease` with it. */
  leaseEpoch: number;
  signal: AbortSignal;
  log: WorkLog;
}

const NO_LOG: OpenedLog = { write: () => undefined, take: async () => undefined, close: async () => undefined };
const NO_LOGS: RunLogWriters = { open: () => NO_LOG };

type FullKit = WorkKit & Required<Pick<WorkKit, 'runLogs' | 'failures'>>;

/** The kit with what it has unless given. */
export function fullKit({ runLogs = NO_LOGS, failures = anyFailures(), ...kit }: WorkKit): FullKit {
  return { ...kit, runLogs, failures };
}

/** Takes the lease of a run and does the work of one attempt; undefined for a run that has ended. */
export async function leasedAttempt<R>(
  kit: WorkKit,
  tenant: Tenant,
  { runId, signal }: { runId: string; signal: AbortSignal },
  work: (given: LeasedRun) => Promise<R>,
): Promise<R | undefined> {
  const { kernel, runLogs, failures } = fullKit(kit);
  const lease = await kernel.runs.begin(tenant, runId);
  const run = lease && (await kernel.runs.find(tenant, runId));
  if (lease === undefined || run === undefined) return undefined;
  const logged = { runLogs, failures, tenant, runId, signal, ...lease };
  return loggedAttempt(logged, (log) => work({ kernel, tenant, run, signal, log, ...lease }));
}
