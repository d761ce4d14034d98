import { ActivityCancellationType, proxyActivities } from '@temporalio/workflow';
import type { RunInput } from '../attempt/attempt.ts';
import type { Outcome } from '../failure/failure.ts';
import { activityNames, type RunDeclaration } from '../run-declaration.ts';
import { slotlessActivities } from './slotless-activities.ts';
import { untilDone } from './until-done.ts';
import { withOutcome } from './with-outcome.ts';

type Attempts = Record<string, (input: RunInput) => Promise<'done' | 'waits'>>;
type Ends = Record<string, (input: RunInput, outcome: Outcome) => Promise<void>>;

/**
 * The workflow of a kind of run: attempts, after pauses that grow, until the work is done or cannot be; then the run ends. Where
 * the kind has lanes, it waits for one.
 */
export function runWorkflow(run: RunDeclaration): (input: RunInput) => Promise<void> {
  const { lane, times } = run;
  const { maximumAttempts = Number.POSITIVE_INFINITY, ...limits } = times;
  const names = activityNames(run);
  const attempts = proxyActivities<Attempts>({
    ...limits,
    heartbeatTimeout: '20 seconds',
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '30 seconds', maximumAttempts },
  });
  const attempt = attempts[names.attempt] as Attempts[string];
  const end = slotlessActivities<Ends>()[names.end] as Ends[string];
  const carryOut = async (input: RunInput): Promise<void> => {
    if (lane === undefined) await attempt(input);
    else await untilDone(() => attempt(input), lane.missed);
  };
  return (input) =>
    withOutcome(
      () => carryOut(input),
      (outcome) => end(input, outcome),
    );
}
