import { Refusal, type RunningPlatform } from '@weir/kernel/boot';
import { capacityPrefix } from './process/capacity.ts';
import { type KernelFacts, machineMiB, memoryOfFiles } from './process/own-bounds.ts';
import type { Role } from './role/roles.ts';

/** What the worker takes itself, whatever its roles do: a bar of `npm run bench -- memory`. */
const WORKER_MIB = 512;

/** How many slots a role has, and what one takes beside the worker. */
export interface RoleSlots {
  role: string;
  slots: number;
  slotMiB: number;
}

/** The memory of a worker, and how much of it the files in its folders may take. */
export interface WorkerMemory {
  memoryMiB: number;
  filesMiB: number;
}

/**
 * The roles whose slots do not fit into the memory of a worker, which must hold itself, its files in memory and the slots of all of its
 * roles: each by the variable to change, and to what when the others stay as they are. Pure.
 */
export function memoryFaults({ memoryMiB, filesMiB }: WorkerMemory, roles: readonly RoleSlots[]): string[] {
  const taken = roles.reduce((sum, { slots, slotMiB }) => sum + slots * slotMiB, WORKER_MIB + filesMiB);
  if (taken <= memoryMiB) return [];
  return roles
    .filter(({ slotMiB }) => slotMiB > 0)
    .map(({ role, slots, slotMiB }) => {
      const fit = Math.max(0, Math.floor((memoryMiB - taken) / slotMiB) + slots);
      const room = fit === 0 ? 'not one of them does' : `${fit} of them do`;
      const files = filesMiB === 0 ? '' : ` and ${filesMiB} for files in memory`;
      const name = `${capacityPrefix(role)}_MAX_CONCURRENT_ACTIVITIES`;
      return `${name} is ${slots}, and so many slots of ${slotMiB} MiB do not fit into the ${memoryMiB} MiB of this worker, which takes ${WORKER_MIB} itself${files}: ${room}`;
    });
}

/**
 * Outside of development it throws the `Refusal` of a worker whose slots do not fit into its memory: were they all busy, the system
 * would end processes of it. In development it warns.
 */
export function holdToMemory(
  { settings, log }: Pick<RunningPlatform, 'settings' | 'log'>,
  roles: readonly Pick<Role, 'role' | 'slotMiB' | 'capacity'>[],
  memory: WorkerMemory,
): void {
  const slots = roles.map(({ role, slotMiB, capacity }) => ({ role, slots: capacity.activities, slotMiB }));
  const faults = memoryFaults(memory, slots);
  if (faults.length === 0) return;
  if (settings.WEIR_MODE !== 'development') throw new Refusal('configuration refused', faults);
  log.warn({ faults }, 'this worker has more slots than its memory holds');
}

/**
 * The memory of the machine, or of the control group that this process is held to, which its files in memory count in too: those in
 * these folders, and in that for temporary files. Of files nothing is known where nobody tells the facts.
 */
export function ownMemory(facts: KernelFacts | undefined, folders: readonly string[]): WorkerMemory {
  const filesMiB = facts === undefined ? 0 : memoryOfFiles(facts.mounts, [facts.temporary, ...folders]);
  return { memoryMiB: machineMiB(), filesMiB };
}
