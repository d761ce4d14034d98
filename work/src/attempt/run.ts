import type { Kernel, Tenant } from '@weir/kernel';
import type { Outcome } from '../failure/failure.ts';
import { failures as anyFailures } from '../failure/failures.ts';
import { activityNames, type RunDeclaration } from '../run-declaration.ts';
import { attempt, type LogKeysOf, type RunInput, runKeys, tenantOf } from './attempt.ts';
import { beginInLane } from './lanes.ts';
import {
  type GivenAttempt,
  type HeldRun,
  type LeasedRun,
  leasedAttempt,
  NO_LOGS,
  type WorkKit,
} from './leased-attempt.ts';
import { logEnd } from './logged-attempt.ts';

/** The work of one attempt of a run: all that a domain has to bring. It may be carried out more than once. */
export type RunWork<Kit extends WorkKit = WorkKit> = (given: LeasedRun, kit: Kit) => Promise<void>;

/** What else a kind of run may bring. */
export interface RunMeans<Kit extends WorkKit> {
  /** The last attempt that made progress, 0 for none. With it a run is given up after some attempts in a row without. */
  idle?(held: HeldRun, kit: Kit): Promise<number>;
  /** Makes the run terminal and logs it; without it nothing else belongs to the end. */
  end?(kit: Kit, ended: { tenant: Tenant; runId: string; outcome: Outcome }): Promise<void>;
  /** What lines of the log name, where the subject of the run does not say it. */
  keysOf?(kit: Kit): LogKeysOf;
}

/** A kind of run that can be carried out. */
export interface Run<Kit extends WorkKit = WorkKit> {
  declared: RunDeclaration;
  /** One attempt. `waits` when the tenant has no lane free for it; a run that has ended stays as it is. */
  attempt(kit: Kit, input: RunInput, given?: GivenAttempt): Promise<'done' | 'waits'>;
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
    const begin = (tenant: Tenant) => beginDeclared(kit.kernel, tenant, input.run_id, declared);
    const means = { begin, ...(idle && { idle: (run: HeldRun) => idle(run, kit) }) };
    const ended = await leasedAttempt(kit, input, { ...given, ...means }, (leased) => work(leased, kit));
    return ended === 'waits' ? 'waits' : 'done';
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
function beginDeclared(kernel: Kernel, tenant: Tenant, runId: string, { kind, lane }: RunDeclaration) {
  if (lane === undefined) return kernel.runs.begin(tenant, runId);
  const lanes = Number(kernel.settings[lane.setting as never]);
  if (!Number.isInteger(lanes)) throw new Error(`the setting ${lane.setting} is missing`);
  return beginInLane(kernel, tenant, { runId, kinds: [kind], lanes });
}

/** The end of a run to which nothing else belongs: its last line, then its status. */
async function endPlainly(
  { kernel, runLogs = NO_LOGS }: WorkKit,
  { tenant, runId, outcome }: { tenant: Tenant; runId: string; outcome: Outcome },
): Promise<void> {
  await logEnd({ kernel, runLogs }, tenant, runId, outcome);
  await kernel.runs.finish(tenant, runId, outcome);
}
