import { type AnyRoute, type CallContext, handle } from '@weir/kernel';
import { subjectOf } from '@weir/kernel/contract';
import * as calls from '../contract.ts';
import type { HowToStart } from '../service/discovery/service.ts';
import { SOURCE_SUBJECT } from '../service/readiness/contributed-checks.ts';
import type { SourceServices } from '../service/services.ts';

/** Every endpoint of the plugin with the service call that carries it out. */
export function routes(services: SourceServices): AnyRoute[] {
  return [
    ...patternRoutes(services),
    ...sourceRoutes(services),
    ...services.schedules.routes(calls.sourceSchedules),
    ...credentialRoutes(services),
    ...streamRoutes(services),
    ...runRoutes(services),
    ...logRoutes(services),
    ...uploadRoutes(services),
  ];
}

function patternRoutes({ patterns, inspections }: SourceServices): AnyRoute[] {
  return [
    handle(calls.discoverPatterns, ({ query }) => patterns.list(query)),
    handle(calls.getPattern, ({ params }) => patterns.get(params.pattern_id)),
    handle(calls.registerPattern, ({ body }) => patterns.register(body.pattern)),
    handle(calls.reconcilePatterns, ({ body, query }) => patterns.reconcile(body, query.dry_run === true)),
    handle(calls.inspectImage, ({ principal, body, query }) => inspections.start(body, howToStart(principal, query))),
    handle(calls.getInspection, ({ params }) => inspections.get(params.run_id)),
    handle(calls.registerInspected, ({ params, body, query }) =>
      inspections.register(params.run_id, body, query.dry_run === true),
    ),
  ];
}

function sourceRoutes({ sources, readiness, tableRefs }: SourceServices): AnyRoute[] {
  return [
    handle(calls.createSource, ({ tenant, body }) => sources.create(tenant, body)),
    handle(calls.listSources, ({ tenant, query }) => sources.list(tenant, query)),
    handle(calls.getSource, ({ tenant, params }) => sources.get(tenant, params.source_id)),
    handle(calls.updateSource, ({ tenant, params, body, ifMatch }) =>
      sources.update(tenant, { sourceId: params.source_id, patch: body, ifMatch }),
    ),
    handle(calls.deleteSource, ({ tenant, params, ifMatch }) => sources.retire(tenant, params.source_id, ifMatch)),
    handle(calls.getSourceReadiness, ({ tenant, params }) => readiness(tenant, SOURCE_SUBJECT, params.source_id)),
    handle(calls.listTableFormatRefs, ({ tenant, params, query }) => tableRefs.list(tenant, params.source_id, query)),
  ];
}

function credentialRoutes({ credentials }: SourceServices): AnyRoute[] {
  return [
    handle(calls.listCredentials, ({ tenant, query }) => credentials.list(tenant, query)),
    handle(calls.getCredentials, ({ tenant, params }) => credentials.get(tenant, params.source_id)),
    handle(calls.setCredentials, ({ tenant, params, body }) => credentials.set(tenant, params.source_id, body)),
    handle(calls.rotateCredentials, ({ tenant, params, body, ifMatch }) =>
      credentials.rotate(tenant, params.source_id, { body, ifMatch }),
    ),
    handle(calls.detachCredentials, ({ tenant, params }) => credentials.detach(tenant, params.source_id)),
    handle(calls.migrateCredentials, ({ tenant, params, body }) => credentials.migrate(tenant, params.source_id, body)),
    handle(calls.revokeCredential, ({ tenant, params }) => credentials.revoke(tenant, params.credential_ref)),
  ];
}

function streamRoutes({ streams, states, bulk, refreshes, resets }: SourceServices): AnyRoute[] {
  return [
    handle(calls.listStreams, ({ tenant, params, query }) => streams.list(tenant, params.source_id, query)),
    handle(calls.createStream, ({ tenant, params, body }) => streams.create(tenant, params.source_id, body)),
    handle(calls.getStream, ({ tenant, params }) => streams.get(tenant, params)),
    handle(calls.getStreamState, ({ tenant, params }) => states.get(tenant, params)),
    handle(calls.updateStream, ({ tenant, params, body, ifMatch }) => streams.update(tenant, params, body, ifMatch)),
    handle(calls.deleteStream, ({ tenant, params, ifMatch }) => streams.remove(tenant, params, ifMatch)),
    handle(calls.bulkStreams, ({ tenant, params, body }) => bulk.apply(tenant, params.source_id, body.streams)),
    handle(calls.refreshSchema, ({ tenant, params, query, body }) =>
      refreshes.refresh(tenant, params.source_id, { given: body, dryRun: query.dry_run === true }),
    ),
    handle(calls.previewReset, ({ tenant, params }) => resets.preview(tenant, params)),
    handle(calls.previewSourceReset, ({ tenant, params }) => resets.previewAll(tenant, params.source_id)),
    handle(calls.resetSource, ({ tenant, params, ifMatch }) => resets.resetAll(tenant, params.source_id, ifMatch)),
    handle(calls.resetStream, ({ tenant, params, ifMatch }) => resets.reset(tenant, params, ifMatch)),
  ];
}

