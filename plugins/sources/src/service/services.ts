import { type Kernel, Platform } from '@weir/kernel';
import { Producers } from '@weir/plugin-datasets/contract';
import { Events, RunLogs } from '@weir/plugin-platform/contract';
import { SubjectSchedules } from '@weir/plugin-schedules/contract';
import { credentialService } from './credential/service.ts';
import { discoveryService } from './discovery/service.ts';
import { inspectionService } from './inspection/service.ts';
import { patternService } from './pattern/service.ts';
import { replayService } from './quarantine/service.ts';
import type { FactDeps } from './readiness/source-facts.ts';
import { receiptService } from './receipt/service.ts';
import { sourceLogService } from './run-log/service.ts';
import { configAfter } from './source/change-source.ts';
import { sourceService } from './source/service.ts';
import { bulkService } from './stream/bulk-service.ts';
import { refreshService } from './stream/refresh-service.ts';
import { resetService } from './stream/reset-service.ts';
import { streamService } from './stream/service.ts';
import { stateService } from './stream/state-service.ts';
import { syncRunService } from './sync/run-service.ts';
import { syncService } from './sync/service.ts';
import { statsService } from './sync/stats-service.ts';
import { syncDays } from './sync/sync-days.ts';
import { tableRefsService } from './sync/table-refs-service.ts';
import { uploadService } from './upload/upload-service.ts';
import { verificationService } from './verification/service.ts';

export type SourceServices = ReturnType<typeof sourceServices>;

/** What the calls of this plugin are answered by. */
export function sourceServices(facts: FactDeps & { kernel: Kernel }) {
  const { kernel, patterns, tables } = facts;
  const destinations = { tables, producers: kernel.use(Producers) };
  const receipts = receiptService(kernel);
  const events = kernel.use(Events);
  const schedules = kernel.use(SubjectSchedules);
  const registry = patternService(kernel, patterns);
  return {
    readiness: kernel.readiness,
    patterns: registry,
    inspections: inspectionService({ kernel, sql: kernel.use(Platform).sql, catalog: patterns, patterns: registry }),
    sources: sourceService({ kernel, patterns, events, schedules }),
    streams: streamService(kernel, destinations),
    states: stateService(kernel, tables),
    bulk: bulkService(kernel, destinations),
    refreshes: refreshService(kernel, { services: destinations, patterns }),
    resets: resetService(kernel, destinations),
    discoveries: discoveryService({
      kernel,
      patterns,
      configAfter: (tenant, asked) => configAfter({ kernel, patterns }, tenant, asked),
    }),
    credentials: credentialService({ kernel, patternOf: patterns.ofKnown }),
    syncs: syncService(facts),
    schedules,
    syncRuns: syncRunService(kernel),
    runLogs: sourceLogService(kernel, kernel.use(RunLogs)),
    receipts,
    replays: replayService(kernel),
    verifications: verificationService(kernel, receipts),
    stats: statsService(kernel),
    days: syncDays(kernel),
    uploads: uploadService(kernel),
    tableRefs: tableRefsService({ kernel, tables }),
  };
}
