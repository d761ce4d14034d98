import { type ConnectorRuntime, type RunImage, readAnswer } from '@weir/connector-runtime';
import type { Kernel, Tenant, TenantTransaction } from '@weir/kernel';
import { Problem } from '@weir/kernel/contract';
import { type AttemptScrubbers, attemptScrubbers, hydrate } from '../credential/hydrate.ts';
import { discoveryPlace, sourcePlace, storedAt } from '../credential/stored-at.ts';
import type { StoredAt } from '../credential/vault-access.ts';
import type { PatternUser, RunPatterns } from '../pattern/catalog.ts';
import { withManifest } from '../pattern/with-manifest.ts';
import type { RoleEngine } from '../runtime/role-engine.ts';
import { chosenRuntime } from '../runtime/runtime-choice.ts';
import { connectorEnvironment } from '../settings.ts';
import { SourceEntity } from '../source/entity.ts';
import { lockSource } from '../source/live-source.ts';
import { sourceAfter } from '../source/transitions.ts';
import { applyRefresh } from '../stream/apply-refresh.ts';
import type { DestinationServices } from '../stream/destinations.ts';
import { failureOf, RunFailed, scrubbedFailure, sourceFailure, verdictFailure } from '../sync/failure.ts';
import type { Outcome } from '../sync/finish-sync.ts';
import { limitsOf } from '../sync/plan-sync.ts';
import type { WorkFolders } from '../sync/work-folders.ts';
import { type ChildRegistry, settingsOf } from '../worker-deps.ts';
import { DiscoveryEntity, type DiscoveryRow, type KeptStream } from './entity.ts';
import { readCatalog } from './read-catalog.ts';
import { scrubCatalog } from './scrub-catalog.ts';

export interface DiscoveryDeps {
  kernel: Kernel;
  patterns: RunPatterns;
  folders: WorkFolders;
  children: ChildRegistry;
  engine: RoleEngine;
}

/**
 * One attempt of a discovery: runs the connector and keeps what it describes in the discovery's row. Throws `RunFailed`.
 * A run that has ended before is left alone.
 */
export async function runDiscovery(
  deps: DiscoveryDeps,
  tenant: Tenant,
  runId: string,
  signal: AbortSignal,
): Promise<void> {
  const { kernel, patterns, folders, engine } = deps;
  const lease = await kernel.runs.begin(tenant, runId);
  if (lease === undefined) return;
  const { row, config, at, user } = await readInput(kernel, tenant, runId);
  const pattern = await patterns.of(user);
  if (pattern === undefined || config === undefined) throw new RunFailed(sourceFailure('pattern_missing'));
  const hydrated = await hydrate(kernel, tenant, config, at);
  const folder = await folders.make(`${runId}-${lease.leaseEpoch}`);
  try {
    const runtime = chosenRuntime(await engine.prepare(), {
      connectors: patterns.connectors,
      workDir: folder,
      mode: kernel.mode,
      environment: connectorEnvironment(settingsOf(kernel)),
    });
    const request = {
      image: pattern.image,
      role: 'discovery',
      labels: { tenant: tenant.tenantId, source: row.discoveryId, execution: runId, attempt: String(lease.leaseEpoch) },
      verb: 'discover' as const,
      inputs: { config: withManifest(hydrated.config, pattern) },
      limits: limitsOf(pattern),
      signal,
    };
    const { streams, image } = await discover(runtime, request, deps.children, attemptScrubbers(hydrated.secrets));
    await kernel.db(tenant).transaction(async (tx) => {
      await kernel.runs.assertLease(tx, runId, lease.leaseEpoch);
      const kept = await tx.findOne(DiscoveryEntity, { runId });
      if (kept !== undefined)
        await tx.update(kept, { streams, image: image && { reference: pattern.image, ...image } });
    });
  } finally {
    await engine.endAttempt({ execution: runId, attempt: String(lease.leaseEpoch) });
    await folders.remove(folder);
  }
}

