import { contribute, definePlugin, Platform, provide } from '@weir/kernel';
import { AuditTrails, RunAdmission, RunChanges } from '@weir/kernel/contract';
import { admissionService, admitRun } from './admission/service.ts';
import { auditRecorder } from './audit/recorder.ts';
import { auditService } from './audit/service.ts';
import { startSweeps } from './audit/sweep-schedule.ts';
import { Events, Figures, platformProblems } from './contract.ts';
import { eventHub } from './event/hub.ts';
import { startRetention } from './event/retention.ts';
import { eventService } from './event/service.ts';
import { publisher } from './event/store.ts';
import { figures } from './metrics/figures.ts';
import { metricLedger } from './metrics/ledger.ts';
import { metricsService } from './metrics/service.ts';
import { pluginService } from './plugin/service.ts';
import { routes } from './routes.ts';
import { healthMonitor } from './status/health.ts';
import { statusService } from './status/service.ts';

/** The platform itself: status, health, figures, events, the admission of runs, and which tenant has which plugin. */
export default definePlugin({
  id: 'platform',
  problems: platformProblems,
  setup(kernel) {
    const { db, log, tenants, mode } = kernel;
    const platform = kernel.use(Platform);
    const admission = admissionService(platform.sql);
    const ledger = metricLedger({ metrics: platform.metrics, sql: platform.sql, log });
    const hub = eventHub({ db, log });
    const health = healthMonitor({ checks: platform.healthChecks, log });
    const stops: (() => Promise<void>)[] = [];
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
      }),
      services: [provide(Events, publisher), provide(Figures, figures(ledger))],
      contributes: [
        contribute(AuditTrails, auditRecorder(kernel)),
        contribute(RunAdmission, admitRun),
        contribute(RunChanges, (tx, { run_id, status }) =>
          publisher.publish(tx, { topic: 'run', id: run_id, version: status }),
        ),
      ],
      start: async () => ledger.start(),
      stop: () => ledger.stop(),
      async serve() {
        stops.push(startRetention(kernel), startSweeps(kernel));
      },
      async drain() {
        await hub.close();
        for (const stop of stops) await stop();
      },
    };
  },
});
