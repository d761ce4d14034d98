import type { WorkerDoor } from '@weir/kernel';
import { Refusal, type RunningPlatform } from '@weir/kernel/boot';
import type { Capacities, Capacity } from './capacity.ts';

type LoadedPlugin = RunningPlatform['plugins'][number];

/** A role with the plugin that brings it, and how much of its work is done at once. */
export interface Role {
  door: WorkerDoor;
  plugin: LoadedPlugin;
  capacity: Capacity;
}

/**
 * Loads the worker doors of the wanted roles. Throws one `Refusal` that names every role that no plugin brings, that two
 * bring (they would take each other's work from the one queue), whose door does not hold what the manifest says, or whose
 * door does not say in whole MiB what an activity takes.
 */
export async function loadRoles(
  platform: Pick<RunningPlatform, 'plugins' | 'importDoor'>,
  wanted: Capacities,
): Promise<Role[]> {
  const roles: Role[] = [];
  const faults: string[] = [];
  for (const plugin of platform.plugins) {
    const { id, workers = [] } = plugin.manifest;
    for (const { role, entry } of workers) {
      const capacity = wanted.get(role);
      if (capacity === undefined) continue;
      const { worker } = (await platform.importDoor(plugin, entry)) as { worker?: Partial<WorkerDoor> };
      const other = roles.find(({ door }) => door.role === role)?.plugin.manifest.id;
      if (other !== undefined) faults.push(`the role ${role} is brought by both ${other} and ${id}`);
      else if (!brings(worker, role)) faults.push(`plugin ${id} declares role ${role} but ${entry} does not bring it`);
      else if (!isSize(worker.slotMiB))
        faults.push(`slotMiB of the role ${role} of plugin ${id} is no whole number of MiB`);
      else roles.push({ door: worker, plugin, capacity });
    }
  }
  const declared = new Set(
    platform.plugins.flatMap(({ manifest }) => (manifest.workers ?? []).map(({ role }) => role)),
  );
  faults.push(
    ...[...wanted.keys()].filter((role) => !declared.has(role)).map((role) => `no plugin brings the role ${role}`),
  );
  if (faults.length > 0) throw new Refusal('worker refused', faults);
  return roles;
}

/** A third party's door is JavaScript that no compiler of ours has seen. */
function brings(worker: Partial<WorkerDoor> | undefined, role: string): worker is WorkerDoor {
  return worker?.role === role && typeof worker.workflowsPath === 'string' && typeof worker.activities === 'function';
}

function isSize(slotMiB: unknown): boolean {
  return slotMiB === undefined || (Number.isSafeInteger(slotMiB) && Number(slotMiB) >= 0);
}
