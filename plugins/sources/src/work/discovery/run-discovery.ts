import type { ChildRegistry, Kernel, Tenant, TenantTransaction } from '@weir/kernel';
import { Problem } from '@weir/kernel/contract';
import type { ProducersService, TablesService } from '@weir/plugin-datasets/contract';
import type { RunLogsService } from '@weir/plugin-platform/contract';
import {
  type LeasedRun,
  type LogKeysOf,
  logEnd,
  type Outcome,
  RunFailed,
  type RunLogWriters,
  recordOf,
  run,
  tenantOf,
  type WorkFolders,
  type WorkKit,
} from '@weir/work';
import { DiscoveryEntity, type DiscoveryRow } from '../../model/discovery/entity.ts';
import { configFingerprint, credentialTag } from '../../model/discovery/seen.ts';
import { sourceFailure } from '../../model/failure/failure.ts';
import { failureOf } from '../../model/failure/failure-of.ts';
import { configText } from '../../model/pattern/with-manifest.ts';
import { DISCOVERY_KIND } from '../../model/run-kinds.ts';
import { chosenRuntime } from '../../model/runtime/chosen-runtime.ts';
import { SourceEntity } from '../../model/source/entity.ts';
import { sourceAfter } from '../../model/source/transitions.ts';
import { absentStreams } from '../../model/stream/discovery-warnings.ts';
import { StreamEntity } from '../../model/stream/entity.ts';
import { placedUpload } from '../../model/upload/upload-location.ts';
import { keepRotations } from '../../service/credential/keep-rotated.ts';
import { noteTold as noteToldCredentials, type PatternUser, type RunPatterns } from '../../service/pattern/catalog.ts';
import { isOwnImage } from '../../service/pattern/load-patterns.ts';
import { lockSource } from '../../service/row/live-source.ts';
import { rehearse } from '../../service/row/rehearse.ts';
import { applyRefresh, type RefreshDeps } from '../../service/stream/apply-refresh.ts';
import { hydrate } from '../../service/vault/hydrate.ts';
import { discoveryPlace, sourcePlace, storedAt } from '../../service/vault/stored-at.ts';
import type { StoredAt } from '../../service/vault/vault-access.ts';
import { connectorEnvironment, settingsOf } from '../../settings.ts';
import type { RoleEngine } from '../runtime/role-engine.ts';
import { attemptLimits, isOutOfMemory, unlessRaised } from '../sync/plan/attempt-limits.ts';
import { askConnector } from './ask-connector.ts';
import type { KnownSpecs } from './known-specs.ts';
import { tellPhase } from './tell-phase.ts';

export interface DiscoveryDeps extends WorkKit {
  patterns: RunPatterns;
  folders: WorkFolders;
  children: ChildRegistry;
  engine: RoleEngine;
  runLogs: RunLogsService;
  specs: KnownSpecs;
  tables: TablesService;
  producers: ProducersService;
}

/** A discovery: runs the connector and keeps what it describes in the discovery's row. */
export const discovering = run<DiscoveryDeps>(
  DISCOVERY_KIND,
  (given, deps) => discover(deps, { ...given, runId: given.run.runId }).catch(lastUnlessOurs),
  { end: finishDiscovery, keysOf: sourceKey },
);

/** Names the source of a discovery in its log lines, unless it is of a configuration alone. */
function sourceKey({ kernel }: WorkKit): LogKeysOf {
  return async (input) => {
    const { db } = kernel;
    const { run_id: runId } = input;
    const row = await db(await tenantOf(kernel, input)).transaction((tx) => tx.findOne(DiscoveryEntity, { runId }));
    return { source_id: row?.sourceId ?? undefined };
  };
}

/** A discovery is somebody's question: what the source or its configuration answers is the answer, and is not asked for again. */
export function lastUnlessOurs(error: unknown): never {
  const failure = failureOf(error);
  if (failure.origin === 'platform') throw error;
  throw new RunFailed({ ...failure, isLast: true }, { cause: error });
}

interface Discovering extends LeasedRun {
  runId: string;
}

/**
 * A connector that runs out of memory is asked once more with twice as much, as in a sync; within the attempt, since a
 * discovery has nothing to go on from that another attempt would need.
 */
