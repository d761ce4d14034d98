import { startPulse } from '../pulse.ts';
import type { FromChild, ToChild } from './messages.ts';

const WATCH_INTERVAL_MS = 50;
const BYTES_PER_MIB = 1_048_576;

/**
 * Makes this process one that answers the question of `boundedChild`: it says that it lives, holds to its memory, and ends with its
 * parent. Work calls `seal` once it has its threads: it starts neither processes nor threads from then on, where that can be.
 */
export function answerParent<Question>(
  work: (question: Question, seal: () => Promise<void>) => Promise<unknown>,
  codeOf: (error: unknown) => string,
): void {
  const say = (message: FromChild, after?: () => void): void => {
    process.send?.(message, undefined, undefined, after);
  };
  // What still runs would go on without its parent.
  process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
  const sealed = Promise.withResolvers<void>();
  const seal = (): Promise<void> => {
    say({ seal: true });
    return sealed.promise;
  };
  process.on('message', (asked: ToChild) => {
    if ('sealed' in asked) return sealed.resolve();
    const { question, memoryMiB } = asked;
    startPulse(() => say({ pulse: true }));
    setInterval(() => {
      if (process.memoryUsage.rss() < memoryMiB * BYTES_PER_MIB) return;
      say({ code: 'out_of_memory' }, () => process.kill(process.pid, 'SIGKILL'));
    }, WATCH_INTERVAL_MS).unref();
    work(question as Question, seal).then(
      (answer) => say({ answer }),
      (error: unknown) => say({ code: codeOf(error) }),
    );
  });
}
