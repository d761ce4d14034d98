import { Readable } from 'node:stream';
import { type Kernel, raw, type Tenant } from '@weir/kernel';
import { kernelProblems } from '@weir/kernel/contract';
import type { ReadableRun, RunLogDownloadRequest, RunLogRequest, RunLogsService } from '@weir/plugin-platform/contract';

/** A run of a source, as the path of its log names it. */
interface RunOfSource {
  source_id: string;
  run_id: string;
}

/** Reads the logs of runs of sources; those of retired sources stay. A run of another source is absent. */
export function sourceLogService(kernel: Pick<Kernel, 'runs'>, runLogs: RunLogsService) {
  const found = async (tenant: Tenant, { source_id, run_id }: RunOfSource): Promise<ReadableRun> => {
    const run = await kernel.runs.find(tenant, run_id);
    if (run === undefined || run.subjectId !== source_id) throw kernelProblems.notFound();
    return { runId: run.runId, isTerminal: run.endedAt !== undefined, endedAt: run.endedAt };
  };
  return {
    page: (tenant: Tenant, of: RunOfSource, { query, signal }: { query: RunLogRequest; signal: AbortSignal }) =>
      runLogs.page(tenant, query, { find: () => found(tenant, of), signal }),

    async download(
      tenant: Tenant,
      of: RunOfSource,
      { query, mediaType }: { query: RunLogDownloadRequest; mediaType: string },
    ) {
      const run = await found(tenant, of);
      const { type, headers, body } = runLogs.download(tenant, query, { run, mediaType });
      return raw({ type, headers, body: Readable.from(body, { objectMode: false }) });
    },
  };
}
