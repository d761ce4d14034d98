import { Readable } from 'node:stream';
import { type Kernel, raw, type Tenant } from '@weir/kernel';
import { kernelProblems } from '@weir/kernel/contract';
import type { ReadableRun, RunLogDownloadRequest, RunLogRequest, RunLogsService } from '@weir/plugin-platform/contract';
import { DISCOVERY_KIND } from '../../model/run-kinds.ts';

/** A run as the path of its log names it: one of a source, or a discovery, which may be of none. */
type LoggedRun = { source_id: string; run_id: string } | { workflow_id: string };

/** Reads the logs of runs of sources; those of retired sources stay. A run of another source is absent. */
export function sourceLogService(kernel: Pick<Kernel, 'runs'>, runLogs: RunLogsService) {
  const found = async (tenant: Tenant, of: LoggedRun): Promise<ReadableRun> => {
    const run =
      'workflow_id' in of
        ? await kernel.runs.find(tenant, of.workflow_id, DISCOVERY_KIND.kind)
        : await kernel.runs.find(tenant, of.run_id);
    const isOther = 'source_id' in of && run?.subjectId !== of.source_id;
    if (run === undefined || isOther) throw kernelProblems.notFound();
    return { runId: run.runId, isTerminal: run.endedAt !== undefined, endedAt: run.endedAt };
  };
  return {
    page: (tenant: Tenant, of: LoggedRun, { query, signal }: { query: RunLogRequest; signal: AbortSignal }) =>
      runLogs.page(tenant, query, { find: () => found(tenant, of), signal }),

    async download(
      tenant: Tenant,
      of: LoggedRun,
      { query, mediaType }: { query: RunLogDownloadRequest; mediaType: string },
    ) {
      const run = await found(tenant, of);
      const { type, headers, body } = runLogs.download(tenant, query, { run, mediaType });
      return raw({ type, headers, body: Readable.from(body, { objectMode: false }) });
    },
  };
}
