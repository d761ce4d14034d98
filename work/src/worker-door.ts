import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { WorkerDeps, WorkerDoor } from '@weir/kernel';
import type { Run, WorkKit } from './attempt/run.ts';
import { activityNames } from './run-declaration.ts';

/** The door of a worker that carries out runs. */
export interface RunsDoor<Kit extends WorkKit> extends Pick<WorkerDoor, 'slotMiB' | 'slots'> {
  /** `import.meta.url` of the door: its workflows are in `work/workflows/index` beside it. */
  at: string;
  runs: readonly [Run<NoInfer<Kit>>, ...Run<NoInfer<Kit>>[]];
  /** What the runs share in a process; the kernel alone unless given. */
  kit?(deps: WorkerDeps): Kit;
}

/** The door of a role that carries out these kinds of runs. */
export function workerDoor<Kit extends WorkKit>({
  at,
  runs,
  kit: kitOf = kernelOf,
  ...sizes
}: RunsDoor<Kit>): WorkerDoor {
  return {
    ...sizes,
    role: runs[0].declared.role,
    workflowsPath: fileURLToPath(new URL(`./work/workflows/index${extname(at)}`, at)),
    activities(deps) {
      const kit = kitOf(deps);
      return Object.assign({}, ...runs.map(({ activities }) => activities(kit)));
    },
    ungated: runs.map(({ declared }) => activityNames(declared).end),
  };
}

function kernelOf<Kit extends WorkKit>({ kernel }: WorkerDeps): Kit {
  return { kernel } as Kit;
}