async function discover(deps: DiscoveryDeps, discovering: Discovering): Promise<void> {
  try {
    await describe(deps, discovering, false);
  } catch (error) {
    if (!isOutOfMemory(failureOf(error))) throw error;
    discovering.log.failed(failureOf(error));
    await describe(deps, discovering, true).catch((again: unknown) => {
      throw new RunFailed(unlessRaised(failureOf(again), true), { cause: again });
    });
  }
}

async function describe(deps: DiscoveryDeps, discovering: Discovering, ranOut: boolean): Promise<void> {
  const { tenant, runId, leaseEpoch, signal, log, beat } = discovering;
  const { kernel, patterns, folders, engine, runLogs } = deps;
  const phase = tellPhase(kernel, discovering);
  phase.enter('preparing');
  const { row, config, at, user } = await readInput(kernel, tenant, runId);
  const pattern = await patterns.of(user);
  if (pattern === undefined || config === undefined) throw new RunFailed(sourceFailure('pattern_missing'));
  if (row.sourceId) await noteSeen(kernel, discovering, { source: { ...user, patternVersion: pattern.version }, at });
  const hydrated = await hydrate(kernel, tenant, config, at);
  const { WEIR_UPLOAD_DIR: uploads } = settingsOf(kernel);
  const placed = (given: Readonly<Record<string, unknown>>) => placedUpload(uploads, tenant.tenantId, given);
  const folder = await folders.make(`${runId}-${leaseEpoch}`);
  try {
    const choice = await engine.prepare();
    const runtime = chosenRuntime(choice, {
      connectors: patterns.connectors,
      workDir: folder,
      mode: kernel.mode,
      environment: connectorEnvironment(
        settingsOf(kernel),
        { kind: choice.kind, isOwnImage: isOwnImage(pattern.image, patterns.connectors), isLooked: !row.sourceId },
        folders.root,
        placed(config)?.folder,
      ),
    });
    const request = {
      image: pattern.image,
      role: 'discovery',
      labels: { tenant: tenant.tenantId, source: row.discoveryId, execution: runId, attempt: String(leaseEpoch) },
      limits: attemptLimits(pattern, ranOut),
      signal,
    };
    const owner = row.sourceId ? { sourceId: row.sourceId } : { discoveryRunId: runId };
    const rotations = keepRotations(kernel, { ...owner, tenant, pattern, config: hydrated.config });
    const noteTold = (pointers: readonly string[]) =>
      kernel.db(tenant).transaction((tx) => noteToldCredentials(tx.sql, user.patternId, pointers));
    const asking = { ...deps, runtime, rotations, pattern, noteTold, log, beat, phase, maxLogLines: runLogs.maxLines };
    const {
      streams,
      warnings: undescribed,
      looks,
      image,
    } = await askConnector(asking, request, {
      hydrated,
      again: async () => {
        const { config: same = config, at: now } = await readInput(kernel, tenant, runId);
        return hydrate(kernel, tenant, same, now);
      },
      textOf: (given) => configText(placed(given.config)?.config ?? given.config, pattern),
    });
    const foundStreams = streams.map(({ name, namespace }) => ({ name, namespace }));
    await kernel.db(tenant).transaction(async (tx) => {
      await kernel.runs.assertLease(tx, runId, leaseEpoch);
      const kept = await tx.findOne(DiscoveryEntity, { runId });
      if (kept === undefined) return;
      const known = row.sourceId ? await tx.find(StreamEntity, { sourceId: row.sourceId, enabled: true }) : [];
      const warnings = [...undescribed, ...absentStreams(known, { streams, warnings: undescribed })];
      const seen = image && { reference: pattern.image, ...image };
      await tx.update(kept, { streams, foundStreams, warnings, image: seen, looks: looks.length === 0 ? null : looks });
    });
  } finally {
    await phase.told();
    await engine.endAttempt({ execution: runId, attempt: String(leaseEpoch) });
    await folders.remove(folder);
  }
}

