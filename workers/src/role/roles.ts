import type { WorkerDoor } from '@weir/kernel';
import { Refusal, type RunningPlatform } from '@weir/kernel/boot';
import { type Capacities, type Capacity, withSlots } from '../process/capacity.ts';
import { machineMiB } from '../process/own-bounds.ts';

type LoadedPlugin = RunningPlatform['plugins'][number];

/** What one plugin brings to a role. */
export interface Part {
  door: WorkerDoor;
  plugin: LoadedPlugin;
}

/** A role with the plugins that share it, and how much of its work is done at once. */
export interface Role {
  role: string;
  parts: readonly Part[];
  capacity: Capacity;
  /** The most memory in MiB that one activity takes in processes of its own. */
  slotMiB: number;
}

/**
 * Loads the worker doors of the wanted roles; `environment` says how many activities each takes, or its doors do. Throws one `Refusal` that names every role that no plugin brings, and
 * every door that does not hold what the manifest says, or does not say in whole MiB what an activity takes.
 */
export async function loadRoles(
  platform: Pick<RunningPlatform, 'plugins' | 'importDoor'>,
  wanted: Capacities,
  environment: Readonly<Record<string, string | undefined>> = {},
): Promise<Role[]> {
  const loaded = new Map<string, Part[]>([...wanted.keys()].map((role) => [role, []]));
  const faults: string[] = [];
  for (const plugin of platform.plugins) {
    const { id, workers = [] } = plugin.manifest;
    for (const { role, entry } of workers) {
      const parts = loaded.get(role);
      if (parts === undefined) continue;
      const { worker } = (await platform.importDoor(plugin, entry)) as { worker?: Partial<WorkerDoor> };
      if (!brings(worker, role)) faults.push(`plugin ${id} declares role ${role} but ${entry} does not bring it`);
      else if (!isSize(sizeOf(worker, plugin, 1)))
        faults.push(`slotMiB of the role ${role} of plugin ${id} is no whole number of MiB`);
      else if (worker.slots !== undefined && !(Number.isSafeInteger(worker.slots) && worker.slots > 0))
        faults.push(`slots of the role ${role} of plugin ${id} is no whole number above 0`);
      else parts.push({ door: worker, plugin });
    }
  }
  const declared = new Set(
    platform.plugins.flatMap(({ manifest }) => (manifest.workers ?? []).map(({ role }) => role)),
  );
  faults.push(
    ...[...wanted.keys()].filter((role) => !declared.has(role)).map((role) => `no plugin brings the role ${role}`),
  );
  if (faults.length > 0) throw new Refusal('worker refused', faults);
  return [...wanted].map(([role, capacity]) => {
    const parts = loaded.get(role) ?? [];
    const slots = Math.min(...parts.map(({ door }) => door.slots ?? capacity.activities));
    const held = withSlots(capacity, { role, slots }, environment);
    return {
      ...{ role, parts, capacity: held },
      slotMiB: Math.max(...parts.map(({ door, plugin }) => sizeOf(door, plugin, held.activities) ?? 0)),
    };
  });
}

const sizeOf = ({ slotMiB }: Partial<WorkerDoor>, { kernel }: LoadedPlugin, slots: number): number | undefined =>
  typeof slotMiB === 'function' ? slotMiB(kernel, { slots, memoryMiB: machineMiB() }) : slotMiB;

/** A third party's door is JavaScript that no compiler of ours has seen. */
function brings(worker: Partial<WorkerDoor> | undefined, role: string): worker is WorkerDoor {
  return worker?.role === role && typeof worker.workflowsPath === 'string' && typeof worker.activities === 'function';
}

function isSize(slotMiB: unknown): boolean {
  return slotMiB === undefined || (Number.isSafeInteger(slotMiB) && Number(slotMiB) >= 0);
}
