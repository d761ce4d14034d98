import {
  type Kernel,
  type RunRecord,
  type RunWorkerView,
  runView,
  type Tenant,
  type TenantTransaction,
} from '@weir/kernel';
import { type Input, kernelProblems, type Output } from '@weir/kernel/contract';
import type { SecretValues } from '@weir/vault';
import { v7 as uuidv7 } from 'uuid';
import type { DiscoveryStatusView, readDiscoveryLooks, startDiscovery } from '../../contract.ts';
import { placeDigest } from '../../model/config/config-places.ts';
import type { CredentialRow } from '../../model/credential/entity.ts';
import { DiscoveryEntity, type DiscoveryRow } from '../../model/discovery/entity.ts';
import { waitsFor } from '../../model/discovery/waits-for.ts';
import type { Pattern } from '../../model/pattern/pattern-file.ts';
import { DISCOVERY_KIND } from '../../model/run-kinds.ts';
import type { SourceRow } from '../../model/source/entity.ts';
import { sourceAfter } from '../../model/source/transitions.ts';
import { phaseView } from '../../model/sync/view.ts';
import { settingsOf } from '../../settings.ts';
import type { PatternCatalog } from '../pattern/catalog.ts';
import { liveSource } from '../row/live-source.ts';
import { uploadService } from '../upload/upload-service.ts';
import { refuseUnfit } from '../vault/fit-to-run.ts';
import { usableCredential } from '../vault/rows.ts';
import { discoveryPlace } from '../vault/stored-at.ts';
import { type PendingCredentials, pendingCredentials, sealedValues } from './pending-credentials.ts';
import { LOOK_LIFE_MS } from './sweep-configs.ts';

/** How long a configuration that is no source yet is kept for its discovery. */
export const PENDING_CONFIG_MS = 60 * 60 * 1000;

/** Who asks for a run, and whether it may wait for a worker. */
export interface HowToStart {
  requestedBy: string;
  queue: boolean | undefined;
}

interface Deps {
  kernel: Kernel;
  patterns: PatternCatalog;
  /** What a source would run with after a change; throws as the change does. */
  configAfter(tenant: Tenant, asked: { sourceId: string; patch: Change }): Promise<ConfigAfter>;
}

/** Starting discoveries and reading how they stand. */
export function discoveryService(deps: Deps) {
  const { kernel } = deps;
  const uploads = uploadService(kernel);
  return {
    /** Starts a discovery of a source, or of a pattern with a configuration that is no source yet. */
    async start(tenant: Tenant, body: Input<typeof startDiscovery>['body'], how: HowToStart) {
      if (body.source_id !== undefined && body.source_config !== undefined) {
        await uploads.assertOwn(tenant, body.source_config);
        return startOfChange(deps, tenant, { sourceId: body.source_id, patch: body, how });
      }
      if (body.source_id !== undefined) {
        return startOfSource(deps, tenant, { sourceId: body.source_id, applies: body.apply ?? true, how });
      }
      await uploads.assertOwn(tenant, body.source_config);
      return startOfConfig(deps, tenant, body, how);
    },

    /** How a discovery stands, by its workflow id or run id. */
    async status(tenant: Tenant, id: string): Promise<DiscoveryStatusView> {
      const { run, row } = await found(kernel, tenant, id);
      return statusView(run, row, { worker: await kernel.runs.worker(tenant, run), settings: settingsOf(kernel) });
    },

    /** What a discovery has shown of the streams that it found. */
    async looks(tenant: Tenant, id: string): Promise<Output<typeof readDiscoveryLooks>> {
      const { run, row } = await found(kernel, tenant, id);
      const isThere = run.status === 'succeeded' && row.looks !== null && row.looks !== undefined;
      if (!isThere) return { streams: [], expires_at: null };
      const expires_at = new Date(row.createdAt.getTime() + LOOK_LIFE_MS).toISOString();
      return { streams: row.looks ?? [], expires_at };
    },
  };
}

const { kind } = DISCOVERY_KIND;

async function found(kernel: Kernel, tenant: Tenant, id: string): Promise<{ run: RunRecord; row: DiscoveryRow }> {
  const run = await kernel.runs.find(tenant, id, kind);
  const row = run && (await kernel.db(tenant).transaction((tx) => tx.findOne(DiscoveryEntity, { runId: run.runId })));
  if (run === undefined || row === undefined) throw kernelProblems.notFound();
  return { run, row };
}

