import { kernelProblems } from '@weir/kernel/contract';

/** Pieces of work of one tenant that may wait for their turn. */
const MAX_WAITING = 4;

/**
 * Lets the work of one tenant run one piece after the other, so that no tenant keeps all processes busy that tenants share.
 * `dependency_unavailable` when too much of the tenant's is waiting.
 */
export function turns() {
  const lines = new Map<string, { waiting: number; last: Promise<unknown> }>();
  return async <T>(tenantId: string, work: () => Promise<T>): Promise<T> => {
    const line = lines.get(tenantId) ?? { waiting: 0, last: Promise.resolve() };
    if (line.waiting > MAX_WAITING) throw kernelProblems.dependencyUnavailable();
    lines.set(tenantId, line);
    line.waiting += 1;
    const turn = line.last.then(work);
    line.last = turn.catch(() => undefined);
    try {
      return await turn;
    } finally {
      line.waiting -= 1;
      if (line.waiting === 0) lines.delete(tenantId);
    }
  };
}
