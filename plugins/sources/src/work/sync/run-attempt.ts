import { SEGMENT_OFFER } from '@weir/connector-sdk';
import { drive, streamsOf, syncMachine } from '@weir/engine';
import { type ChildRegistry, faultpoint, type Kernel, type Tenant } from '@weir/kernel';
import type { AuditsService, ProducersService, TablesService } from '@weir/plugin-datasets/contract';
import type { RunLogsService } from '@weir/plugin-platform/contract';
import {
  type BegunChild,
  type CopyTokens,
  RunFailed,
  run,
  type SpareChild,
  type WorkFolders,
  type WorkKit,
  withChild,
} from '@weir/work';
import { sourceFailure } from '../../model/failure/failure.ts';
import type { Pattern } from '../../model/pattern/pattern-file.ts';
import { configText } from '../../model/pattern/with-manifest.ts';
import type { ChildPlan, StreamResult } from '../../model/process/messages.ts';
import { SYNC_KIND } from '../../model/run-kinds.ts';
import type { RuntimeChoice } from '../../model/runtime/runtime-choice.ts';
import { placedUpload } from '../../model/upload/upload-location.ts';
import { keepRotations } from '../../service/credential/keep-rotated.ts';
import type { RunPatterns } from '../../service/pattern/catalog.ts';
import { isOwnImage } from '../../service/pattern/load-patterns.ts';
import { liveSource } from '../../service/row/live-source.ts';
import { type HydratedConfig, hydrate } from '../../service/vault/hydrate.ts';
import { sourcePlace, storedAt } from '../../service/vault/stored-at.ts';
import { connectorEnvironment, settingsOf } from '../../settings.ts';
import type { RoleEngine } from '../runtime/role-engine.ts';
import { attemptEffects } from './attempt-effects.ts';
import { finishSync } from './finish-sync.ts';
import { lastProgress } from './last-progress.ts';
import { type AttemptLog, attemptLog } from './ledger/attempt-log.ts';
import { decidingFailure, type SyncLedger, syncLedger } from './ledger/sync-ledger.ts';
import { noteMergedFigures } from './merged-figures.ts';
import { attemptLimits, ranOutOfMemory, unlessRaised } from './plan/attempt-limits.ts';
import { type PlannedStream, planSync, type SyncPlan } from './plan/plan-sync.ts';
import { streamFailure } from './rule-failure.ts';
import { startChild } from './run-child.ts';
import { noteImage, pinnedImage } from './run-image.ts';

const MS_PER_SECOND = 1_000;
const RECORD_EVERY_MS = 1_000;

export interface AttemptDeps extends WorkKit {
  tables: TablesService;
  producers: ProducersService;
  audits: AuditsService;
  patterns: RunPatterns;
  folders: WorkFolders;
  tokens: CopyTokens;
  children: ChildRegistry;
  spare: SpareChild;
  runLogs: RunLogsService;
  engine: RoleEngine;
}

/** A sync: while its attempts make progress there is another one, until every stream is committed whole. */
export const syncing = run<AttemptDeps>(
  SYNC_KIND,
  ({ run: { runId, subjectId: sourceId }, ...given }, deps) =>
    withChild(deps.spare, (begun) =>
      runAttempt(deps, { ...given, runId, sourceId, begun, log: attemptLog(given.log) }),
    ),
  {
    idle: ({ tenant, run: { runId, subjectId: sourceId } }, deps) => lastProgress(deps, tenant, { runId, sourceId }),
    end: finishSync,
  },
);

interface SyncAttempt {
  tenant: Tenant;
  runId: string;
  leaseEpoch: number;
  sourceId: string;
  signal: AbortSignal;
  begun: BegunChild;
  log: AttemptLog;
  /** Takes about every second what a heartbeat reports. */
  beat(pulse: ReturnType<SyncLedger['pulse']>): void;
}

/**
 * One attempt of a sync: plans, and lets the engine decide while a child process reads and stages and this one commits.
 * Resolves when every stream is committed whole. @throws RunFailed
 */
