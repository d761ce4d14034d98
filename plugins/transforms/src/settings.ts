import { type Static, Type } from '@sinclair/typebox';
import type { Kernel, WorkerRoom } from '@weir/kernel';

/** What statements may take of a machine together, and the least that one of them may take. */
const MEMORY_SHARE = 0.25;
const LEAST_MEMORY_MIB = 1_024;

/** Environment variables of this plugin. */
export const settings = Type.Object({
  WEIR_TRANSFORM_MEMORY_MIB: Type.Optional(
    Type.Integer({
      minimum: 256,
      maximum: 1_048_576,
      description:
        'The process of a statement of a transform ends when it takes more memory; unless set, a quarter of the memory of the machine by the statements that run at the same time, and at least 1024',
    }),
  ),
  WEIR_TRANSFORM_DEADLINE_SECONDS: Type.Integer({
    minimum: 1,
    maximum: 86_400,
    default: 3600,
    description: 'A statement of a transform that takes longer is ended',
  }),
  WEIR_TRANSFORM_LANES_PER_TENANT: Type.Integer({
    minimum: 0,
    maximum: 1000,
    default: 4,
    description: 'Transforms of one tenant that run at the same time; the others wait. 0: as many as workers carry out',
  }),
});

/** The settings of this plugin, from the kernel that it was given. */
export function settingsOf({ settings: values }: Pick<Kernel, 'settings'>): Static<typeof settings> {
  return values as Static<typeof settings>;
}

/** The memory in MiB that each statement may take that a worker runs. */
export function statementMiB(kernel: Pick<Kernel, 'settings'>, { slots, memoryMiB }: WorkerRoom): number {
  const share = Math.floor((memoryMiB * MEMORY_SHARE) / slots);
  return settingsOf(kernel).WEIR_TRANSFORM_MEMORY_MIB ?? Math.max(LEAST_MEMORY_MIB, share);
}
