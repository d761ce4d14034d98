import type { TransformRunView } from '@weir/plugin-transforms/contract';

/** How long a run took, in milliseconds; undefined while it is open. */
export function runMs({ started_at: begun, created_at: made, ended_at: ended }: TransformRunView): number | undefined {
  return ended === null ? undefined : Math.max(0, Date.parse(ended) - Date.parse(begun ?? made));
}
