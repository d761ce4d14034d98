import { contribute, definePlugin, Platform, provide } from '@weir/kernel';
import { AuditTrails, CallLimits, RunAdmission, RunChanges, RunDrops } from '@weir/kernel/contract';
import { admissionService, admitRun } from './admission/service.ts';
import { denialReports } from './audit/denial-reports.ts';
import { auditRecorder, intentSweep } from './audit/recorder.ts';
import { auditService } from './audit/service.ts';
import { Events, Figures, platformProblems, RunLogs, StorageUses, UpkeepRuns } from './contract.ts';
import { docsService } from './docs/service.ts';
import { eventHub } from './event/hub.ts';
import { eventRetention } from './event/retention.ts';
import { eventService } from './event/service.ts';
import { publisher } from './event/store.ts';
import { callRates, RATE_GROUPS } from './limit/call-rates.ts';
import { admitWithin, defaultLimits } from './limit/run-limits.ts';
import { limitService } from './limit/service.ts';
import { figures } from './metrics/figures.ts';
import { metricLedger } from './metrics/ledger.ts';
import { metricsService } from './metrics/service.ts';
import { pluginService } from './plugin/service.ts';
import { routes } from './routes.ts';
import { openStore } from './run-log/open-store.ts';
import { dropLogs, logRetention } from './run-log/retention.ts';
import { runLogService } from './run-log/service.ts';
import { type PlatformSettings, platformSettings } from './settings.ts';
import { healthMonitor } from './status/health.ts';
import { statusService } from './status/service.ts';
import { tenantService } from './tenant/service.ts';

/** The platform itself: status, health, figures, events, the admission of runs, and which tenant has which plugin. */
export default definePlugin({
  id: 'platform',
  settings: platformSettings,
  problems: platformProblems,
  setup(kernel) {
    const { db, log, tenants, mode } = kernel;
    const platform = kernel.use(Platform);
    const admission = admissionService(platform.sql);
    const ledger = metricLedger({ metrics: platform.metrics, sql: platform.sql, log });
    const hub = eventHub({ db, log });
    const health = healthMonitor({ checks: platform.healthChecks, log });
    const limited = kernel.metrics.counter({
      name: 'weir_rate_limited_total',
      help: 'Calls that were refused because their caller had made too many',
      labels: { group: RATE_GROUPS },
    });
    // A series that is there before it counts shows its first step.
    for (const group of RATE_GROUPS) limited({ group }, 0);
    const quotas = {
      defaults: defaultLimits(kernel.settings),
      uses: () => kernel.contributions(StorageUses),
      uncounted: () => kernel.contributions(UpkeepRuns),
    };
    const trail = auditRecorder(kernel);
    const store = openStore(kernel, kernel.settings);
    const { WEIR_RUN_LOG_MAX_LINES: maxLines, WEIR_RUN_LOG_RETENTION_DAYS: days } = kernel.settings;
    const runLogs = runLogService({ log, store, maxLines, retentionDays: days });
    let reports: ReturnType<typeof denialReports> | undefined;
    kernel.metrics.gauge({
      name: 'weir_event_streams',
      help: 'Event streams that are open in this process',
      labels: {},
      read: async () => [{ labels: {}, value: hub.count() }],
    });
    return {
      routes: routes({
        status: statusService({ mode, platform, health, isOpen: async () => (await admission.read()).open }),
        metrics: metricsService({ ledger, metrics: platform.metrics }),
        events: eventService({ db, hub }),
        admission,
        audit: auditService(kernel),
        plugins: pluginService({ tenants, platform }),
        limits: limitService({ db, tenants, ...quotas }),
        tenants: tenantService(platform.sql),
        docs: docsService(platform),
      }),
      services: [provide(Events, publisher), provide(Figures, figures(ledger)), provide(RunLogs, runLogs)],
      contributes: [
        contribute(AuditTrails, trail),
        contribute(CallLimits, callRates({ rates: ratesOf(kernel.settings), refused: (group) => limited({ group }) })),
        contribute(RunAdmission, admitRun),
        contribute(RunAdmission, admitWithin(quotas)),
        contribute(RunChanges, (tx, { run_id, status }) =>
          publisher.publish(tx, { topic: 'run', id: run_id, version: status }),
        ),
        contribute(RunDrops, dropLogs(store)),
      ],
      start: async () => ledger.start(),
      stop: () => ledger.stop(),
      duties: [logRetention({ db, store, days }), eventRetention(kernel), intentSweep(kernel)],
      async serve() {
        reports = denialReports(kernel, trail);
      },
      async drain() {
        runLogs.close();
        await hub.close();
        await reports?.stop();
      },
    };
  },
});

function ratesOf(settings: PlatformSettings) {
  return {
    read: settings.WEIR_RATE_READS,
    write: settings.WEIR_RATE_WRITES,
    start: settings.WEIR_RATE_STARTS,
    costly: settings.WEIR_RATE_COSTLY,
    guess: settings.WEIR_RATE_GUESSES,
  };
}
