import { ApplicationFailure, sleep } from '@temporalio/workflow';
import type { KeptFailure } from '../failure/failure.ts';

const FIRST_WAIT_MS = 1_000;
const MAX_WAIT_MS = 30_000;
/** Each wait is so much longer than the one before: a turn is missed by no more than a part of what was waited. */
const WAIT_GROWTH = 1.2;
/** A day at the longest wait: what waits for longer would outgrow its history. */
const MAX_WAITS = 2_900;

/** Takes turns with ever longer waits until one does not wait; fails with `noTurn` after more than a day of waits. */
export async function untilDone(turn: () => Promise<'done' | 'waits'>, noTurn: KeptFailure): Promise<void> {
  for (let waits = 0; (await turn()) === 'waits'; waits += 1) {
    if (waits === MAX_WAITS)
      throw ApplicationFailure.create({ type: noTurn.code, nonRetryable: true, details: [noTurn] });
    await sleep(Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * WAIT_GROWTH ** waits));
  }
}
