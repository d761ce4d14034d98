import type { Kernel, Tenant } from '@weir/kernel';
import type { RunLogsService } from '@weir/plugin-platform/contract';
import { failureOf } from '../sync/failure-of.ts';
import type { Outcome } from '../sync/finish-sync.ts';
import { endLine, type WorkLog, workLog } from './attempt-log.ts';

/** An attempt whose work is told of. */
export interface Told {
  runLogs: RunLogsService;
  tenant: Tenant;
  runId: string;
  leaseEpoch: number;
  signal: AbortSignal;
}

/** Does the work of an attempt and tells of its beginning, of what it tells itself, and of why it failed. */
export async function toldAttempt<R>(told: Told, work: (log: WorkLog) => Promise<R>): Promise<R> {
  const { runLogs, tenant, runId, leaseEpoch, signal } = told;
  const log = workLog(runLogs.open(tenant, { runId, attempt: leaseEpoch, part: 'work' }));
  log.started(leaseEpoch);
  try {
    return await work(log);
  } catch (error) {
    if (!signal.aborted) log.failed(failureOf(error));
    throw error;
  } finally {
    await log.close();
  }
}

interface EndDeps {
  kernel: Pick<Kernel, 'runs'>;
  runLogs: Pick<RunLogsService, 'open'>;
}

/** Writes the last line of a run that has not ended yet: before it does, so that whoever has seen the end has seen the line. */
export async function tellEnd({ kernel, runLogs }: EndDeps, tenant: Tenant, runId: string, outcome: Outcome) {
  const run = await kernel.runs.find(tenant, runId);
  if (run === undefined || run.endedAt !== undefined) return;
  const log = runLogs.open(tenant, { runId, attempt: run.leaseEpoch, part: 'end' });
  log.write(endLine(outcome));
  await log.close();
}
