import { availableParallelism } from 'node:os';
import type { Tenant, WorkerDeps } from '@weir/kernel';
import { Inputs, Tables } from '@weir/plugin-datasets/contract';
import { RunLogs } from '@weir/plugin-platform/contract';
import { provenBounds } from '@weir/processes';
import {
  attempt,
  leasedAttempt,
  logLeft,
  type Outcome,
  type RunInput,
  runKeys,
  tenantOf,
  workFolders,
} from '@weir/work';
import { transformFailures } from '../model/failure/transform-failures.ts';
import { createSelects, type Selects } from '../service/select/selects.ts';
import { settingsOf } from '../settings.ts';
import { beginGroup, type GroupPlan } from './begin-group.ts';
import { carryOutTransform } from './carry-out.ts';
import { endGroup, endStep } from './end-group.ts';
import { pinGroup } from './pin-group.ts';
import { publishGroup } from './publish-group.ts';

export type TransformActivities = ReturnType<typeof transformActivities>;

const MS_PER_SECOND = 1_000;
/** A statement may spill so many times what it may hold in memory. */
const SPILL_FACTOR = 8;

/** The activities of role `transform`, over what the worker program gives. */
export function transformActivities({ kernel, children, workDir, slotMiB: memoryMiB }: WorkerDeps) {
  const { WEIR_TRANSFORM_LANES_PER_TENANT: lanes, ...own } = settingsOf(kernel);
  const bounds = {
    ...{ memoryMiB, spillMiB: SPILL_FACTOR * memoryMiB, threads: availableParallelism() },
    deadlineMs: own.WEIR_TRANSFORM_DEADLINE_SECONDS * MS_PER_SECOND,
  };
  const folders = workFolders(workDir, logLeft(kernel));
  const runLogs = kernel.use(RunLogs);
  const inputs = kernel.use(Inputs);
  const failures = transformFailures;
  const ofWhole = { log: kernel.log, failures, keysOf: runKeys(kernel) };
  const attempting = { log: kernel.log, failures, keysOf: runKeys(kernel, 'transform_id') };
  let opened: Promise<Selects> | undefined;
  const open = async () => {
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
  const groups = { kernel, inputs, runLogs };
  const kit = { kernel, runLogs, failures };

  return {
    /** Begins a whole in a lane of its tenant and answers its steps; `waits` when none is free. */
    beginGroup: async (input: RunInput): Promise<GroupPlan | 'waits'> =>
      beginGroup(kernel, await tenantOf(kernel, input), { runId: input.run_id, lanes }),

    /** Carries out one step of a whole; one attempt. A step that has ended stays as it is. */
    stageStep: (input: RunInput): Promise<void> =>
      attempt(attempting, input, async ({ signal }) => {
        const tenant = await tenantOf(kernel, input);
        const carried = await leasedAttempt(kit, input, { signal }, async (step) => {
          const deps = { kernel, inputs, tables: kernel.use(Tables), selects: await selects() };
          return carryOutTransform(deps, step);
        });
        if (carried !== 'staged') await endStep(groups, tenant, input.run_id, { status: 'succeeded' });
      }),

    /** Pins what no step of a whole makes, for all of them. */
    pinGroup: (input: RunInput): Promise<void> =>
      attempt(ofWhole, input, async () => pinGroup({ kernel, inputs }, await tenantOf(kernel, input), input.run_id)),

    /** Publishes what the steps of a whole have staged; `moved` where they are to be staged again. It goes on with the lease of the whole. */
    publishGroup: (input: RunInput, staged: number, leaseEpoch: number): Promise<'published' | 'moved'> =>
      attempt(ofWhole, input, async ({ number, signal }) => {
        const deps = { ...groups, tables: kernel.use(Tables) };
        const begin = async (tenant: Tenant) =>
          number === 1 ? { leaseEpoch } : kernel.runs.begin(tenant, input.run_id);
        const given = { signal, begin };
        const published = await leasedAttempt<'published' | 'moved'>(kit, input, given, (whole) =>
          publishGroup(deps, whole, staged),
        );
        return published ?? 'published';
      }),

    /** Ends a step that did not end well. */
    endStep: async (input: RunInput, outcome: Outcome): Promise<void> =>
      endStep(groups, await tenantOf(kernel, input), input.run_id, outcome),

    /** Ends a whole, and what of its steps is open. */
    endGroup: async (input: RunInput, outcome: Outcome): Promise<void> =>
      endGroup(groups, await tenantOf(kernel, input), input.run_id, outcome),
  };
}