function runRoutes({
  discoveries,
  syncs,
  syncRuns,
  receipts,
  verifications,
  replays,
  stats,
  days,
}: SourceServices): AnyRoute[] {
  return [
    handle(calls.startDiscovery, ({ tenant, principal, body, query }) =>
      discoveries.start(tenant, body, howToStart(principal, query)),
    ),
    handle(calls.getDiscoveryStatus, ({ tenant, params }) => discoveries.status(tenant, params.workflow_id)),
    handle(calls.readDiscoveryLooks, ({ tenant, params }) => discoveries.looks(tenant, params.workflow_id)),
    handle(calls.startSync, ({ tenant, principal, params, query }) =>
      syncs.start(tenant, params.source_id, howToStart(principal, query)),
    ),
    handle(calls.getSyncStatus, ({ tenant, params, query }) => syncs.status(tenant, params.source_id, query.run_id)),
    handle(calls.listSyncHistory, ({ tenant, params, query }) => syncs.history(tenant, params.source_id, query)),
    handle(calls.listSyncDays, ({ tenant, query }) => days.list(tenant, query)),
    handle(calls.getSyncStats, ({ tenant, params, query }) => stats.stats(tenant, params.source_id, query.since)),
    handle(calls.cancelSync, ({ tenant, params }) => syncRuns.cancel(tenant, params.sync_run_id)),
    handle(calls.getSyncRun, ({ tenant, params }) => syncRuns.details(tenant, params.workflow_id)),
    handle(calls.getSyncReceipt, ({ tenant, params }) => receipts.get(tenant, params.sync_run_id)),
    handle(calls.verifySync, ({ tenant, principal, params, query }) =>
      verifications.start(tenant, params.sync_run_id, howToStart(principal, query)),
    ),
    handle(calls.getVerification, ({ tenant, params, query }) =>
      verifications.get(tenant, params.sync_run_id, query.verification_run_id),
    ),
    handle(calls.startReplay, ({ tenant, principal, body, query }) =>
      replays.start(tenant, body, howToStart(principal, query)),
    ),
    handle(calls.getReplay, ({ tenant, params }) => replays.get(tenant, params.replay_run_id)),
    handle(calls.listSyncRunStreams, ({ tenant, params, query }) =>
      syncRuns.streams(tenant, params.sync_run_id, query),
    ),
  ];
}

function logRoutes({ runLogs }: SourceServices): AnyRoute[] {
  return [
    handle(calls.readRunLogs, ({ tenant, params, query, signal }) => runLogs.page(tenant, params, { query, signal })),
    handle(calls.downloadRunLogs, ({ tenant, params, query, mediaType }) =>
      runLogs.download(tenant, params, { query, mediaType }),
    ),
    handle(calls.readDiscoveryLogs, ({ tenant, params, query, signal }) =>
      runLogs.page(tenant, params, { query, signal }),
    ),
    handle(calls.downloadDiscoveryLogs, ({ tenant, params, query, mediaType }) =>
      runLogs.download(tenant, params, { query, mediaType }),
    ),
  ];
}

function uploadRoutes({ uploads }: SourceServices): AnyRoute[] {
  return [
    handle(calls.createUpload, ({ tenant, query, content }) => uploads.create(tenant, query, content)),
    handle(calls.listUploads, ({ tenant, query }) => uploads.list(tenant, query)),
    handle(calls.getFileRoots, () => uploads.roots()),
    handle(calls.getUpload, ({ tenant, params }) => uploads.get(tenant, params.upload_id)),
    handle(calls.deleteUpload, ({ tenant, params }) => uploads.remove(tenant, params.upload_id)),
  ];
}

function howToStart(principal: CallContext['principal'], { queue }: { queue?: boolean | undefined }): HowToStart {
  return { requestedBy: subjectOf(principal), queue };
}
