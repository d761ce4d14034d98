import type { Kernel, TenantTransaction } from '@weir/kernel';
import { v7 as uuidv7 } from 'uuid';
import { keyHash } from '../../model/entity/key.ts';
import {
  type BulkJob,
  type DeclaredType,
  type EntityChunk,
  type EntityItem,
  type OntologyStore,
  type StoreCall,
  StoreFault,
} from '../../model/entity/store.ts';
import { settledBulk } from '../store/settled-bulk.ts';
import { claim, claimedByOthers, dropClaims, firstClaims } from './claims.ts';
import { syncFailed } from './sync-failures.ts';
import {
  becomeDirty,
  type ChunkOf,
  judgeRange,
  type NextEnding,
  noteEnded,
  noteRange,
  type RangeAsked,
  type Rejected,
} from './take-range.ts';

/** The hash of a row that was sent and may have arrived: no row has it, so the next run sends the row again. */
const UNKNOWN = '0'.repeat(64);

/** A store at a service, and what its calls are made with. */
export interface Remote {
  kernel: Pick<Kernel, 'db' | 'runs'>;
  store: Pick<OntologyStore, 'submitBulk' | 'getBulkJob'>;
  call: StoreCall;
  signal: AbortSignal;
}

/**
 * Brings entities in step at a service: what is sent is claimed before, so that a run that ends in between leaves no entity
 * unclaimed, and the hash of a row is claimed once the service has taken it.
 */
export async function takeRangeRemote(remote: Remote, of: ChunkOf, asked: RangeAsked): Promise<Rejected> {
  const { runId, type, claimant } = of;
  const { seq } = asked.range;
  const judged = await underLease(remote, of, async (tx) => {
    const found = await judgeRange(tx, of, asked);
    if (found === undefined || found.sent.length === 0) return found;
    await claim(tx, claimant, { runId, rows: found.sent.map(({ key }) => ({ key, hash: UNKNOWN })) });
    await becomeDirty(tx, of);
    return found;
  });
  if (judged === undefined) return {};
  const { sent } = judged;
  const job =
    sent.length === 0 ? undefined : await sentTo(remote, { runId, seq, type, operation: 'upsert', items: sent });
  const taken = job === undefined ? [] : takenOf(sent, job);
  await underLease(remote, of, async (tx) => {
    await claim(tx, claimant, { runId, rows: taken.map(({ key, rowHash }) => ({ key, hash: rowHash })) });
    await noteRange(tx, of, asked.range, { ...judged, job });
  });
  return job === undefined ? judged.rejected : { ...judged.rejected, ...refusedBy(job) };
}

/** Gives the service the version of the type, which it may have been without when that was stored. */
export async function putType(
  store: Pick<OntologyStore, 'putEntityType'>,
  call: StoreCall,
  { code, version, fingerprint, document }: DeclaredType,
): Promise<void> {
  await store.putEntityType(call, { code, version, fingerprint, document }).catch((error: unknown) => {
    throw error instanceof StoreFault ? syncFailed('service_refused') : error;
  });
}

/** Ends all claims of a backing dataset that is deleted, once the service has deleted their entities. */
export async function removeRemote(
  { kernel: { db }, store, call }: Omit<Remote, 'signal'>,
  { claimant, type }: Pick<ChunkOf, 'claimant' | 'type'>,
): Promise<void> {
  const runId = uuidv7();
  for (let seq = 0; ; seq += 1) {
    const { keys, orphans } = await db(call.tenant).transaction(async (tx) => {
      const keys = await firstClaims(tx, claimant);
      const others = await claimedByOthers(tx, claimant, { keys, replaces: true });
      return { keys, orphans: keys.filter((key) => !others.has(key)) };
    });
    if (keys.length === 0) return;
    await settledBulk(store, call, { runId, seq, type, operation: 'delete', keys: orphans });
    await db(call.tenant).transaction((tx) => dropClaims(tx, claimant, keys));
  }
}

/** Ends claims, as far as one chunk goes, once the service has deleted their entities. */
export async function endNextRemote(remote: Remote, asked: ChunkOf, next: NextEnding): Promise<boolean> {
  const { of, keys, seq, orphans } = await underLease(remote, asked, async (tx) => {
    const found = await next(tx, asked);
    const others = await claimedByOthers(tx, found.of.claimant, { keys: found.keys, replaces: true });
    if (found.keys.length > 0) await becomeDirty(tx, asked);
    return { ...found, orphans: found.keys.filter((key) => !others.has(key)) };
  });
  if (keys.length === 0) return false;
  const { runId, type, claimant } = of;
  const job = await sentTo(remote, { runId, seq, type, operation: 'delete', keys: orphans });
  await underLease(remote, asked, async (tx) => {
    await dropClaims(tx, claimant, keys);
    await noteEnded(tx, of, { keys, seq, deleted: job.written, jobId: job.jobId });
  });
  return true;
}

const underLease = <T>(
  { kernel, call }: Remote,
  { runId, leaseEpoch }: ChunkOf,
  work: (tx: TenantTransaction) => Promise<T>,
): Promise<T> =>
  kernel.db(call.tenant).transaction(async (tx) => {
    await kernel.runs.assertLease(tx, runId, leaseEpoch);
    return work(tx);
  });

async function sentTo({ store, call, signal }: Remote, chunk: EntityChunk): Promise<BulkJob> {
  try {
    return await settledBulk(store, call, chunk, signal);
  } catch (error) {
    if (!(error instanceof StoreFault)) throw error;
    throw syncFailed(error.code === 'chunk_changed' ? 'chunk_changed' : 'service_refused');
  }
}

/** The items that the service has; without the reason of each refusal all of them count as unknown. */
function takenOf(sent: readonly EntityItem[], { submitted, completed, errors }: BulkJob): readonly EntityItem[] {
  if (errors.length < submitted - completed) return [];
  const refused = new Set(errors.map((one) => one.keyHash));
  return sent.filter(({ key }) => !refused.has(keyHash(key)));
}

const refusedBy = ({ submitted, completed }: BulkJob): Rejected =>
  submitted === completed ? {} : { refused_by_service: submitted - completed };
