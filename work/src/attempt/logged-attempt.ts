import type { Kernel, Tenant } from '@weir/kernel';
import type { Ending } from '../failure/failure.ts';
import type { Failures } from '../failure/failures.ts';
import { endLine, type RunLogWriters, type WorkLog, workLog } from '../log/work-log.ts';

/** An attempt whose work is logged. */
export interface LoggedAttempt {
  runLogs: RunLogWriters;
  failures: Pick<Failures, 'of'>;
  tenant: Tenant;
  runId: string;
  leaseEpoch: number;
  signal: AbortSignal;
}

/** Does the work of an attempt and logs its beginning, what it reports itself, and why it failed. */
export async function loggedAttempt<R>(of: LoggedAttempt, work: (log: WorkLog) => Promise<R>): Promise<R> {
  const { runLogs, failures, tenant, runId, leaseEpoch, signal } = of;
  const log = workLog(runLogs.open(tenant, { runId, attempt: leaseEpoch, part: 'work' }));
  log.started(leaseEpoch);
  try {
    return await work(log);
  } catch (error) {
    if (!signal.aborted) log.failed(failures.of(error));
    throw error;
  } finally {
    await log.close();
  }
}

interface EndDeps {
  kernel: Pick<Kernel, 'runs'>;
  runLogs: RunLogWriters;
}

/** Writes the last line of a run that has not ended yet: before it does, so that who has seen the end has seen the line. */
export async function logEnd({ kernel, runLogs }: EndDeps, tenant: Tenant, runId: string, outcome: Ending) {
  const run = await kernel.runs.find(tenant, runId);
  if (run === undefined || run.endedAt !== undefined) return;
  const log = runLogs.open(tenant, { runId, attempt: run.leaseEpoch, part: 'end' });
  log.write(endLine(outcome));
  await log.close();
}
