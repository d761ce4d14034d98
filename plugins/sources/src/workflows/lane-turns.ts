import { ApplicationFailure, sleep } from '@temporalio/workflow';

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

/**
 * Tries again and again, with ever longer waits, as long as the tenant has no lane free. Part of every version of the workflow of
 * a sync: what it does is changed by a new file.
 */
export async function untilDone(turn: () => Promise<'done' | 'waits'>): Promise<void> {
  for (let waits = 0; (await turn()) === 'waits'; waits += 1) {
    if (waits === MAX_WAITS)
      throw ApplicationFailure.create({ type: NO_LANE.code, nonRetryable: true, details: [NO_LANE] });
    await sleep(Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * WAIT_GROWTH ** waits));
  }
}
