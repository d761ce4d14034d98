import { startPulse } from '../pulse.ts';
import type { FromChild, ToChild } from './messages.ts';

const WATCH_INTERVAL_MS = 50;
const BYTES_PER_MIB = 1_048_576;

/** Makes this process one that answers the question of `boundedChild`: it says that it lives, holds to its memory, and ends with its parent. */
export function answerParent<Question>(
  work: (question: Question) => Promise<unknown>,
  codeOf: (error: unknown) => string,
): void {
  const say = (message: FromChild, after?: () => void): void => {
    process.send?.(message, undefined, undefined, after);
  };
  // What still runs would go on without its parent.
  process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
  process.once('message', ({ question, memoryMiB }: ToChild) => {
    startPulse(() => say({ pulse: true }));
    setInterval(() => {
      if (process.memoryUsage.rss() < memoryMiB * BYTES_PER_MIB) return;
      say({ code: 'out_of_memory' }, () => process.kill(process.pid, 'SIGKILL'));
    }, WATCH_INTERVAL_MS).unref();
    work(question as Question).then(
      (answer) => say({ answer }),
      (error: unknown) => say({ code: codeOf(error) }),
    );
  });
}