/** Keeps what the discovery of a source runs with, for readiness to compare with what the source has later. */
async function noteSeen(
  { db, runs }: Kernel,
  { tenant, runId, leaseEpoch }: Discovering,
  { source, at }: { source: PatternUser; at: StoredAt },
): Promise<void> {
  await db(tenant).transaction(async (tx) => {
    await runs.assertLease(tx, runId, leaseEpoch);
    await tx.sql('update sources.discovery set seen_config = $2, seen_credential = $3 where run_id = $1', [
      runId,
      configFingerprint(source),
      credentialTag(at),
    ]);
  });
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
      const { patternId, patternVersion } = row;
      const user = { patternId, patternVersion: patternVersion ?? '', sourceConfig: config ?? {} };
      return { row, config, user, at: await storedAt(tx, row, discoveryPlace(tenant, row.discoveryId)) };
    }
    const source = await tx.findOne(SourceEntity, { sourceId: row.sourceId });
    if (source === undefined) throw new RunFailed(sourceFailure('run_failed'));
    const at = await storedAt(tx, source, sourcePlace(tenant, row.sourceId));
    return { row, config: source.sourceConfig, user: source, at };
  });
}

interface FinishDeps extends Pick<RefreshDeps, 'patterns'>, Pick<DiscoveryDeps, 'tables' | 'producers'> {
  kernel: Pick<Kernel, 'db' | 'log' | 'runs'>;
  runLogs: RunLogWriters;
}

/**
 * Makes a discovery terminal; on success the streams of its source follow it, unless it only looks, all in one
 * transaction. Streams that cannot be kept fail the run; only what may pass when tried again is thrown. That is rehearsed
 * before the last line of the log is written, which tells the end. What else its end means is the business of
 * `settleDiscovery`, whoever ends it.
 */
export async function finishDiscovery(
  deps: FinishDeps,
  { tenant, runId, outcome }: { tenant: Tenant; runId: string; outcome: Outcome },
): Promise<void> {
  const { db, runs } = deps.kernel;
  const run = await runs.find(tenant, runId);
  if (run === undefined || run.endedAt !== undefined) return;
  const follow = (tx: TenantTransaction) => followDiscovery(tx, runId, deps);
  const kept = async () => (outcome.status === 'succeeded' ? rehearse(db(tenant), follow) : undefined);
  const rehearsed = await settled(deps, runId, outcome, kept);
  await logEnd(deps, tenant, runId, rehearsed);
  const finish = (ending: Outcome) =>
    runs.finish(tenant, runId, ending, {
      before: async (tx) => lockSource(tx, (await tx.findOne(DiscoveryEntity, { runId }))?.sourceId),
      async after(tx) {
        if (ending.status === 'succeeded') await follow(tx);
      },
    });
  // What is there beside it may have changed since it was rehearsed.
  const ending = await settled(deps, runId, rehearsed, () => finish(rehearsed));
  if (ending === rehearsed) return;
  await logEnd(deps, tenant, runId, ending);
  await finish(ending);
}

/** The outcome, or the failure that a good one comes to when this work fails for good. */
async function settled(
  { kernel }: FinishDeps,
  runId: string,
  outcome: Outcome,
  work: () => Promise<unknown>,
): Promise<Outcome> {
  try {
    await work();
    return outcome;
  } catch (error) {
    if (outcome.status !== 'succeeded' || error instanceof Problem) throw error;
    kernel.log.error({ err: error, run_id: runId }, 'what a discovery found could not be kept');
    return { status: 'failed', failure: recordOf(failureOf(error)) };
  }
}

async function followDiscovery(
  tx: TenantTransaction,
  runId: string,
  { tables, producers, patterns }: FinishDeps,
): Promise<void> {
  const row = await tx.findOne(DiscoveryEntity, { runId });
  if (!row?.sourceId || !row.applies) return;
  const source = await tx.findOne(SourceEntity, { sourceId: row.sourceId }, { lock: true });
  if (source === undefined || source.status === 'retired') return;
  const found = { found: row.streams ?? [], from: 'discovery' } as const;
  await applyRefresh(tx, source, found, { services: { tables, producers }, patterns, beforeRemoval });
  if (row.image !== null) await tx.update(source, { image: row.image });
  const status = sourceAfter(source.status, 'discovery_succeeded');
  if (status !== source.status) {
    await tx.update(source, { status, version: source.version + 1, updatedAt: new Date() });
  }
}

async function beforeRemoval(): Promise<never> {
  throw new Error('a discovery removes no stream');
}
