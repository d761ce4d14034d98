import { definePlugin } from '@weir/kernel';
import { failureProblems, sourceProblems } from './contract.ts';
import { DiscoveryEntity } from './discovery/entity.ts';
import { discoveryService } from './discovery/service.ts';
import { startConfigSweeper } from './discovery/sweep-configs.ts';
import { loadPatterns } from './pattern/load-patterns.ts';
import { patternService } from './pattern/service.ts';
import { routes } from './routes.ts';
import { DISCOVERY_KIND, SYNC_KIND } from './run-kinds.ts';
import { settings } from './settings.ts';
import { SourceEntity } from './source/entity.ts';
import { sourceService } from './source/service.ts';
import { StreamEntity } from './stream/entity.ts';
import { streamService } from './stream/service.ts';
import { StreamRunEntity, SyncRunEntity } from './sync/entity.ts';
import { syncService } from './sync/service.ts';

/** Sources: patterns, sources, streams, discoveries and syncs. */
export default definePlugin({
  id: 'sources',
  settings,
  entities: [SourceEntity, StreamEntity, DiscoveryEntity, SyncRunEntity, StreamRunEntity],
  problems: { ...sourceProblems, ...failureProblems },
  setup(kernel) {
    const { patterns } = loadPatterns(kernel.settings.WEIR_PLATFORM, kernel.log);
    let stopSweeper: (() => void) | undefined;
    return {
      routes: routes({
        patterns: patternService(patterns),
        sources: sourceService({ kernel, patterns }),
        streams: streamService(kernel),
        discoveries: discoveryService({ kernel, patterns }),
        syncs: syncService(kernel),
      }),
      runKinds: [SYNC_KIND, DISCOVERY_KIND],
      async start() {
        stopSweeper = startConfigSweeper(kernel);
      },
      async stop() {
        stopSweeper?.();
      },
    };
  },
});
