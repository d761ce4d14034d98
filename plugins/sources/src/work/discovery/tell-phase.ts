import type { Kernel, Tenant } from '@weir/kernel';
import type { DiscoveryPhase } from '../../contract.ts';
import { type PulledSoFar, pullView } from '../../model/sync/view.ts';

/** How often a pull that goes on is written. */
const PULL_EVERY_MS = 1_000;

/** Tells where an attempt of a discovery, or of an inspection, is. */
export interface PhaseTeller {
  enter(phase: Exclude<DiscoveryPhase, 'waiting' | 'pulling' | 'ended'>): void;
  pulling(soFar: PulledSoFar): void;
  /** Resolves when all of it is written; never rejects. */
  told(): Promise<void>;
}

/**
 * Writes where an attempt is into the row of its run, where the API reads it: a pull at most once a second, and the
 * newest that was told of it at last. What cannot be written is skipped, as it is of an attempt that a newer one has
 * replaced.
 */
export function tellPhase(
  kernel: Kernel,
  { tenant, runId, leaseEpoch }: { tenant: Tenant; runId: string; leaseEpoch: number },
  table: 'discovery' | 'inspection' = 'discovery',
): PhaseTeller {
  let writing: Promise<void> = Promise.resolve();
  let pull: PulledSoFar | undefined;
  let timer: NodeJS.Timeout | undefined;
  const write = (phase: DiscoveryPhase, soFar: PulledSoFar | undefined) => {
    const written = () =>
      kernel.db(tenant).transaction(async (tx) => {
        await kernel.runs.assertLease(tx, runId, leaseEpoch);
        const text = soFar === undefined ? null : JSON.stringify(pullView(soFar));
        await tx.sql(`update sources.${table} set phase = $2, pull = $3::jsonb where run_id = $1`, [
          runId,
          phase,
          text,
        ]);
      });
    writing = writing
      .then(written)
      .catch((error: unknown) => kernel.log.warn({ err: error }, 'the phase of a run could not be written'));
  };
  const writePull = () => {
    timer = undefined;
    if (pull === undefined) return;
    write('pulling', pull);
    pull = undefined;
    timer = setTimeout(writePull, PULL_EVERY_MS);
  };
  const endPull = () => {
    clearTimeout(timer);
    timer = undefined;
    pull = undefined;
  };
  return {
    enter(phase) {
      endPull();
      write(phase, undefined);
    },
    pulling(soFar) {
      pull = soFar;
      if (timer === undefined) writePull();
    },
    told() {
      endPull();
      return writing;
    },
  };
}
