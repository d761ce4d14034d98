import type { RunFailureRecord } from '@weir/kernel';
import { problem } from '@weir/kernel/contract';
import { type FailureWords, WORK_FAILURES } from './failures.ts';

type Origin = RunFailureRecord['origin'];

const STATUS: Readonly<Record<Origin, number>> = {
  config: 422,
  data: 422,
  source: 502,
  destination: 502,
  platform: 503,
};
/** The cause of a failure, and who acts. */
const CAUSES: Readonly<Record<Origin, string>> = {
  config: 'the configuration, which its author corrects',
  data: 'the rows or a rule over them, which their owner corrects',
  source: 'the source, whose owner acts',
  destination: 'the tables or their store, whose operator acts',
  platform: 'the platform, whose operator acts',
};

/** What a page says of a failure; `retryable` where it is the same each time. */
export type FailureEntry = Omit<FailureWords, 'retryable' | 'hint'> & { retryable?: boolean; hint: string };

/** Codes of failed runs as catalogue entries, so that each has its page. */
export function failurePages<Code extends string>(table: Readonly<Record<Code, FailureEntry>>) {
  const pages = Object.entries<FailureEntry>(table).map(([code, { origin, retryable, detail, hint, next }]) => {
    const retry = retryable === undefined ? '' : retryable ? ' A retry can help.' : ' A retry fails the same way.';
    const words = `${detail} Cause: ${CAUSES[origin]}.${retry}`;
    const steps = next === undefined ? {} : { next };
    return [
      code,
      problem({ code, status: STATUS[origin], title: titleOf(code), detail: words, hint, ...steps }),
    ] as const;
  });
  return Object.fromEntries(pages) as Record<Code, ReturnType<typeof problem>>;
}

/** The codes that any run can fail with. A plugin with other words for them has the same pages. */
export const workProblems = failurePages(WORK_FAILURES);

function titleOf(code: string): string {
  const words = code.replaceAll('_', ' ');
  return `${words[0]?.toUpperCase()}${words.slice(1)}`;
}
