import type { Kernel, RunRecord, Tenant } from '@weir/kernel';
import { type Input, kernelProblems, TERMINAL_RUN_STATUSES } from '@weir/kernel/contract';
import { v7 as uuidv7 } from 'uuid';
import { checkConfig } from '../config/check-config.ts';
import type { DiscoveryStatusView, startDiscovery } from '../contract.ts';
import type { Pattern } from '../pattern/pattern-file.ts';
import { DISCOVERY_KIND } from '../run-kinds.ts';
import { liveSource } from '../source/live-source.ts';
import { namedPattern } from '../source/service.ts';
import { sourceAfter } from '../source/transitions.ts';
import { failureView } from '../sync/view.ts';
import { DiscoveryEntity, type DiscoveryRow } from './entity.ts';

/** How long a configuration that is no source yet is kept for its discovery. */
export const PENDING_CONFIG_MS = 60 * 60 * 1000;

/** Starting discoveries and reading how they stand. */
export function discoveryService({ kernel, patterns }: { kernel: Kernel; patterns: ReadonlyMap<string, Pattern> }) {
  const ofSource = async (tenant: Tenant, sourceId: string, requestedBy: string) => {
    const admitted = await kernel.runs.admit(DISCOVERY_KIND.kind);
    return kernel.db(tenant).transaction(async (tx) => {
      const source = await liveSource(tx, sourceId, { lock: true });
      checkConfig(namedPattern(patterns, source.patternId), source.sourceConfig);
      const started = await kernel.runs.start(tx, {
        kind: DISCOVERY_KIND.kind,
        subjectId: sourceId,
        requestedBy,
        admitted,
      });
      const status = sourceAfter(source.status, 'discovery_started');
      if (status !== source.status) {
        await tx.update(source, { status, version: source.version + 1, updatedAt: new Date() });
      }
      await tx.insert(DiscoveryEntity, {
        runId: started.run_id,
        discoveryId: sourceId,
        sourceId,
        patternId: source.patternId,
        createdAt: new Date(),
      });
      return started;
    });
  };

  const ofConfig = async (
    tenant: Tenant,
    { patternId, config }: { patternId: string; config: Record<string, unknown> },
    requestedBy: string,
  ) => {
    checkConfig(namedPattern(patterns, patternId), config);
    const admitted = await kernel.runs.admit(DISCOVERY_KIND.kind);
    return kernel.db(tenant).transaction(async (tx) => {
      const discoveryId = uuidv7();
      const started = await kernel.runs.start(tx, {
        kind: DISCOVERY_KIND.kind,
        subjectId: discoveryId,
        requestedBy,
        admitted,
      });
      const now = Date.now();
      await tx.insert(DiscoveryEntity, {
        runId: started.run_id,
        discoveryId,
        patternId,
        sourceConfig: config,
        expiresAt: new Date(now + PENDING_CONFIG_MS),
        createdAt: new Date(now),
      });
      return started;
    });
  };

  return {
    /** Starts a discovery of a source, or of a pattern with a configuration that is no source yet. */
    start(tenant: Tenant, body: Input<typeof startDiscovery>['body'], requestedBy: string) {
      if (body.source_id !== undefined) return ofSource(tenant, body.source_id, requestedBy);
      const { pattern_id: patternId = '', source_config: config = {} } = body;
      return ofConfig(tenant, { patternId, config }, requestedBy);
    },

    /** How a discovery stands, by its workflow id or run id. */
    async status(tenant: Tenant, id: string): Promise<DiscoveryStatusView> {
      const run = await kernel.runs.find(tenant, id, DISCOVERY_KIND.kind);
      if (run === undefined) throw kernelProblems.notFound();
      const row = await kernel.db(tenant).transaction((tx) => tx.findOne(DiscoveryEntity, { runId: run.runId }));
      if (row === undefined) throw kernelProblems.notFound();
      return statusView(run, row);
    },
  };
}

function statusView(run: RunRecord, row: DiscoveryRow): DiscoveryStatusView {
  const streams = run.status === 'succeeded' ? row.streams : undefined;
  return {
    workflow_id: run.workflowId,
    run_id: run.runId,
    status: run.status,
    is_terminal: TERMINAL_RUN_STATUSES.includes(run.status),
    source_id: row.sourceId ?? null,
    pattern_id: row.patternId,
    streams: streams?.map(({ discovered: _own, ...stream }) => stream) ?? null,
    created_at: run.createdAt.toISOString(),
    started_at: run.startedAt?.toISOString() ?? null,
    ended_at: run.endedAt?.toISOString() ?? null,
    failure: failureView(run.failure),
  };
}
