import type { Kernel } from '@weir/kernel';
import { Producers } from '@weir/plugin-datasets/contract';
import { Events } from '@weir/plugin-platform/contract';
import { transformService } from './transforms.ts';

export type TransformServices = ReturnType<typeof transformServices>;

/** What the calls of this plugin are answered by. */
export function transformServices(kernel: Kernel) {
  const producers = kernel.use(Producers);
  const events = kernel.use(Events);
  return { transforms: transformService({ kernel, producers, events }) };
}
