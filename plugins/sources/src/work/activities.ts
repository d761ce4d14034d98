import { cpus } from 'node:os';
import { Platform, type WorkerDeps } from '@weir/kernel';
import { Audits, Producers, Tables } from '@weir/plugin-datasets/contract';
import { RunLogs } from '@weir/plugin-platform/contract';
import {
  attempt,
  copyTokens,
  logEnd,
  logLeft,
  type Outcome,
  RunFailed,
  type RunInput,
  runActivities,
  runKeys,
  spareChild,
  tenantOf,
  uncountedAttempts,
  workFolders,
} from '@weir/work';
import { sourceFailure } from '../model/failure/failure.ts';
import { sourceFailures } from '../model/failure/failure-of.ts';
import { patternCatalog } from '../service/pattern/catalog.ts';
import { loadPatterns } from '../service/pattern/load-patterns.ts';
import { receiptService } from '../service/receipt/service.ts';
import { settingsOf } from '../settings.ts';
import { runReplay } from './quarantine/run-replay.ts';
import { roleEngine } from './runtime/role-engine.ts';
import { finishSync } from './sync/finish-sync.ts';
import { runAttempt } from './sync/run-attempt.ts';
import { beginSyncChild } from './sync/run-child.ts';
import { verifySyncRun } from './verification/verify-sync.ts';

export type SourceActivities = ReturnType<typeof sourceActivities>;

/** The activities of role `source`, over what the worker program gives. */
export function sourceActivities({ kernel, children, workDir }: WorkerDeps) {
  const { connectors } = loadPatterns(settingsOf(kernel).WEIR_PLATFORM, kernel.log);
  const catalog = patternCatalog(kernel.use(Platform).sql);
  const patterns = { of: catalog.of, connectors };
  const tables = kernel.use(Tables);
  const runLogs = kernel.use(RunLogs);
  const services = { tables, producers: kernel.use(Producers) };
  const auditing = { kernel, tables, audits: kernel.use(Audits), receipts: receiptService(kernel) };
  const engine = roleEngine(kernel, 'source');
  const folders = workFolders(workDir, logLeft(kernel));
  const tokens = copyTokens(cpus().length);
  const inContainers = settingsOf(kernel).SOURCE_SOCKET_DIR !== undefined;
  const spare = spareChild(() => beginSyncChild(children, { inContainers }));
  const attempting = { log: kernel.log, failures: sourceFailures, keysOf: runKeys(kernel, 'source_id') };
  const runs = runActivities({ kernel, runLogs, failures: sourceFailures, subject: 'source_id' });
  const swept = folders.sweep();

  return {
    /** Reads a source and loads its rows into bronze tables; one attempt. `waits` when the tenant has no lane free for it. */
    readAndLoad: (input: RunInput): Promise<'done' | 'waits'> =>
      attempt(attempting, input, async ({ signal, told, beat, log }) => {
        // Before anything that may fail, so that what was told before is told on.
        const uncounted = uncountedAttempts(told, beat);
        await swept;
        const tenant = await tenantOf(kernel, input);
        const run = await kernel.runs.find(tenant, input.run_id);
        if (run === undefined) throw new RunFailed({ ...sourceFailure('run_failed'), retryable: false });
        const { runId, subjectId: sourceId } = run;
        const request = { tenant, runId, sourceId, signal, uncounted, onProgress: uncounted.progress };
        return runAttempt(
          {
            kernel: { ...kernel, log },
            ...services,
            audits: auditing.audits,
            patterns,
            folders,
            tokens,
            children,
            spare,
            runLogs,
            engine,
          },
          request,
        );
      }),

    /** Makes a sync terminal. */
    endSync: async (input: RunInput, outcome: Outcome): Promise<void> => {
      const tenant = await tenantOf(kernel, input);
      await logEnd({ kernel, runLogs }, tenant, input.run_id, outcome);
      await finishSync(kernel, tenant, input.run_id, outcome);
    },

    /** Holds the receipt of a sync against its tables; one attempt. */
    verifySync: runs.attempt((run) => verifySyncRun(auditing, run)),

    /** Tries rejected lines again; one attempt. */
    replayQuarantine: runs.attempt(async (run) => {
      await swept;
      await spare.drop();
      await runReplay({ kernel, tables, folders, children }, run);
    }),

    /** Makes a run terminal to whose end nothing else belongs. */
    endRun: runs.end,
  };
}