/** One that only looks (`applies` false) leaves the source as it is, from its start to its end. */
async function startOfSource(
  { kernel, patterns }: Deps,
  tenant: Tenant,
  { sourceId, applies, how }: { sourceId: string; applies: boolean; how: HowToStart },
) {
  const db = kernel.db(tenant);
  const checked = async (tx: TenantTransaction, source: SourceRow) => {
    const pattern = await patterns.ofKnown(source, tx.sql);
    refuseUnfit(kernel, tenant, { source, pattern });
  };
  await db.transaction(async (tx) => checked(tx, await liveSource(tx, sourceId)));
  const admitted = await kernel.runs.admit(kind, { queue: how.queue });
  return db.transaction(async (tx) => {
    const source = await liveSource(tx, sourceId, { lock: true });
    await checked(tx, source);
    const started = await kernel.runs.start(tx, {
      kind,
      subjectId: sourceId,
      admitted,
      requestedBy: how.requestedBy,
    });
    const status = applies ? sourceAfter(source.status, 'discovery_started') : source.status;
    if (status !== source.status) {
      await tx.update(source, { status, version: source.version + 1, updatedAt: new Date() });
    }
    await tx.insert(DiscoveryEntity, {
      runId: started.run_id,
      discoveryId: sourceId,
      sourceId,
      applies,
      phase: 'waiting',
      patternId: source.patternId,
      createdAt: new Date(),
    });
    return started;
  });
}

type PendingConfig = Pick<
  Input<typeof startDiscovery>['body'],
  'pattern_id' | 'source_config' | 'credential_values' | 'credential_ref'
>;

/** Its credentials wait sealed in its row, which is all that the run knows of them. */
async function startOfConfig({ kernel, patterns }: Deps, tenant: Tenant, body: PendingConfig, how: HowToStart) {
  const { pattern_id: patternId = '', source_config: config = {}, ...input } = body;
  const pattern = await patterns.named(patternId);
  const discoveryId = uuidv7();
  const pending = await pendingCredentials(kernel, tenant, { discoveryId, pattern, config, input });
  return startPending(kernel, tenant, { discoveryId, pattern, config, pending, how });
}

type Change = Pick<PendingConfig, 'source_config' | 'credential_values'>;

/** A configuration without credentials, and new values of these or the credential that has them. */
export interface ConfigAfter {
  pattern: Pattern;
  visible: Record<string, unknown>;
  values: SecretValues;
  credential: CredentialRow | undefined;
}

/** Looks at a source as a change would leave it. Of the source itself nothing changes, so the run is not about it. */
async function startOfChange(
  deps: Deps,
  tenant: Tenant,
  { sourceId, patch, how }: { sourceId: string; patch: Change; how: HowToStart },
) {
  const { kernel } = deps;
  const { pattern, visible, values, credential } = await deps.configAfter(tenant, { sourceId, patch });
  const discoveryId = uuidv7();
  const pending: PendingCredentials =
    credential === undefined
      ? { visible, ...sealedValues(kernel, values, discoveryPlace(tenant, discoveryId)) }
      : { visible, find: (tx, options) => usableCredential(tx, wantedOf(credential, pattern, visible), options) };
  return startPending(kernel, tenant, { discoveryId, pattern, config: visible, pending, how, ofChange: true });
}

const wantedOf = ({ credentialId }: CredentialRow, pattern: Pattern, config: Record<string, unknown>) => ({
  key: { credentialId },
  pattern,
  place: placeDigest(config, pattern),
});

interface Pending {
  discoveryId: string;
  pattern: Pattern;
  config: Record<string, unknown>;
  pending: PendingCredentials;
  how: HowToStart;
  /** Whether it is of a source that would be changed so: no source is made of it. */
  ofChange?: boolean;
}

async function startPending(
  kernel: Kernel,
  tenant: Tenant,
  { discoveryId, pattern, config, pending, how, ofChange = false }: Pending,
) {
  const admitted = await kernel.runs.admit(kind, { queue: how.queue });
  return kernel.db(tenant).transaction(async (tx) => {
    const credential = await pending.find?.(tx, { lock: true });
    const started = await kernel.runs.start(tx, {
      kind,
      subjectId: discoveryId,
      admitted,
      requestedBy: how.requestedBy,
    });
    const now = Date.now();
    await tx.insert(DiscoveryEntity, {
      runId: started.run_id,
      discoveryId,
      applies: false,
      phase: 'waiting',
      patternId: pattern.id,
      patternVersion: ofChange ? pattern.version : null,
      sourceConfig: pending.visible,
      sealed: pending.sealed ?? null,
      place: placeDigest(config, pattern),
      credentialId: credential?.credentialId ?? null,
      expiresAt: new Date(now + PENDING_CONFIG_MS),
      createdAt: new Date(now),
    });
    return started;
  });
}

function statusView(
  run: RunRecord,
  row: DiscoveryRow,
  { worker, settings }: { worker: RunWorkerView | undefined; settings: ReturnType<typeof settingsOf> },
): DiscoveryStatusView {
  const streams = run.status === 'succeeded' ? row.streams : undefined;
  const facts = runView(run);
  const place = phaseView(facts, row);
  return {
    ...facts,
    ...place,
    waits_for: waitsFor(place.phase, settings),
    source_id: row.sourceId ?? null,
    pattern_id: row.patternId,
    apply: row.applies,
    streams: streams?.map(({ discovered: _own, ...stream }) => stream) ?? null,
    warnings: row.warnings ?? [],
    worker: worker ?? null,
  };
}
