import { contribute, definePlugin, Platform } from '@weir/kernel';
import { SignatureReaders } from '@weir/kernel/contract';
import { Tables } from '@weir/plugin-datasets/contract';
import { scheduleProblems } from '@weir/plugin-schedules/contract';
import { failurePages, workProblems } from '@weir/work';
import { routes } from './api/routes.ts';
import { patternWebhooks, refuseSameSecrets } from './api/webhooks.ts';
import { credentialProblems, inspectionProblems, SOURCE_FAILURES, sourceProblems, uploadProblems } from './contract.ts';
import { entities } from './model/entities.ts';
import { connectorProblems } from './model/failure/connector-problems.ts';
import { reportedPages } from './model/pattern/reported-codes.ts';
import { DISCOVERY_KIND, INSPECTION_KIND, REPLAY_KIND, SYNC_KIND, VERIFY_KIND } from './model/run-kinds.ts';
import { background } from './service/background.ts';
import { contributions } from './service/contributions.ts';
import { patternCatalog } from './service/pattern/catalog.ts';
import { loadPatterns } from './service/pattern/load-patterns.ts';
import { sourceServices } from './service/services.ts';
import { settings } from './settings.ts';

/** Sources: patterns, sources, streams, discoveries and syncs. */
export default definePlugin({
  id: 'sources',
  settings,
  entities,
  problems: {
    ...{ ...sourceProblems, ...credentialProblems, ...inspectionProblems, ...connectorProblems },
    ...{ ...uploadProblems, ...scheduleProblems, ...failurePages(SOURCE_FAILURES), ...workProblems },
  },
  setup(kernel) {
    refuseSameSecrets(kernel.settings);
    const loaded = loadPatterns(kernel.settings.WEIR_PLATFORM, kernel.log);
    const { sql } = kernel.use(Platform);
    const facts = { kernel, tables: kernel.use(Tables), patterns: patternCatalog(sql) };
    return {
      routes: routes(sourceServices(facts)),
      contributes: [
        ...contributions(facts, loaded),
        ...patternWebhooks(kernel.settings, sql).map((reader) => contribute(SignatureReaders, reader)),
      ],
      reported: reportedPages(loaded.reported),
      runKinds: [SYNC_KIND, DISCOVERY_KIND, VERIFY_KIND, REPLAY_KIND, INSPECTION_KIND],
      ...background({ kernel, sql, loaded }),
    };
  },
});
