import { Readable } from 'node:stream';
import { type AnyRoute, handle, raw } from '@weir/kernel';
import { subjectOf } from '@weir/kernel/contract';
import type { RunLogsService } from '@weir/plugin-platform/contract';
import * as endpoints from '../contract.ts';
import type { reportService } from '../service/reports.ts';
import type { runsService } from '../service/runs.ts';

export interface RouteServices {
  runs: ReturnType<typeof runsService>;
  reports: ReturnType<typeof reportService>;
  logs: RunLogsService;
}

/** Every endpoint of the plugin with the service call that carries it out. */
export function routes({ runs, reports, logs }: RouteServices): AnyRoute[] {
  return [
    handle(endpoints.listRuns, ({ tenant, query }) => runs.list(tenant, query)),
    handle(endpoints.getRun, ({ tenant, params, query, signal }) =>
      runs.get(tenant, params.id, { seconds: query?.wait ?? 0, signal }),
    ),
    handle(endpoints.cancelRun, ({ tenant, params }) => runs.cancel(tenant, params.id)),
    handle(endpoints.createRun, ({ tenant, principal, body }) => reports.create(tenant, subjectOf(principal), body)),
    handle(endpoints.startRun, ({ tenant, principal, params, body }) =>
      reports.start(tenant, { id: params.id, by: subjectOf(principal) }, body),
    ),
    handle(endpoints.completeRun, ({ tenant, principal, params, body }) =>
      reports.complete(tenant, { id: params.id, by: subjectOf(principal) }, body),
    ),
    handle(endpoints.failRun, ({ tenant, principal, params, body }) =>
      reports.fail(tenant, { id: params.id, by: subjectOf(principal) }, body),
    ),
    handle(endpoints.readLog, ({ tenant, params, query, signal }) =>
      logs.page(tenant, query, { find: () => runs.readable(tenant, params.id), signal }),
    ),
    handle(endpoints.downloadLog, async ({ tenant, params, query, mediaType }) => {
      const run = await runs.readable(tenant, params.id);
      const { type, headers, body } = logs.download(tenant, query, { run, mediaType });
      return raw({ type, headers, body: Readable.from(body, { objectMode: false }) });
    }),
  ];
}
