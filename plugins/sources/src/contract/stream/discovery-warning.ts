import { type Static, Type } from '@sinclair/typebox';
import { Nullable } from '@weir/kernel/contract';

/** A stream that a discovery could not describe, or that the source no longer has; it stays as it was. */
export const DiscoveryWarning = Type.Object({
  name: Type.String(),
  namespace: Nullable(Type.String()),
  code: Type.String(),
  detail: Type.String(),
  hint: Nullable(Type.String()),
});
export type DiscoveryWarningView = Static<typeof DiscoveryWarning>;
