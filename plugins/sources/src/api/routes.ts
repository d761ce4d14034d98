import { type AnyRoute, type CallContext, handle, type Kernel } from '@weir/kernel';
import {
  bulkStreams,
  cancelSync,
  createSource,
  createStream,
  deleteSchedule,
  deleteSource,
  deleteStream,
  detachCredentials,
  discoverPatterns,
  downloadDiscoveryLogs,
  downloadRunLogs,
  getCredentials,
  getDiscoveryStatus,
  getPattern,
  getReplay,
  getSchedule,
  getSource,
  getSourceReadiness,
  getStream,
  getSyncReceipt,
  getSyncRun,
  getSyncStats,
  getSyncStatus,
  getVerification,
  listSchedules,
  listSources,
  listStreams,
  listSyncHistory,
  listSyncRunStreams,
  listTableFormatRefs,
  migrateCredentials,
  pauseSchedule,
  previewReset,
  previewSourceReset,
  putSchedule,
  readDiscoveryLogs,
  readRunLogs,
  reconcilePatterns,
  refreshSchema,
  registerPattern,
  resetSource,
  resetStream,
  resumeSchedule,
  revokeCredential,
  rotateCredentials,
  setCredentials,
  startDiscovery,
  startReplay,
  startSync,
  triggerSchedule,
  updateSource,
  updateStream,
  verifySync,
} from '../contract.ts';
import type { credentialService } from '../service/credential/service.ts';
import type { discoveryService, HowToStart } from '../service/discovery/service.ts';
import type { patternService } from '../service/pattern/service.ts';
import type { replayService } from '../service/quarantine/service.ts';
import { SOURCE_SUBJECT } from '../service/readiness/contributed-checks.ts';
import type { receiptService } from '../service/receipt/service.ts';
import type { sourceLogService } from '../service/run-log/service.ts';
import type { scheduleService } from '../service/schedule/service.ts';
import type { sourceService } from '../service/source/service.ts';
import type { bulkService } from '../service/stream/bulk-service.ts';
import type { refreshService } from '../service/stream/refresh-service.ts';
import type { resetService } from '../service/stream/reset-service.ts';
import type { streamService } from '../service/stream/service.ts';
import type { syncRunService } from '../service/sync/run-service.ts';
import type { syncService } from '../service/sync/service.ts';
import type { statsService } from '../service/sync/stats-service.ts';
import type { tableRefsService } from '../service/sync/table-refs-service.ts';
import type { verificationService } from '../service/verification/service.ts';

export interface RouteServices {
  readiness: Kernel['readiness'];
  patterns: ReturnType<typeof patternService>;
  sources: ReturnType<typeof sourceService>;
  streams: ReturnType<typeof streamService>;
  bulk: ReturnType<typeof bulkService>;
  refreshes: ReturnType<typeof refreshService>;
  resets: ReturnType<typeof resetService>;
  discoveries: ReturnType<typeof discoveryService>;
  credentials: ReturnType<typeof credentialService>;
  syncs: ReturnType<typeof syncService>;
  schedules: ReturnType<typeof scheduleService>;
  syncRuns: ReturnType<typeof syncRunService>;
  runLogs: ReturnType<typeof sourceLogService>;
  receipts: ReturnType<typeof receiptService>;
  replays: ReturnType<typeof replayService>;
  verifications: ReturnType<typeof verificationService>;
  stats: ReturnType<typeof statsService>;
  tableRefs: ReturnType<typeof tableRefsService>;
}

/** Every endpoint of the plugin with the service call that carries it out. */
export function routes(services: RouteServices): AnyRoute[] {
  return [
    ...sourceRoutes(services),
    ...scheduleRoutes(services),
    ...credentialRoutes(services),
    ...streamRoutes(services),
    ...runRoutes(services),
    ...logRoutes(services),
  ];
}

function sourceRoutes({ patterns, sources, readiness, tableRefs }: RouteServices): AnyRoute[] {
  return [
    handle(discoverPatterns, ({ query }) => patterns.list(query)),
    handle(getPattern, ({ params }) => patterns.get(params.pattern_id)),
    handle(registerPattern, ({ body }) => patterns.register(body.pattern)),
    handle(reconcilePatterns, ({ body, query }) => patterns.reconcile(body, query.dry_run === true)),
    handle(createSource, ({ tenant, body }) => sources.create(tenant, body)),
    handle(listSources, ({ tenant, query }) => sources.list(tenant, query)),
    handle(getSource, ({ tenant, params }) => sources.get(tenant, params.source_id)),
    handle(updateSource, ({ tenant, params, body, ifMatch }) =>
      sources.update(tenant, { sourceId: params.source_id, patch: body, ifMatch }),
    ),
    handle(deleteSource, ({ tenant, params, ifMatch }) => sources.retire(tenant, params.source_id, ifMatch)),
    handle(getSourceReadiness, ({ tenant, params }) => readiness(tenant, SOURCE_SUBJECT, params.source_id)),
    handle(listTableFormatRefs, ({ tenant, params, query }) => tableRefs.list(tenant, params.source_id, query)),
  ];
}

