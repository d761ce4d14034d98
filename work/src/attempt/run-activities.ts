import type { Outcome } from '../failure/failure.ts';
import { type Attempt, attempt, type RunInput, runKeys, tenantOf } from './attempt.ts';
import { fullKit, type LeasedRun, leasedAttempt, type WorkKit } from './leased-attempt.ts';
import { logEnd } from './logged-attempt.ts';

/** The work of one attempt of a run: all that a domain brings. */
export type RunWork = (given: LeasedRun & Pick<Attempt, 'beat' | 'told'>) => Promise<void>;

/** The activities of a kind of run: one carries out an attempt, the other ends the run. */
export function runActivities(given: WorkKit) {
  const kit = fullKit(given);
  const { kernel, failures, subject } = kit;
  const attempting = { log: kernel.log, failures, keysOf: runKeys(kernel, subject) };
  return {
    /** The activity that carries out one attempt by `work`; a run that has ended stays as it is. */
    attempt:
      (work: RunWork) =>
      (input: RunInput): Promise<void> =>
        attempt(attempting, input, async ({ signal, log, beat, told }) => {
          const tenant = await tenantOf(kernel, input);
          const logged = { ...kit, kernel: { ...kernel, log } };
          await leasedAttempt(logged, tenant, { runId: input.run_id, signal }, (run) => work({ ...run, beat, told }));
        }),

    /** The activity that makes a run terminal; one that has ended stays as it is. */
    end: async (input: RunInput, outcome: Outcome): Promise<void> => {
      const tenant = await tenantOf(kernel, input);
      await logEnd(kit, tenant, input.run_id, outcome);
      await kernel.runs.finish(tenant, input.run_id, outcome);
    },
  };
}
