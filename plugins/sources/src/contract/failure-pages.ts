import { problem } from '@weir/kernel/contract';
import { type FailureEntry, type FailureOrigin, SOURCE_FAILURES } from './failures.ts';

const STATUS: Readonly<Record<FailureOrigin, number>> = { config: 422, source: 502, destination: 502, platform: 503 };

/** Codes of failed runs as catalogue entries, so that each has its page. */
export function failurePages(table: Readonly<Record<string, Omit<FailureEntry, 'retryable'>>>) {
  return Object.fromEntries(
    Object.entries(table).map(([code, { origin, detail, hint }]) => [
      code,
      problem({ code, status: STATUS[origin], title: titleOf(code), detail, hint }),
    ]),
  );
}

/** The same codes as catalogue entries. */
export const failureProblems = failurePages(SOURCE_FAILURES);

function titleOf(code: string): string {
  const words = code.replaceAll('_', ' ');
  return `${words[0]?.toUpperCase()}${words.slice(1)}`;
}
