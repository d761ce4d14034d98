import { contribute, definePlugin, Platform, type Repetition } from '@weir/kernel';
import { HealthChecks, ReadinessChecks, RunChanges, SignatureReaders } from '@weir/kernel/contract';
import { Producers, Tables } from '@weir/plugin-datasets/contract';
import { Events, RunLogs } from '@weir/plugin-platform/contract';
import { RunSubjectNames } from '@weir/plugin-runs/contract';
import { Schedules } from '@weir/plugin-workflow-engine/contract';
import { credentialProblems, failureProblems, sourceProblems } from './contract.ts';
import { CredentialEntity } from './credential/entity.ts';
import { refuseCredentials } from './credential/refuse-credentials.ts';
import { credentialService } from './credential/service.ts';
import { startCredentialSweeper } from './credential/sweep-credentials.ts';
import { startRotationWriter } from './credential/write-rotated.ts';
import { DiscoveryEntity } from './discovery/entity.ts';
import { discoveryService } from './discovery/service.ts';
import { settleDiscovery } from './discovery/settle-discovery.ts';
import { startConfigSweeper } from './discovery/sweep-configs.ts';
import { patternCatalog } from './pattern/catalog.ts';
import { loadPatterns } from './pattern/load-patterns.ts';
import { reportedPages } from './pattern/reported-codes.ts';
import { patternService } from './pattern/service.ts';
import { patternFilesCheck, storeFiles } from './pattern/store-files.ts';
import { patternWebhooks, refuseSameSecrets } from './pattern/webhooks.ts';
import { ReplayEntity } from './quarantine/entity.ts';
import { replayService } from './quarantine/service.ts';
import { contributedChecks } from './readiness/contributed-checks.ts';
import { ReceiptEntity } from './receipt/entity.ts';
import { keepReceipts } from './receipt/keep-receipts.ts';
import { releaseVersions } from './receipt/release-versions.ts';
import { receiptService } from './receipt/service.ts';
import { routes } from './routes.ts';
import { DISCOVERY_KIND, REPLAY_KIND, SYNC_KIND, VERIFY_KIND } from './run-kinds.ts';
import { sourceLogService } from './run-log/service.ts';
import { connectorProblems } from './runtime/connector-problems.ts';
import { bringInLine } from './schedule/bring-in-line.ts';
import { FiringEntity, ScheduleEntity } from './schedule/entity.ts';
import { startReconciler } from './schedule/reconcile.ts';
import { scheduleService } from './schedule/service.ts';
import { settings } from './settings.ts';
import { SourceEntity } from './source/entity.ts';
import { sourceSubjects } from './source/run-subjects.ts';
import { sourceService } from './source/service.ts';
import { bulkService } from './stream/bulk-service.ts';
import { StreamEntity } from './stream/entity.ts';
import { refreshService } from './stream/refresh-service.ts';
import { resetService } from './stream/reset-service.ts';
import { streamService } from './stream/service.ts';
import { StreamRunEntity, SyncRunEntity } from './sync/entity.ts';
import { syncRunService } from './sync/run-service.ts';
import { syncService } from './sync/service.ts';
import { statsService } from './sync/stats-service.ts';
import { tableRefsService } from './sync/table-refs-service.ts';
import { VerificationEntity } from './verification/entity.ts';
import { verificationService } from './verification/service.ts';

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