function scheduleRoutes({ schedules }: RouteServices): AnyRoute[] {
  const from = ({
    params,
    ifMatch,
    principal,
  }: { params: { source_id: string } } & Pick<CallContext, 'ifMatch' | 'principal'>) => ({
    sourceId: params.source_id,
    by: requestedBy(principal),
    ifMatch,
  });
  return [
    handle(getSchedule, ({ tenant, params }) => schedules.get(tenant, params.source_id)),
    handle(putSchedule, (call) => schedules.put(call.tenant, call.body, from(call))),
    handle(deleteSchedule, ({ tenant, params, ifMatch }) => schedules.remove(tenant, params.source_id, ifMatch)),
    handle(pauseSchedule, (call) => schedules.pause(call.tenant, call.body.reason, from(call))),
    handle(resumeSchedule, (call) => schedules.resume(call.tenant, from(call))),
    handle(triggerSchedule, ({ tenant, principal, params, query }) =>
      schedules.trigger(tenant, params.source_id, howToStart(principal, query)),
    ),
    handle(listSchedules, ({ tenant, query }) => schedules.list(tenant, query)),
  ];
}

function credentialRoutes({ credentials }: RouteServices): AnyRoute[] {
  return [
    handle(getCredentials, ({ tenant, params }) => credentials.get(tenant, params.source_id)),
    handle(setCredentials, ({ tenant, params, body }) => credentials.set(tenant, params.source_id, body)),
    handle(rotateCredentials, ({ tenant, params, body, ifMatch }) =>
      credentials.rotate(tenant, params.source_id, { body, ifMatch }),
    ),
    handle(detachCredentials, ({ tenant, params }) => credentials.detach(tenant, params.source_id)),
    handle(migrateCredentials, ({ tenant, params, body }) => credentials.migrate(tenant, params.source_id, body)),
    handle(revokeCredential, ({ tenant, params }) => credentials.revoke(tenant, params.credential_ref)),
  ];
}

function streamRoutes({ streams, bulk, refreshes, resets }: RouteServices): AnyRoute[] {
  return [
    handle(listStreams, ({ tenant, params, query }) => streams.list(tenant, params.source_id, query)),
    handle(createStream, ({ tenant, params, body }) => streams.create(tenant, params.source_id, body)),
    handle(getStream, ({ tenant, params }) => streams.get(tenant, params)),
    handle(updateStream, ({ tenant, params, body, ifMatch }) => streams.update(tenant, params, body, ifMatch)),
    handle(deleteStream, ({ tenant, params, ifMatch }) => streams.remove(tenant, params, ifMatch)),
    handle(bulkStreams, ({ tenant, params, body }) => bulk.apply(tenant, params.source_id, body.streams)),
    handle(refreshSchema, ({ tenant, params, query, body }) =>
      refreshes.refresh(tenant, params.source_id, { given: body, dryRun: query.dry_run === true }),
    ),
    handle(previewReset, ({ tenant, params }) => resets.preview(tenant, params)),
    handle(previewSourceReset, ({ tenant, params }) => resets.previewAll(tenant, params.source_id)),
    handle(resetSource, ({ tenant, params, ifMatch }) => resets.resetAll(tenant, params.source_id, ifMatch)),
    handle(resetStream, ({ tenant, params, ifMatch }) => resets.reset(tenant, params, ifMatch)),
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
}: RouteServices): AnyRoute[] {
  return [
    handle(startDiscovery, ({ tenant, principal, body, query }) =>
      discoveries.start(tenant, body, howToStart(principal, query)),
    ),
    handle(getDiscoveryStatus, ({ tenant, params }) => discoveries.status(tenant, params.workflow_id)),
    handle(startSync, ({ tenant, principal, params, query }) =>
      syncs.start(tenant, params.source_id, howToStart(principal, query)),
    ),
    handle(getSyncStatus, ({ tenant, params, query }) => syncs.status(tenant, params.source_id, query.run_id)),
    handle(listSyncHistory, ({ tenant, params, query }) => syncs.history(tenant, params.source_id, query)),
    handle(getSyncStats, ({ tenant, params, query }) => stats.stats(tenant, params.source_id, query.since)),
    handle(cancelSync, ({ tenant, params }) => syncRuns.cancel(tenant, params.sync_run_id)),
    handle(getSyncRun, ({ tenant, params }) => syncRuns.details(tenant, params.workflow_id)),
    handle(getSyncReceipt, ({ tenant, params }) => receipts.get(tenant, params.sync_run_id)),
    handle(verifySync, ({ tenant, principal, params, query }) =>
      verifications.start(tenant, params.sync_run_id, howToStart(principal, query)),
    ),
    handle(getVerification, ({ tenant, params, query }) =>
      verifications.get(tenant, params.sync_run_id, query.verification_run_id),
    ),
    handle(startReplay, ({ tenant, principal, body, query }) =>
      replays.start(tenant, body, howToStart(principal, query)),
    ),
    handle(getReplay, ({ tenant, params }) => replays.get(tenant, params.replay_run_id)),
    handle(listSyncRunStreams, ({ tenant, params, query }) => syncRuns.streams(tenant, params.sync_run_id, query)),
  ];
}

function logRoutes({ runLogs }: RouteServices): AnyRoute[] {
  return [
    handle(readRunLogs, ({ tenant, params, query, signal }) => runLogs.page(tenant, params, { query, signal })),
    handle(downloadRunLogs, ({ tenant, params, query, mediaType }) =>
      runLogs.download(tenant, params, { query, mediaType }),
    ),
    handle(readDiscoveryLogs, ({ tenant, params, query, signal }) => runLogs.page(tenant, params, { query, signal })),
    handle(downloadDiscoveryLogs, ({ tenant, params, query, mediaType }) =>
      runLogs.download(tenant, params, { query, mediaType }),
    ),
  ];
}

function howToStart(principal: CallContext['principal'], { queue }: { queue?: boolean | undefined }): HowToStart {
  return { requestedBy: requestedBy(principal), queue };
}

function requestedBy(principal: CallContext['principal']): string {
  return principal.kind === 'anonymous' ? 'anonymous' : principal.subject;
}
