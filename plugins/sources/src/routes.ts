import { type AnyRoute, handle, type Principal } from '@weir/kernel';
import {
  createSource,
  deleteSource,
  discoverPatterns,
  getDiscoveryStatus,
  getPattern,
  getSource,
  getSyncStatus,
  listSources,
  listStreams,
  listSyncHistory,
  startDiscovery,
  startSync,
  updateSource,
  updateStream,
} from './contract.ts';
import type { discoveryService } from './discovery/service.ts';
import type { patternService } from './pattern/service.ts';
import type { sourceService } from './source/service.ts';
import type { streamService } from './stream/service.ts';
import type { syncService } from './sync/service.ts';

export interface RouteServices {
  patterns: ReturnType<typeof patternService>;
  sources: ReturnType<typeof sourceService>;
  streams: ReturnType<typeof streamService>;
  discoveries: ReturnType<typeof discoveryService>;
  syncs: ReturnType<typeof syncService>;
}

/** Every endpoint of the plugin with the service call that carries it out. */
export function routes({ patterns, sources, streams, discoveries, syncs }: RouteServices): AnyRoute[] {
  return [
    handle(discoverPatterns, async ({ query }) => patterns.list(query)),
    handle(getPattern, async ({ params }) => patterns.get(params.pattern_id)),
    handle(createSource, ({ tenant, body }) => sources.create(tenant, body)),
    handle(listSources, ({ tenant, query }) => sources.list(tenant, query)),
    handle(getSource, ({ tenant, params }) => sources.get(tenant, params.source_id)),
    handle(updateSource, ({ tenant, params, body, ifMatch }) =>
      sources.update(tenant, params.source_id, body, ifMatch),
    ),
    handle(deleteSource, ({ tenant, params, ifMatch }) => sources.retire(tenant, params.source_id, ifMatch)),
    handle(startDiscovery, ({ tenant, principal, body }) => discoveries.start(tenant, body, subjectOf(principal))),
    handle(getDiscoveryStatus, ({ tenant, params }) => discoveries.status(tenant, params.workflow_id)),
    handle(listStreams, ({ tenant, params, query }) => streams.list(tenant, params.source_id, query)),
    handle(updateStream, ({ tenant, params, body, ifMatch }) => streams.update(tenant, params, body, ifMatch)),
    handle(startSync, ({ tenant, principal, params }) => syncs.start(tenant, params.source_id, subjectOf(principal))),
    handle(getSyncStatus, ({ tenant, params, query }) => syncs.status(tenant, params.source_id, query.run_id)),
    handle(listSyncHistory, ({ tenant, params, query }) => syncs.history(tenant, params.source_id, query)),
  ];
}

function subjectOf(principal: Principal): string {
  return principal.kind === 'anonymous' ? 'anonymous' : principal.subject;
}
