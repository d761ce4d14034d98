import { contribute, definePlugin, Platform, type Repetition } from '@weir/kernel';
import { HealthChecks, ReadinessChecks, RunChanges, SignatureReaders } from '@weir/kernel/contract';
import { Producers, Tables } from '@weir/plugin-datasets/contract';
import { Events, RunLogs } from '@weir/plugin-platform/contract';
import { RunSubjectNames } from '@weir/plugin-runs/contract';
import { Schedules } from '@weir/plugin-workflow-engine/contract';
import { routes } from './api/routes.ts';
import { patternWebhooks, refuseSameSecrets } from './api/webhooks.ts';
import { credentialProblems, failureProblems, sourceProblems } from './contract.ts';
import { CredentialEntity } from './model/credential/entity.ts';
import { DiscoveryEntity } from './model/discovery/entity.ts';
import { connectorProblems } from './model/failure/connector-problems.ts';
import { reportedPages } from './model/pattern/reported-codes.ts';
import { ReplayEntity } from './model/quarantine/entity.ts';
import { ReceiptEntity } from './model/receipt/entity.ts';
import { DISCOVERY_KIND, REPLAY_KIND, SYNC_KIND, VERIFY_KIND } from './model/run-kinds.ts';
import { FiringEntity, ScheduleEntity } from './model/schedule/entity.ts';
import { SourceEntity } from './model/source/entity.ts';
import { StreamEntity } from './model/stream/entity.ts';
import { StreamRunEntity, SyncRunEntity } from './model/sync/entity.ts';
import { VerificationEntity } from './model/verification/entity.ts';
import { refuseCredentials } from './service/credential/refuse-credentials.ts';
import { credentialService } from './service/credential/service.ts';
import { startCredentialSweeper } from './service/credential/sweep-credentials.ts';
import { startRotationWriter } from './service/credential/write-rotated.ts';
import { discoveryService } from './service/discovery/service.ts';
import { settleDiscovery } from './service/discovery/settle-discovery.ts';
import { startConfigSweeper } from './service/discovery/sweep-configs.ts';
import { patternCatalog } from './service/pattern/catalog.ts';
import { loadPatterns } from './service/pattern/load-patterns.ts';
import { patternService } from './service/pattern/service.ts';
import { patternFilesCheck, storeFiles } from './service/pattern/store-files.ts';
import { replayService } from './service/quarantine/service.ts';
import { contributedChecks } from './service/readiness/contributed-checks.ts';
import { keepReceipts } from './service/receipt/keep-receipts.ts';
import { releaseVersions } from './service/receipt/release-versions.ts';
import { receiptService } from './service/receipt/service.ts';
import { sourceLogService } from './service/run-log/service.ts';
import { bringInLine } from './service/schedule/bring-in-line.ts';
import { startReconciler } from './service/schedule/reconcile.ts';
import { scheduleService } from './service/schedule/service.ts';
import { sourceSubjects } from './service/source/run-subjects.ts';
import { sourceService } from './service/source/service.ts';
import { bulkService } from './service/stream/bulk-service.ts';
import { refreshService } from './service/stream/refresh-service.ts';
import { resetService } from './service/stream/reset-service.ts';
import { streamService } from './service/stream/service.ts';
import { syncRunService } from './service/sync/run-service.ts';
import { syncService } from './service/sync/service.ts';
import { statsService } from './service/sync/stats-service.ts';
import { tableRefsService } from './service/sync/table-refs-service.ts';
import { verificationService } from './service/verification/service.ts';
import { settings } from './settings.ts';

/** Sources: patterns, sources, streams, discoveries and syncs. */
export default definePlugin({
  id: 'sources',
  settings,
  entities: [
    SourceEntity,
    StreamEntity,
    DiscoveryEntity,
    SyncRunEntity,
    StreamRunEntity,
    ReceiptEntity,
    VerificationEntity,
    ReplayEntity,
    CredentialEntity,
    ScheduleEntity,
    FiringEntity,
  ],
  problems: { ...sourceProblems, ...credentialProblems, ...failureProblems, ...connectorProblems },
  setup(kernel) {
    refuseSameSecrets(kernel.settings);
    const loaded = loadPatterns(kernel.settings.WEIR_PLATFORM, kernel.log);
    const { sql } = kernel.use(Platform);
    const patterns = patternCatalog(sql);
    const tables = kernel.use(Tables);
    const services = { tables, producers: kernel.use(Producers) };
    const receipts = receiptService(kernel);
    const facts = { kernel, tables, patterns };
    const events = kernel.use(Events);
    const syncs = syncService(facts);
    const scheduling = { kernel, schedules: kernel.use(Schedules) };
    const minSeconds = kernel.settings.WEIR_SCHEDULE_MIN_SECONDS;
    const sweepers: Repetition[] = [];
    const serving: Pick<Repetition, 'stop'>[] = [];
    return {
      routes: routes({
        readiness: kernel.readiness,
        patterns: patternService(kernel, patterns),
        sources: sourceService({
          kernel,
          patterns,
          events,
          dropped: (tenant, sourceId) => bringInLine(scheduling, tenant, sourceId),
        }),
        streams: streamService(kernel, services),
        bulk: bulkService(kernel, services),
        refreshes: refreshService(kernel, { services, patterns }),
        resets: resetService(kernel, services),
        discoveries: discoveryService({ kernel, patterns }),
        credentials: credentialService({ kernel, patternOf: patterns.ofKnown }),
        syncs,
        schedules: scheduleService({ ...scheduling, syncs, minSeconds, events }),
        syncRuns: syncRunService(kernel),
        runLogs: sourceLogService(kernel, kernel.use(RunLogs)),
        receipts,
        replays: replayService(kernel),
        verifications: verificationService(kernel, receipts),
        stats: statsService(kernel),
        tableRefs: tableRefsService({ kernel, tables }),
      }),
      contributes: [
        ...contributedChecks(facts).map((check) => contribute(ReadinessChecks, check)),
        ...patternWebhooks(kernel.settings, sql).map((reader) => contribute(SignatureReaders, reader)),
        contribute(HealthChecks, patternFilesCheck(kernel.settings, loaded)),
        contribute(RunSubjectNames, sourceSubjects(kernel)),
        contribute(RunChanges, settleDiscovery),
        contribute(RunChanges, keepReceipts({ kernel, patterns, versions: releaseVersions(kernel.use(Platform)) })),
      ],
      reported: reportedPages(loaded.reported),
      runKinds: [SYNC_KIND, DISCOVERY_KIND, VERIFY_KIND, REPLAY_KIND],
      async start() {
        await refuseCredentials(kernel);
        await storeFiles(kernel, loaded);
        sweepers.push(startConfigSweeper(kernel), startCredentialSweeper(kernel));
      },
      async serve() {
        serving.push(startReconciler(scheduling));
        if (kernel.vault.store !== undefined) serving.push(startRotationWriter(kernel, sql));
      },
      async drain() {
        for (const repeated of serving) await repeated.stop();
      },
      async stop() {
        for (const sweeper of sweepers) await sweeper.stop();
      },
    };
  },
});
