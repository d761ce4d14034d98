import type { Kernel, Tenant } from '@weir/kernel';
import { Refusal, type RunningPlatform } from '@weir/kernel/boot';

/** An operation that a plugin's worker door brings under `operations`. */
type Operation = (kernel: Kernel, tenants: readonly Tenant[]) => Promise<{ ok: boolean; told: object }>;

/** Finds an operation by its word, with the kernel of its plugin; throws a `Refusal` that lists those there are. */
export async function findOperation(
  platform: Pick<RunningPlatform, 'plugins' | 'importDoor'>,
  name: string,
): Promise<{ operation: Operation; kernel: Kernel }> {
  const known: string[] = [];
  for (const plugin of platform.plugins) {
    for (const entry of new Set((plugin.manifest.workers ?? []).map((worker) => worker.entry))) {
      const { operations = {} } = (await platform.importDoor(plugin, entry)) as {
        operations?: Record<string, Operation>;
      };
      known.push(...Object.keys(operations));
      if (Object.hasOwn(operations, name)) return { operation: operations[name] as Operation, kernel: plugin.kernel };
    }
  }
  throw new Refusal('operator refused', [`the operations are ${known.sort().join(', ') || 'none'}`]);
}
