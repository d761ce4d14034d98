import { availableParallelism } from 'node:os';
import type { RunRecord, Tenant, WorkerDeps } from '@weir/kernel';
import { MAX_PAGE_SIZE } from '@weir/kernel/contract';
import { Inputs, Tables } from '@weir/plugin-datasets/contract';
import { RunLogs } from '@weir/plugin-platform/contract';
import { provenBounds } from '@weir/processes';
import {
  attempt,
  beginInLane,
  logEnd,
  loggedAttempt,
  logLeft,
  type Outcome,
  type RunInput,
  runKeys,
  tenantOf,
  workFolders,
} from '@weir/work';
import { transformFailures } from '../model/failure/transform-failures.ts';
import { TRANSFORM_KIND } from '../model/run-kinds.ts';
import { createSelects, type Selects } from '../service/select/selects.ts';
import { settingsOf } from '../settings.ts';
import { carryOutTransform } from './carry-out.ts';

export type TransformActivities = ReturnType<typeof transformActivities>;

const MS_PER_SECOND = 1_000;
/** A statement may spill so many times what it may hold in memory. */
const SPILL_FACTOR = 8;

/** The activities of role `transform`, over what the worker program gives. */
export function transformActivities({ kernel, children, workDir }: WorkerDeps) {
  const { WEIR_TRANSFORM_LANES_PER_TENANT: lanes, ...own } = settingsOf(kernel);
  const memoryMiB = own.WEIR_TRANSFORM_MEMORY_MIB;
  const bounds = {
    ...{ memoryMiB, spillMiB: SPILL_FACTOR * memoryMiB, threads: availableParallelism() },
    deadlineMs: own.WEIR_TRANSFORM_DEADLINE_SECONDS * MS_PER_SECOND,
  };
  const folders = workFolders(workDir, logLeft(kernel));
  const runLogs = kernel.use(RunLogs);
  const inputs = kernel.use(Inputs);
  const failures = transformFailures;
  const attempting = { log: kernel.log, failures, keysOf: runKeys(kernel, 'transform_id') };
  let opened: Promise<Selects> | undefined;
  const open = async () => {
    await folders.sweep();
    const { network, files, processes } = await provenBounds();
    if (!network || !files || !processes) {
      kernel.log.warn(
        { network, files, processes },
        'The system does not bound statements of users; their engine alone does',
      );
    }
    return createSelects({ children, scratch: await folders.make('selects'), bounds });
  };
  const selects = (): Promise<Selects> => {
    opened ??= open().catch((error) => {
      opened = undefined;
      throw error;
    });
    return opened;
  };
  const partsOf = async (tenant: Tenant, parentRunId: string): Promise<RunRecord[]> =>
    (await kernel.runs.page(tenant, { kind: TRANSFORM_KIND, parentRunId }, { limit: MAX_PAGE_SIZE })).items;

  return {
    /** The run of a transform that a materialization consists of; null when there is none any more. */
    async partOf(input: RunInput): Promise<RunInput | null> {
      const [part] = await partsOf(await tenantOf(kernel, input), input.run_id);
      return part === undefined ? null : { tenant_id: input.tenant_id, run_id: part.runId };
    },

    /** Carries out the run of a transform; one attempt. `waits` when the tenant has no lane free for it. */
    carryOut: (input: RunInput): Promise<'done' | 'waits'> =>
      attempt(attempting, input, async ({ signal }) => {
        const tenant = await tenantOf(kernel, input);
        const runId = input.run_id;
        const lease = await beginInLane(kernel, tenant, { runId, kind: TRANSFORM_KIND, lanes });
        if (lease === 'waits') return 'waits';
        const run = lease && (await kernel.runs.find(tenant, runId));
        if (lease === undefined || run === undefined) return 'done';
        // The whole is in hands as soon as its part is: it then shows as running, and a cancel asks the worker.
        if (run.parentRunId !== undefined) await kernel.runs.begin(tenant, run.parentRunId);
        await loggedAttempt({ runLogs, failures, tenant, runId, signal, ...lease }, async (log) => {
          const deps = { kernel, inputs, tables: kernel.use(Tables), selects: await selects() };
          await carryOutTransform(deps, { tenant, run, signal, log, ...lease });
        });
        return 'done';
      }),

    /** Makes a materialization terminal as its part ended, and the part if it is open. */
    async endMaterialization(input: RunInput, outcome: Outcome): Promise<void> {
      const tenant = await tenantOf(kernel, input);
      for (const { runId } of await partsOf(tenant, input.run_id)) {
        await logEnd({ kernel, runLogs }, tenant, runId, outcome);
        await kernel.runs.finish(tenant, runId, outcome, { after: (tx) => inputs.release(tx, runId) });
      }
      const [part] = await partsOf(tenant, input.run_id);
      const isSkipped = outcome.status === 'succeeded' && part?.status === 'skipped';
      await kernel.runs.finish(tenant, input.run_id, isSkipped ? { status: 'skipped' } : outcome);
    },
  };
}
