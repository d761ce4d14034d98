import { Refusal, type RunningPlatform } from '@weir/kernel/boot';

type LoadedPlugin = RunningPlatform['plugins'][number];

/** What a plugin's worker door exports as `worker`. */
export interface WorkerDoor {
  role: string;
  workflowsPath: string;
  activities(deps: {
    kernel: LoadedPlugin['kernel'];
    children: { started(child: { name: string; pid: number; parent: number }): void; ended(pid: number): void };
    workDir: string;
  }): object;
}

/** A role with the plugin that brings it. */
export interface Role {
  door: WorkerDoor;
  plugin: LoadedPlugin;
}

/** Loads the worker doors of the wanted roles. Throws a `Refusal` that names every role that no plugin brings. */
export async function loadRoles(platform: RunningPlatform, wanted: readonly string[]): Promise<Role[]> {
  const roles: Role[] = [];
  for (const plugin of platform.plugins) {
    for (const { role, entry } of plugin.manifest.workers ?? []) {
      if (!wanted.includes(role)) continue;
      const { worker } = (await platform.importDoor(plugin, entry)) as { worker?: WorkerDoor };
      if (worker?.role !== role) {
        throw new Refusal('worker refused', [
          `plugin ${plugin.manifest.id} declares role ${role} but ${entry} does not bring it`,
        ]);
      }
      roles.push({ door: worker, plugin });
    }
  }
  const missing = wanted.filter((role) => !roles.some(({ door }) => door.role === role));
  if (missing.length > 0)
    throw new Refusal(
      'worker refused',
      missing.map((role) => `no plugin brings the role ${role}`),
    );
  return roles;
}
