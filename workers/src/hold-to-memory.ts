import { totalmem } from 'node:os';
import { Refusal, type RunningPlatform } from '@weir/kernel/boot';
import { capacityPrefix, readCapacity } from './capacity.ts';
import type { Role } from './roles.ts';

const MIB = 1024 * 1024;
/** What the worker takes itself, whatever its roles do: a bar of `npm run bench -- memory`. */
const WORKER_MIB = 512;

/** How many slots a role has, and what one takes beside the worker. */
export interface RoleSlots {
  role: string;
  slots: number;
  slotMiB: number;
}

/**
 * The roles whose slots do not fit into the memory of a worker, which must hold itself and the slots of all of its roles: each by the
 * variable to change, and to what when the others stay as they are. Pure.
 */
export function memoryFaults(memoryMiB: number, roles: readonly RoleSlots[]): string[] {
  const taken = roles.reduce((sum, { slots, slotMiB }) => sum + slots * slotMiB, WORKER_MIB);
  if (taken <= memoryMiB) return [];
  return roles
    .filter(({ slotMiB }) => slotMiB > 0)
    .map(({ role, slots, slotMiB }) => {
      const fit = Math.max(0, Math.floor((memoryMiB - taken) / slotMiB) + slots);
      const room = fit === 0 ? 'not one of them does' : `${fit} of them do`;
      const name = `${capacityPrefix(role)}_MAX_CONCURRENT_ACTIVITIES`;
      return `${name} is ${slots}, and so many slots of ${slotMiB} MiB do not fit into the ${memoryMiB} MiB of this worker, which takes ${WORKER_MIB} itself: ${room}`;
    });
}

/**
 * Outside of development it throws the `Refusal` of a worker whose slots do not fit into its memory: were they all busy, the system
 * would end processes of it. In development it warns.
 */
export function holdToMemory(
  { settings, log }: Pick<RunningPlatform, 'settings' | 'log'>,
  roles: readonly Pick<Role, 'door'>[],
  environment: Readonly<Record<string, string | undefined>>,
  memoryMiB = ownMemoryMiB(),
): void {
  const slots = roles.map(({ door: { role, slotMiB = 0 } }) => {
    return { role, slots: readCapacity(role, environment).activities, slotMiB };
  });
  const faults = memoryFaults(memoryMiB, slots);
  if (faults.length === 0) return;
  if (settings.WEIR_MODE !== 'development') throw new Refusal('configuration refused', faults);
  log.warn({ faults }, 'this worker has more slots than its memory holds');
}

/** The memory of the machine, or of the control group that this process is held to. */
function ownMemoryMiB(): number {
  const constrained = process.constrainedMemory();
  return Math.floor(Math.min(totalmem(), constrained > 0 ? constrained : Number.POSITIVE_INFINITY) / MIB);
}
