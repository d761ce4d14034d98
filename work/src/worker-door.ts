import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { WorkerDeps, WorkerDoor } from '@weir/kernel';
import type { WorkKit } from './attempt/leased-attempt.ts';
import type { Run } from './attempt/run.ts';
import { activityNames } from './run-declaration.ts';

/** The door of a worker that carries out runs. */
export interface RunsDoor<Kit extends WorkKit> extends Pick<WorkerDoor, 'slotMiB' | 'slots'> {
  /** `import.meta.url` of the door. */
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
    workflowsPath: workflowsBeside(at),
    activities(deps) {
      const kit = kitOf(deps);
      return Object.assign({}, ...runs.map(({ activities }) => activities(kit)));
    },
    ungated: runs.map(({ declared }) => activityNames(declared).end),
  };
}

/** The file of the workflows beside a door, by the `import.meta.url` of that; in another folder than the usual where a plugin has more doors. */
export function workflowsBeside(at: string, folder = 'workflows'): string {
  return fileURLToPath(new URL(`./work/${folder}/index${extname(at)}`, at));
}

function kernelOf<Kit extends WorkKit>({ kernel }: WorkerDeps): Kit {
  return { kernel } as Kit;
}
