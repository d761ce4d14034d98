import { ActivityCancellationType, ApplicationFailure, proxyActivities, sleep } from '@temporalio/workflow';
import type { SourceActivities } from '../activities.ts';
import type { RunInput } from '../attempt.ts';
import { withOutcome } from './run-outcome.ts';

const { readAndLoad } = proxyActivities<SourceActivities>({
  // Longer than a connector may take all in all: one that takes longer is ended by its own deadline, with its code.
  startToCloseTimeout: '6 days',
  heartbeatTimeout: '20 seconds',
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '30 seconds', maximumAttempts: 6 },
});

const { endSync } = proxyActivities<SourceActivities>({
  // By this alone it is noticed that the worker was lost meanwhile; a moment's work, and a run that ends within a minute.
  startToCloseTimeout: '20 seconds',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '30 seconds' },
});

const FIRST_WAIT_MS = 1_000;
const MAX_WAIT_MS = 30_000;
/** Each wait is so much longer than the one before: a turn is missed by no more than a part of what was waited. */
const WAIT_GROWTH = 1.2;
/** A day at the longest wait: what waits for longer would outgrow its history. */
const MAX_WAITS = 2_900;

/** What a run shows that got no turn. */
const NO_LANE = {
  code: 'no_lane',
  origin: 'platform',
  retryable: true,
  detail: 'Other syncs of the tenant had all of its lanes for more than a day.',
  hint: 'End or cancel some of them, or have WEIR_SYNC_LANES_PER_TENANT raised, then start it again.',
} as const;

/** One sync of a source: waits for its turn, then attempts until it is loaded or cannot be, then the run ends. */
export async function SourceSyncWorkflow(input: RunInput): Promise<void> {
  await withOutcome(
    () => untilDone(() => readAndLoad(input)),
    (outcome) => endSync(input, outcome),
  );
}

/** Tries again and again, with ever longer waits, as long as the tenant has no lane free. */
async function untilDone(turn: () => Promise<'done' | 'waits'>): Promise<void> {
  for (let waits = 0; (await turn()) === 'waits'; waits += 1) {
    if (waits === MAX_WAITS)
      throw ApplicationFailure.create({ type: NO_LANE.code, nonRetryable: true, details: [NO_LANE] });
    await sleep(Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * WAIT_GROWTH ** waits));
  }
}
