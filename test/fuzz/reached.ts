import { CALLS } from '../deployed-examples.ts';
import type { FuzzReport } from './fuzz-platform.ts';

/** The least share of operations that a 2xx or a known reason must answer for, in one of the modes of credentials. */
export const WANTED_SHARE = 0.95;

type Operations = FuzzReport['operations'];

/** What is said of an operation that no 2xx was answered to. */
export const reasonOf = (name: string): string => CALLS.get(name)?.unreached?.why ?? 'unknown reason';

/** The operations of all reports, each with the statuses of all. */
export function union(reports: readonly FuzzReport[]): Operations {
  const found = new Map<string, Record<string, number>>();
  for (const { operations } of reports)
    for (const { name, statuses } of operations) {
      const sum = found.get(name) ?? {};
      for (const [status, count] of Object.entries(statuses)) sum[status] = (sum[status] ?? 0) + count;
      found.set(name, sum);
    }
  return [...found].map(([name, statuses]) => ({ name, statuses }));
}

/** Those that no 2xx was answered to. */
export const unreached = (operations: Operations): Operations =>
  operations.filter(({ statuses }) => !Object.keys(statuses).some((status) => status.startsWith('2')));

/** Whether enough of them were. */
export const enough = (operations: Operations): boolean =>
  1 - unreached(operations).filter(({ name }) => CALLS.get(name)?.unreached === undefined).length / operations.length >=
  WANTED_SHARE;
