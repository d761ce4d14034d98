import type { Failure } from '../failure/failure.ts';

/** Give up after this many consecutive attempts without progress. With back-off this outlasts a service restart. */
export const MAX_IDLE_ATTEMPTS = 6;
/** And when the last of them ended with the connector saying that it broke by its own fault: time alone seldom mends that. */
export const MAX_OWN_FAULTS = 3;

/** What is enough when nothing will be different: the same fault twice, or attempts that took long in vain. */
export const MIN_ATTEMPTS = 2;
/** How long attempts without progress may keep a place from others, together, when the source is why; milliseconds. */
export const MAX_IDLE_MS = 600_000;

/** How far the attempts of a run have got. */
export interface Tries {
  /** Attempts so far. */
  attempts: number;
  /** The last of them that brought a stream forward; 0 when none has. */
  gotOnAt: number;
  /** Those that were no tries, by their numbers. */
  uncounted: readonly number[];
  /** The last of them ended by the very fault of the one before it. */
  isRepeated?: boolean;
  /** How long those behind the last progress took, together; milliseconds. */
  idleMs?: number;
}

/** Whether a run is given up whose last attempt ended so. An attempt that got on begins the count anew. Pure. */
export function isGivenUp(tries: Tries, failure: Pick<Failure, 'isOwnFault'> & Partial<Failure>): boolean {
  const { attempts, gotOnAt, uncounted, isRepeated = false, idleMs = 0 } = tries;
  const idle = attempts - gotOnAt - uncounted.filter((number) => number > gotOnAt).length;
  const isLong = failure.origin === 'source' && idleMs >= MAX_IDLE_MS;
  if (idle >= MIN_ATTEMPTS && (isRepeated || isLong)) return true;
  return idle >= (failure.isOwnFault ? MAX_OWN_FAULTS : MAX_IDLE_ATTEMPTS);
}

/** The failure of a run that is given up: that of its last attempt, and how many there were. Pure. */
export function givenUp(failure: Failure, { attempts, gotOnAt }: Tries): Failure {
  const idle = attempts - gotOnAt;
  const words =
    gotOnAt === 0 ? 'none of which committed anything new' : `the last ${idle} without a commit of anything new`;
  const detail = `${failure.detail} The run was given up after ${attempts} attempts, ${words}.`;
  return { ...failure, detail, isLast: true };
}