async function discover(
  runtime: ConnectorRuntime,
  request: Parameters<ConnectorRuntime['run']>[0],
  children: ChildRegistry,
  scrubbers: AttemptScrubbers,
): Promise<{ streams: KeptStream[]; image: RunImage | null }> {
  const connector = await runtime.run(request);
  const { pid } = connector;
  if (pid !== undefined) children.started({ name: connector.name, pid, parent: process.pid });
  const answer = await readAnswer(connector, 'CATALOG');
  if (pid !== undefined) children.ended(pid);
  if (!answer.ok) throw new RunFailed(scrubbedFailure(verdictFailure(answer.failure), scrubbers.text));
  const described = scrubCatalog(answer.message.catalog.streams, scrubbers);
  const catalog = described === undefined ? 'catalog_holds_credential' : readCatalog(described);
  if (typeof catalog === 'string') throw new RunFailed(sourceFailure(catalog));
  return { streams: catalog, image: connector.image ?? null };
}

interface DiscoveryInput {
  row: DiscoveryRow;
  config: Record<string, unknown> | undefined;
  at: StoredAt;
  /** What says which version of the pattern is run: one that is no source yet has the one in force. */
  user: PatternUser;
}

async function readInput(kernel: Kernel, tenant: Tenant, runId: string): Promise<DiscoveryInput> {
  return kernel.db(tenant).transaction(async (tx) => {
    const row = await tx.findOne(DiscoveryEntity, { runId });
    if (row === undefined) throw new RunFailed(sourceFailure('run_failed'));
    if (!row.sourceId) {
      const config = row.sourceConfig ?? undefined;
      const user = { patternId: row.patternId, patternVersion: '', sourceConfig: config ?? {} };
      return { row, config, user, at: await storedAt(tx, row, discoveryPlace(tenant, row.discoveryId)) };
    }
    const source = await tx.findOne(SourceEntity, { sourceId: row.sourceId });
    if (source === undefined) throw new RunFailed(sourceFailure('run_failed'));
    const at = await storedAt(tx, source, sourcePlace(tenant, row.sourceId));
    return { row, config: source.sourceConfig, user: source, at };
  });
}

interface FinishDeps {
  kernel: Kernel;
  services: DestinationServices;
}

/**
 * Makes a discovery terminal; on success the streams of its source follow it, unless it only looks, all in one
 * transaction. Streams that cannot be kept fail the run; only what may pass when tried again is thrown. What else its end
 * means is the business of `settleDiscovery`, whoever ends it.
 */
export async function finishDiscovery(
  deps: FinishDeps,
  tenant: Tenant,
  runId: string,
  outcome: Outcome,
): Promise<void> {
  const { runs, log } = deps.kernel;
  try {
    await runs.finish(tenant, runId, outcome, {
      before: async (tx) => lockSource(tx, (await tx.findOne(DiscoveryEntity, { runId }))?.sourceId),
      async after(tx) {
        if (outcome.status === 'succeeded') await followDiscovery(tx, runId, deps.services);
      },
    });
  } catch (error) {
    if (outcome.status !== 'succeeded' || error instanceof Problem) throw error;
    log.error({ err: error, run_id: runId }, 'what a discovery found could not be kept');
    await runs.finish(tenant, runId, { status: 'failed', failure: failureOf(error) });
  }
}

async function followDiscovery(tx: TenantTransaction, runId: string, services: DestinationServices): Promise<void> {
  const row = await tx.findOne(DiscoveryEntity, { runId });
  if (!row?.sourceId || !row.applies) return;
  const source = await tx.findOne(SourceEntity, { sourceId: row.sourceId }, { lock: true });
  if (source === undefined || source.status === 'retired') return;
  await applyRefresh(tx, source, { found: row.streams ?? [], from: 'discovery' }, { services, beforeRemoval });
  if (row.image !== null) await tx.update(source, { image: row.image });
  const status = sourceAfter(source.status, 'discovery_succeeded');
  if (status !== source.status) {
    await tx.update(source, { status, version: source.version + 1, updatedAt: new Date() });
  }
}

async function beforeRemoval(): Promise<never> {
  throw new Error('a discovery removes no stream');
}
