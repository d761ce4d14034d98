import { LakehouseError } from '../error/error.ts';
import type { DuckdbSession } from './duckdb-session.ts';

/** An interrupt between two statements is lost: it is repeated until the work ends. */
const INTERRUPT_INTERVAL_MS = 50;

/** Has work with a session end by a deadline: what fails behind it is `query_deadline`. */
export async function withinDeadline<T>(
  session: Pick<DuckdbSession, 'interrupt'>,
  deadlineMs: number,
  work: () => Promise<T>,
): Promise<T> {
  let repeated: NodeJS.Timeout | undefined;
  let isLate = false;
  const deadline = setTimeout(() => {
    isLate = true;
    session.interrupt();
    repeated = setInterval(() => session.interrupt(), INTERRUPT_INTERVAL_MS);
  }, deadlineMs);
  try {
    return await work();
  } catch (error) {
    if (isLate) throw new LakehouseError('query_deadline', 'The statement took longer than it may');
    throw error;
  } finally {
    clearTimeout(deadline);
    clearInterval(repeated);
  }
}
