import { type Static, Type } from '@sinclair/typebox';
import type { Kernel } from '@weir/kernel';

/** Environment variables of this plugin. */
export const settings = Type.Object({
  WEIR_TRANSFORM_MEMORY_MIB: Type.Integer({
    minimum: 256,
    maximum: 1_048_576,
    default: 1024,
    description: 'The process of a statement of a transform ends when it takes more memory',
  }),
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
