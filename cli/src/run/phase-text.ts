import type { PullView } from '@weir/plugin-sources/contract';

/** Where a run is; of a pull also how far it is. */
export function phaseText({ phase, pull }: { phase: string; pull: PullView | null }): string {
  if (!pull) return phase;
  return `${phase} ${megabytes(pull.bytes)}${pull.total_bytes === null ? '' : ` of ${megabytes(pull.total_bytes)}`}`;
}

/** Bytes for people. */
export const megabytes = (bytes: number) => `${(bytes / 1_000_000).toFixed(1)} MB`;
