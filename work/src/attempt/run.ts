import type { Kernel, RunRecord, Tenant } from '@weir/kernel';
import type { Outcome } from '../failure/failure.ts';
import { failures as anyFailures, type Failures } from '../failure/failures.ts';
import type { OpenedLog, RunLogWriters, WorkLog } from '../log/work-log.ts';
import { activityNames, type RunDeclaration } from '../run-declaration.ts';
import { type Attempt, attempt, type LogKeysOf, type RunInput, runKeys, tenantOf } from './attempt.ts';
import { boundedAttempt } from './bounded-attempt.ts';
import { beginInLane } from './lanes.ts';
import { logEnd, loggedAttempt } from './logged-attempt.ts';
import { uncountedAttempts } from './uncounted-attempts.ts';

/** What the runs of a plugin need in one worker process; a plugin adds its own to it. */
export interface WorkKit {
  kernel: Kernel;
  /** Where runs have their logs; nowhere unless given. */
  runLogs?: RunLogWriters;
  /** The plugin's translation of errors; that of every plugin unless given. */
  failures?: Failures;
}

/** One attempt of a run, which holds the run's lease. */
export interface LeasedRun {
  /** Its log names the run. */
  kernel: Kernel;
  tenant: Tenant;
  run: RunRecord;
  /** An attempt that a newer one has overtaken fails at `kernel.runs.assertLease` with it. */
  leaseEpoch: number;
  signal: AbortSignal;
  log: WorkLog;
  /** Takes what the next heartbeat reports. */
  beat(details: object): void;
}

/** The work of one attempt of a run: all that a domain has to bring. It may be carried out more than once. */
export type RunWork<Kit extends WorkKit = WorkKit> = (given: LeasedRun, kit: Kit) => Promise<void>;

/** What else a kind of run may bring. */
export interface RunMeans<Kit extends WorkKit> {
  /** The last attempt that made progress, 0 for none. With it a run is given up after some attempts in a row without. */
  idle?(given: Pick<LeasedRun, 'tenant' | 'run'>, kit: Kit): Promise<number>;
  /** Makes the run terminal and logs it; without it nothing else belongs to the end. */
  end?(kit: Kit, ended: { tenant: Tenant; runId: string; outcome: Outcome }): Promise<void>;
  /** What lines of the log name, where the subject of the run does not say it. */
  keysOf?(kit: Kit): LogKeysOf;
}

/** A kind of run that can be carried out. */
export interface Run<Kit extends WorkKit = WorkKit> {
  declared: RunDeclaration;
  /** One attempt. `waits` when the tenant has no lane free for it; a run that has ended stays as it is. */
  attempt(kit: Kit, input: RunInput, given?: Partial<Omit<Attempt, 'log'>>): Promise<'done' | 'waits'>;
  /** Makes the run terminal; one that has ended stays as it is. */
  end(kit: Kit, input: RunInput, outcome: Outcome): Promise<void>;
  /** Both as a worker carries them out. */
  activities(kit: Kit): Record<string, (input: RunInput, outcome: Outcome) => Promise<unknown>>;
}

/** A kind of run: lease, lane, log and limit of attempts around the work of a domain. */
export function run<Kit extends WorkKit = WorkKit>(
  declared: RunDeclaration,
  work: RunWork<Kit>,
  means: RunMeans<Kit> = {},
): Run<Kit> {
  const { idle, end = endPlainly, keysOf = (kit) => runKeys(kit.kernel, declared.subject) } = means;
  const names = activityNames(declared);

  const attemptOnce: Run<Kit>['attempt'] = async (kit, input, given = {}) => {
    const { signal = new AbortController().signal, told, beat = () => undefined } = given;
    const { kernel, runLogs = NO_LOGS, failures = anyFailures() } = kit;
    // Before anything that may fail, so that what earlier attempts reported is reported again.
    const uncounted = idle && uncountedAttempts(told, beat);
    const tenant = await tenantOf(kernel, input);
    const lease = await begin(kernel, tenant, input.run_id, declared);
    if (lease === 'waits') return 'waits';
    const run = lease && (await kernel.runs.find(tenant, input.run_id));
    if (lease === undefined || run === undefined) return 'done';
    const leased = { kernel, tenant, run, signal, beat: uncounted?.progress ?? beat, ...lease };
    // All that may fail for ever is within the limit: outside of it are the lease and the log, which need but the database.
    await loggedAttempt({ runLogs, failures, tenant, runId: run.runId, signal, ...lease }, (log) => {
      const carryOut = () => work({ ...leased, log }, kit);
      if (idle === undefined || uncounted === undefined) return carryOut();
      const lastProgress = () => idle({ tenant, run }, kit);
      return boundedAttempt({ failures, signal, uncounted, lastProgress, ...lease }, carryOut);
    });
    return 'done';
  };

  const endOnce: Run<Kit>['end'] = async (kit, input, outcome) =>
    end(kit, { tenant: await tenantOf(kit.kernel, input), runId: input.run_id, outcome });

  return {
    declared,
    attempt: attemptOnce,
    end: endOnce,
    activities(kit) {
      const { kernel, failures = anyFailures() } = kit;
      const attempting = { log: kernel.log, failures, keysOf: keysOf(kit) };
      return {
        [names.attempt]: (input) =>
          attempt(attempting, input, ({ log, ...given }) =>
            attemptOnce({ ...kit, kernel: { ...kernel, log } }, input, given),
          ),
        [names.end]: (input, outcome) => endOnce(kit, input, outcome),
      };
    },
  };
}

/** Takes the lease, in a lane where the kind of run has lanes. */
function begin(kernel: Kernel, tenant: Tenant, runId: string, { kind, lane }: RunDeclaration) {
  if (lane === undefined) return kernel.runs.begin(tenant, runId);
  const lanes = Number(kernel.settings[lane.setting as never]);
  if (!Number.isInteger(lanes)) throw new Error(`the setting ${lane.setting} is missing`);
  return beginInLane(kernel, tenant, { runId, kind, lanes });
}

/** The end of a run to which nothing else belongs: its last line, then its status. */
async function endPlainly(
  { kernel, runLogs = NO_LOGS }: WorkKit,
  { tenant, runId, outcome }: { tenant: Tenant; runId: string; outcome: Outcome },
): Promise<void> {
  await logEnd({ kernel, runLogs }, tenant, runId, outcome);
  await kernel.runs.finish(tenant, runId, outcome);
}

const NO_LOG: OpenedLog = { write: () => undefined, take: async () => undefined, close: async () => undefined };
const NO_LOGS: RunLogWriters = { open: () => NO_LOG };
