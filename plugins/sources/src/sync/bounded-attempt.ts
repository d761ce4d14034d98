import type { Kernel, Tenant } from '@weir/kernel';
import type { TablesService } from '@weir/plugin-datasets/contract';
import { type Failure, inParallel, RunFailed, type UncountedAttempts } from '@weir/work';
import { StreamEntity } from '../stream/entity.ts';
import { checkpointKey } from './checkpoint-key.ts';
import { sourceFailure } from './failure.ts';
import { failureOf } from './failure-of.ts';
import { givenUp, isGivenUp, MAX_IDLE_ATTEMPTS, MAX_OWN_FAULTS } from './give-up.ts';
import { figuresOf } from './sync-figures.ts';

interface Bounded {
  tenant: Tenant;
  runId: string;
  sourceId: string;
  leaseEpoch: number;
  signal: AbortSignal;
  uncounted: Omit<UncountedAttempts, 'progress'>;
}

interface BoundDeps {
  kernel: Pick<Kernel, 'db'>;
  tables: Pick<TablesService, 'checkpoint'>;
}

/**
 * Does the work of an attempt, unless those before it were as many as a run may have that get nowhere, the last of which could
 * not tell: its worker died. A failure of the attempt itself is the run's last when no other may follow. One that is stopped, as
 * when its worker is replaced, is no try; nor is one of which the database cannot say now whether it got on.
 */
export async function boundedAttempt<R>(deps: BoundDeps, bounded: Bounded, work: () => Promise<R>): Promise<R> {
  const { leaseEpoch, signal, uncounted } = bounded;
  const judged = async (attempts: number, failure: Failure, cause?: unknown): Promise<RunFailed | undefined> => {
    const gotOnAt = await lastToGetOn(deps, bounded).catch((unknown: unknown) => {
      uncounted.add(leaseEpoch);
      throw unknown;
    });
    uncounted.forgetUntil(gotOnAt);
    const tries = { attempts, gotOnAt, uncounted: uncounted.numbers() };
    return isGivenUp(tries, failure) ? new RunFailed(givenUp(failure, tries), { cause }) : undefined;
  };
  const before = leaseEpoch - 1;
  const lost = before < MAX_IDLE_ATTEMPTS ? undefined : await judged(before, sourceFailure('worker_lost'));
  if (lost !== undefined) throw lost;
  try {
    return await work();
  } catch (error) {
    if (signal.aborted) {
      uncounted.add(leaseEpoch);
      throw error;
    }
    const failure = failureOf(error);
    if (!failure.retryable || leaseEpoch < MAX_OWN_FAULTS) throw error;
    throw (await judged(leaseEpoch, failure, error).catch(() => undefined)) ?? error;
  }
}

/**
 * The last attempt of a run that brought one of its streams forward, as it is stored with their rows; 0 when none has. One that was
 * switched off meanwhile counts for what it did.
 */
async function lastToGetOn({ kernel, tables }: BoundDeps, { tenant, runId, sourceId }: Bounded): Promise<number> {
  const rows = await kernel.db(tenant).transaction((tx) => tx.find(StreamEntity, { sourceId }));
  const figures = await inParallel(rows, async (row) =>
    figuresOf(await tables.checkpoint(tenant, checkpointKey(row)), runId),
  );
  return Math.max(0, ...figures.map(({ gotOnAt }) => gotOnAt));
}
