import { setTimeout as delay } from 'node:timers/promises';
import { kernelProblems } from '@weir/kernel/contract';
import type { BulkJob, EntityChunk, OntologyStore, StoreCall } from '../../model/entity/store.ts';

const [FIRST_PAUSE_MS, GROWTH, MAX_PAUSE_MS] = [20, 1.5, 2_000];
/** A job that takes longer is sent again by the next attempt, which finds it. */
const MAX_JOB_MS = 600_000;

/** Sends a chunk and waits until the store has taken it. Throws a `StoreFault`, and `dependency_unavailable`. */
export async function settledBulk(
  store: Pick<OntologyStore, 'submitBulk' | 'getBulkJob'>,
  call: StoreCall,
  chunk: EntityChunk,
  signal?: AbortSignal,
): Promise<BulkJob> {
  const until = performance.now() + MAX_JOB_MS;
  let job = await store.submitBulk(call, chunk);
  for (let pause = FIRST_PAUSE_MS; job.state === 'pending'; pause = Math.min(MAX_PAUSE_MS, pause * GROWTH)) {
    await delay(pause, undefined, { signal });
    const found = await store.getBulkJob(call, job.jobId);
    // A job that is gone was not taken; the same chunk makes another one.
    if (found === undefined || performance.now() > until) throw kernelProblems.dependencyUnavailable();
    job = found;
  }
  return job;
}
