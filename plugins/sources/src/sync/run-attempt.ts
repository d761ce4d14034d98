import type { Kernel, RunFailureRecord, Tenant } from '@weir/kernel';
import type { TableRef, TablesService } from '@weir/plugin-datasets/contract';
import type { LoadedPatterns } from '../pattern/load-patterns.ts';
import { connectorEnvironment } from '../settings.ts';
import { type ChildRegistry, settingsOf } from '../worker-deps.ts';
import type { CopyTokens } from './copy-tokens.ts';
import { RunFailed, sourceFailure } from './failure.ts';
import type { ChildPlan } from './messages.ts';
import { limitsOf, type PlannedStream, planSync, type SyncPlan } from './plan-sync.ts';
import { runChild } from './run-child.ts';
import { decidingFailure, type SyncLedger, syncLedger } from './sync-ledger.ts';
import type { WorkFolders } from './work-folders.ts';

const MS_PER_SECOND = 1_000;
const RECORD_EVERY_MS = 1_000;

export interface AttemptDeps {
  kernel: Kernel;
  tables: TablesService;
  patterns: LoadedPatterns;
  folders: WorkFolders;
  tokens: CopyTokens;
  children: ChildRegistry;
}

export interface AttemptRequest {
  tenant: Tenant;
  runId: string;
  sourceId: string;
  signal: AbortSignal;
  /** Called about every second with rows and bytes so far. */
  onProgress(totals: ReturnType<SyncLedger['totals']>): void;
}

/**
 * One attempt of a sync: takes the lease, plans, and lets a child process read and stage while this one commits. Resolves
 * when every stream is committed whole; throws `RunFailed` otherwise. A run that has ended before is left alone.
 */
export async function runAttempt(deps: AttemptDeps, request: AttemptRequest): Promise<void> {
  const { kernel, tables, folders } = deps;
  const { tenant, runId, sourceId } = request;
  const lease = await kernel.runs.begin(tenant, runId);
  if (lease === undefined) return;
  const plan = await planSync({ kernel, tables }, tenant, { runId, sourceId });
  const ledger = syncLedger(kernel, tables, { tenant, runId, ...lease }, plan);
  await ledger.open();
  const complete = plan.streams
    .filter((stream) => stream.complete)
    .map(({ row }) => ({ streamId: row.streamId, rows: 0 }));
  const open = plan.streams.filter((stream) => !stream.complete);
  const workDir = await folders.make(`${runId}-${lease.leaseEpoch}`);
  const recorder = startRecorder(ledger, request, kernel);
  try {
    const refused = plan.refused.map(({ row, failure }) => ({ streamId: row.streamId, rows: 0, failure }));
    const read =
      open.length === 0
        ? []
        : await runChild({
            plan: childPlan(deps, request, { plan, open, workDir, attempt: lease.leaseEpoch }),
            tokens: deps.tokens,
            children: deps.children,
            signal: request.signal,
            carryOut: (ask) =>
              ask.kind === 'commit'
                ? ledger.commit(ask)
                : tables.recordStaged(tenant, runId, [
                    { ref: refOf(open, ask), location: ask.location, isFolder: false },
                  ]),
            onProgress: ledger.progress,
          });
    await recorder.stop();
    const results = [...refused, ...read];
    await ledger.conclude([...complete, ...results]);
    const failure: RunFailureRecord | undefined = decidingFailure(results);
    if (failure !== undefined) throw new RunFailed(failure);
  } finally {
    await recorder.stop();
    await folders.remove(workDir);
  }
}

function refOf(open: readonly PlannedStream[], { streamId }: { streamId: string }): TableRef {
  const stream = open.find(({ row }) => row.streamId === streamId);
  if (stream === undefined) throw new Error('the sync process names a stream that is not in its plan');
  return stream.ref;
}

interface ChildPlanParts {
  plan: SyncPlan;
  open: readonly PlannedStream[];
  workDir: string;
  attempt: number;
}

/** What the child is given: the plan without anything of the database. */
function childPlan(deps: AttemptDeps, { tenant, runId, sourceId }: AttemptRequest, parts: ChildPlanParts): ChildPlan {
  const { kernel, patterns } = deps;
  const { plan, open, workDir, attempt } = parts;
  const pattern = patterns.patterns.get(plan.source.patternId);
  if (pattern === undefined) throw new RunFailed(sourceFailure('pattern_missing'));
  return {
    runId,
    mode: kernel.mode,
    workDir,
    image: pattern.image,
    connectors: patterns.connectors,
    environment: connectorEnvironment(settingsOf(kernel)),
    limits: limitsOf(pattern),
    commitAfterMs: settingsOf(kernel).WEIR_SYNC_COMMIT_SECONDS * MS_PER_SECOND,
    labels: { tenant: tenant.tenantId, source: sourceId, execution: runId, attempt: String(attempt) },
    config: JSON.stringify(plan.source.sourceConfig),
    catalog: plan.catalog,
    state: plan.state,
    streams: open.map((stream) => stream.child),
  };
}

/** Shows progress while an attempt runs, at most once a second; one that cannot be written is skipped. */
function startRecorder(ledger: SyncLedger, { onProgress }: AttemptRequest, kernel: Kernel): { stop(): Promise<void> } {
  let writing: Promise<void> = Promise.resolve();
  let busy = false;
  const timer = setInterval(() => {
    onProgress(ledger.totals());
    if (busy) return;
    busy = true;
    writing = ledger
      .record('reading')
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