async function runAttempt(deps: AttemptDeps, attempt: SyncAttempt): Promise<void> {
  const { kernel, tables, folders } = deps;
  const { tenant, runId, leaseEpoch, log } = attempt;
  const maxRejected = settingsOf(kernel).WEIR_SYNC_MAX_REJECTED_ROWS;
  const early = askedEarly(deps, attempt);
  const ranOut = await ranOutOfMemory(kernel, tenant, attempt);
  const plan = await planSync({ kernel, tables, maxRejected }, tenant, attempt);
  const ledger = syncLedger(kernel, tables, { tenant, runId, leaseEpoch }, plan);
  await ledger.open();
  log.planned(plan);
  const complete = plan.streams.filter((stream) => stream.complete).map(({ row }) => ({ streamId: row.streamId }));
  const open = plan.streams.filter((stream) => !stream.complete);
  const workDir = await folders.make(`${runId}-${leaseEpoch}`);
  const recorder = startRecorder(ledger, attempt, kernel);
  try {
    const refused = plan.refused.map(({ row, failure }) => ({ streamId: row.streamId, failure }));
    const parts = { ...attempt, plan, open, workDir, ledger, early, ranOut };
    const read = open.length === 0 ? [] : await carryOut(deps, parts);
    await recorder.stop();
    const results = [...refused, ...read];
    await ledger.conclude([...complete, ...results]);
    log.concluded(open, read);
    await noteMergedFigures(deps, { tenant, runId }, plan.streams.filter(ledger.isUncounted));
    const failure = decidingFailure(results);
    if (failure !== undefined) throw new RunFailed(unlessRaised(failure, ranOut));
    await faultpoint('S12');
  } finally {
    await recorder.stop();
    await folders.remove(workDir);
  }
}

interface AttemptParts extends SyncAttempt {
  plan: SyncPlan;
  open: readonly PlannedStream[];
  workDir: string;
  ledger: SyncLedger;
  early: Early;
  /** The attempt before this one ran out of memory. */
  ranOut: boolean;
}

/** What an attempt needs beside its plan, and waits for only when it has one. */
interface Early {
  hydrated: Promise<HydratedConfig>;
  runtime: Promise<RuntimeChoice>;
}

function askedEarly(deps: AttemptDeps, attempt: SyncAttempt): Early {
  const early = { hydrated: hydrateSource(deps, attempt), runtime: deps.engine.prepare() };
  for (const asked of Object.values<Promise<unknown>>(early)) asked.catch(() => undefined);
  return early;
}

/** Runs the machine of the attempt over its process; what became of each stream. The process has ended by then. */
async function carryOut(deps: AttemptDeps, parts: AttemptParts): Promise<StreamResult[]> {
  const { open, ledger, plan, signal } = parts;
  const pattern = await deps.patterns.of(plan.source);
  if (pattern === undefined) throw new RunFailed(sourceFailure('pattern_missing'));
  const hydrated = await parts.early.hydrated;
  const images: Promise<void>[] = [];
  const rotations = keepRotations(deps.kernel, { ...parts, pattern, config: hydrated.config });
  const runtime = await parts.early.runtime;
  const child = startChild({
    begun: parts.begun,
    plan: childPlan(deps, parts, { pattern, hydrated, runtime }),
    children: deps.children,
    onEvent: (event) => driver.send(event),
    onProgress: ledger.progress,
    onNoted: ledger.noted,
    onCovered: ledger.covered,
    onPull: ledger.pulling,
    onLog: parts.log.take,
    onRotated: rotations.take,
    onImage: (image) => images.push(noteImage(deps.kernel, parts, pattern, image)),
  });
  const streams = new Map(open.map((stream) => [stream.row.streamId, stream]));
  const machine = syncMachine(open.map(({ engine }) => engine));
  const driver = drive(machine, attemptEffects({ ...deps, ...parts, streams, child }));
  const cancel = () => driver.send({ type: 'cancel' });
  signal.addEventListener('abort', cancel, { once: true });
  if (signal.aborted) cancel();
  let how: 'in order' | 'at once' = 'at once';
  try {
    const end = await driver.ended;
    await rotations.kept();
    if (end.failed !== undefined) throw new RunFailed(end.failed.reported);
    how = 'in order';
    return streamsOf(end).map(({ plan: { id }, failure }) => ({
      streamId: id,
      ...(failure === undefined ? {} : { failure: streamFailure(failure) }),
    }));
  } finally {
    signal.removeEventListener('abort', cancel);
    await child.end(how);
    await deps.engine.endAttempt({ execution: parts.runId, attempt: String(parts.leaseEpoch) });
    await Promise.all(images);
  }
}

/** The configuration of the source with its credentials, as they are when the attempt begins to read. */
function hydrateSource({ kernel }: AttemptDeps, { tenant, sourceId }: SyncAttempt): Promise<HydratedConfig> {
  const read = kernel.db(tenant).transaction(async (tx) => {
    const source = await liveSource(tx, sourceId);
    return { config: source.sourceConfig, at: await storedAt(tx, source, sourcePlace(tenant, sourceId)) };
  });
  return read.then(({ config, at }) => hydrate(kernel, tenant, config, at));
}

/** What the child is given: the plan without anything of the database. */
function childPlan(
  deps: AttemptDeps,
  parts: AttemptParts,
  { pattern, hydrated, runtime }: { pattern: Pattern; hydrated: HydratedConfig; runtime: RuntimeChoice },
): ChildPlan {
  const { kernel, patterns } = deps;
  const { tenant, runId, sourceId, leaseEpoch, plan, open, workDir } = parts;
  const uploaded = placedUpload(settingsOf(kernel).WEIR_UPLOAD_DIR, tenant.tenantId, hydrated.config);
  return {
    runId,
    mode: kernel.mode,
    workDir,
    store: open[0]?.prepared.store ?? {},
    maxLogLines: deps.runLogs.maxLines,
    image: pattern.image,
    runtime,
    pinned: pinnedImage(plan.source, pattern.image),
    connectors: patterns.connectors,
    environment: connectorEnvironment(
      settingsOf(kernel),
      { kind: runtime.kind, isOwnImage: isOwnImage(pattern.image, patterns.connectors) },
      deps.folders.root,
      uploaded?.folder,
    ),
    limits: attemptLimits(pattern, parts.ranOut),
    segments: pattern.fast_path?.includes(SEGMENT_OFFER.channel) ?? false,
    commitAfterMs: settingsOf(kernel).WEIR_SYNC_COMMIT_SECONDS * MS_PER_SECOND,
    connectorSilenceMs: settingsOf(kernel).WEIR_SYNC_MAX_SILENT_SECONDS * MS_PER_SECOND,
    labels: { tenant: tenant.tenantId, source: sourceId, execution: runId, attempt: String(leaseEpoch) },
    secrets: hydrated.secrets,
    config: configText(uploaded?.config ?? hydrated.config, pattern),
    catalog: plan.catalog,
    state: plan.state,
    lastPosition: plan.lastPosition,
    streams: open.map((stream) => stream.child),
  };
}

/** Shows progress while an attempt runs, at most once a second; one that cannot be written is skipped. */
function startRecorder(ledger: SyncLedger, { beat }: SyncAttempt, kernel: Kernel): { stop(): Promise<void> } {
  let writing: Promise<void> = Promise.resolve();
  let busy = false;
  const timer = setInterval(() => {
    beat(ledger.pulse());
    if (busy) return;
    busy = true;
    writing = ledger
      .record()
      .catch((error: unknown) => kernel.log.warn({ err: error }, 'progress of a sync could not be written'))
      .finally(() => {
        busy = false;
      });
  }, RECORD_EVERY_MS);
  return {
    async stop() {
      clearInterval(timer);
      await writing;
    },
  };
}
