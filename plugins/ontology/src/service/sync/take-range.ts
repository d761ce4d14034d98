import type { Kernel, TenantTransaction } from '@weir/kernel';
import { itemFault } from '../../model/entity/key.ts';
import type { BulkJob, EntityChunk, EntityItem } from '../../model/entity/store.ts';
import type { MappedLine } from '../../model/sync/mapping.ts';
import type { SyncRange } from '../../model/sync/range.ts';
import type { SyncCounts, SyncMode } from '../../model/sync/words.ts';
import type { ValueFaults } from '../../model/type/value-faults.ts';
import { takeChunk } from '../store/take-chunk.ts';
import {
  type Claimant,
  claim,
  claimedByOthers,
  claimedTypes,
  claimsBetween,
  dropTypeClaims,
  firstClaims,
  markUnseen,
  unseenClaims,
} from './claims.ts';
import { endClaimsOn, keysDigest } from './end-claims.ts';
import { formerlyOwned, newestType } from './former.ts';
import { mergedItems, type Owned } from './owned.ts';
import { syncFailed } from './sync-failures.ts';

/** Of which run chunks are, and what it brings. */
export interface ChunkOf {
  runId: string;
  leaseEpoch: number;
  claimant: Claimant;
  type: EntityChunk['type'];
  owned: Owned;
  valueFaults: ValueFaults;
  /** Entities belong to this backing dataset alone. */
  replaces: boolean;
  /** Entities go with their rows. */
  mirrors: boolean;
}

/** Why rows were rejected, and how many. */
export type Rejected = Readonly<Record<string, number>>;

/** Brings entities in step in one transaction: entities, claims and the note of the chunk. One that was taken is not taken again. */
export async function takeRange(
  { db, runs }: Pick<Kernel, 'db' | 'runs'>,
  tenant: TenantTransaction['tenant'],
  of: ChunkOf,
  asked: RangeAsked,
): Promise<Rejected> {
  return db(tenant).transaction(async (tx) => {
    await runs.assertLease(tx, of.runId, of.leaseEpoch);
    const judged = await judgeRange(tx, of, asked);
    if (judged === undefined) return {};
    const { runId, type, claimant } = of;
    const { seq } = asked.range;
    const items = of.replaces ? judged.sent : await mergedItems(tx, type.code, of.owned, judged.sent);
    const job = items.length === 0 ? undefined : await takeChunk(tx, { runId, seq, type, operation: 'upsert', items });
    await claim(tx, claimant, { runId, rows: judged.sent.map(({ key, rowHash }) => ({ key, hash: rowHash })) });
    await noteRange(tx, of, asked.range, { ...judged, job });
    return judged.rejected;
  });
}

export interface RangeAsked {
  range: SyncRange;
  mode: SyncMode;
}

/** What becomes of the rows of a range. */
export interface JudgedRange {
  /** Entities that are sent, among those that are `good`. */
  sent: EntityItem[];
  good: number;
  rejected: Rejected;
}

/** Which rows are sent, with a mark on claims that the run is to end; undefined for a range that was taken. */
export async function judgeRange(
  tx: TenantTransaction,
  of: ChunkOf,
  { range, mode }: RangeAsked,
): Promise<JudgedRange | undefined> {
  const { seq, digest } = range;
  if (await isTaken(tx, { runId: of.runId, seq, digest })) return undefined;
  const claims = await standingOf(tx, of, { range, mode });
  const { good, rejected } = await accepted(tx, of, { lines: range.lines, claims: claims.hashes });
  await markUnseen(tx, of.claimant, { runId: of.runId, keys: claims.unseen });
  const sent = mode === 'full' ? good : good.filter(({ key, rowHash }) => claims.hashes.get(key) !== rowHash);
  return { sent, good: good.length, rejected };
}

/** Notes a range that was taken, by the job that took what was sent. */
export async function noteRange(
  tx: TenantTransaction,
  of: ChunkOf,
  { seq, digest }: Pick<SyncRange, 'seq' | 'digest'>,
  { sent, good, rejected, job }: JudgedRange & { job: BulkJob | undefined },
): Promise<void> {
  const written = job?.written ?? 0;
  const refusedByStore = job === undefined ? 0 : job.submitted - job.completed;
  const refused = Object.values(rejected).reduce((sum, count) => sum + count, 0);
  await noteChunk(tx, of, {
    operation: 'upsert',
    seq,
    digest,
    jobId: job?.jobId ?? `${of.runId}:upsert:${seq}`,
    submitted: sent.length + refused,
    completed: sent.length - refusedByStore,
    counts: {
      upserted: written,
      unchanged: good - refusedByStore - written,
      rejected: refused + refusedByStore,
      deleted: 0,
    },
  });
}

/** Claims that one chunk ends, the number of the chunk, and which entities they are on. */
export interface Ending {
  of: ChunkOf;
  keys: readonly string[];
  seq: number;
}
export type NextEnding = (tx: TenantTransaction, of: ChunkOf) => Promise<Ending>;

/** Ends claims, as far as one chunk goes; false once all have ended. */
export async function endNext(
  { db, runs }: Pick<Kernel, 'db' | 'runs'>,
  tenant: TenantTransaction['tenant'],
  asked: ChunkOf,
  next: NextEnding,
): Promise<boolean> {
  return db(tenant).transaction(async (tx) => {
    const { runId } = asked;
    await runs.assertLease(tx, runId, asked.leaseEpoch);
    const { of, keys, seq } = await next(tx, asked);
    if (keys.length === 0) return false;
    const { claimant, owned, type } = of;
    const { deleted, jobId } = await endClaimsOn(tx, { claimant, owned, type, keys, runId, seq });
    await noteEnded(tx, of, { keys, seq, deleted, jobId });
    return true;
  });
}

/** The next claims that the run did not see. */
export const nextUnseen: NextEnding = async (tx, of) => ({
  of,
  keys: await unseenClaims(tx, of.claimant, of.runId),
  seq: await deletions(tx, of.runId),
});

/** The next claims on entities of a type that the backing dataset filled before. */
export const nextFormer: NextEnding = async (tx, of) => {
  const { claimant, runId } = of;
  const typeCode = (await claimedTypes(tx, claimant.backingDatasetId)).find((code) => code !== claimant.typeCode);
  if (typeCode === undefined) return { of, keys: [], seq: 0 };
  const former = { ...claimant, typeCode };
  const seq = await deletions(tx, runId);
  if (!of.mirrors) {
    await dropTypeClaims(tx, former);
    return nextFormer(tx, of);
  }
  const owned = await formerlyOwned(tx, former);
  const keys = await firstClaims(tx, former);
  return { of: { ...of, claimant: former, owned, type: await newestType(tx, typeCode) }, keys, seq };
};

/** How many chunks of the run have ended claims. */
async function deletions(tx: TenantTransaction, runId: string): Promise<number> {
  const { rows } = await tx.sql(
    `select count(*) as chunks from ontology.bulk_chunk where tenant_id = $1 and run_id = $2 and operation = 'delete'`,
    [tx.tenant.tenantId, runId],
  );
  return Number(rows[0]?.chunks ?? 0);
}

/** Notes claims that have ended. */
export const noteEnded = (
  tx: TenantTransaction,
  of: ChunkOf,
  { keys, seq, deleted, jobId }: { keys: readonly string[]; seq: number; deleted: number; jobId: string },
): Promise<void> =>
  noteChunk(tx, of, {
    operation: 'delete',
    seq,
    digest: keysDigest(keys),
    jobId,
    submitted: keys.length,
    completed: keys.length,
    counts: { upserted: 0, unchanged: 0, rejected: 0, deleted },
  });

async function isTaken(
  tx: TenantTransaction,
  { runId, seq, digest }: { runId: string; seq: number; digest: string },
): Promise<boolean> {
  const { rows } = await tx.sql(
    `select digest from ontology.bulk_chunk
     where tenant_id = $1 and run_id = $2 and operation = 'upsert' and seq = $3`,
    [tx.tenant.tenantId, runId, seq],
  );
  if (rows[0] !== undefined && rows[0].digest !== digest) throw syncFailed('chunk_changed');
  return rows[0] !== undefined;
}

/** What is claimed of the keys, and claims on keys that the lines do not have or say that they are deleted. */
async function standingOf(
  tx: TenantTransaction,
  { claimant, mirrors }: ChunkOf,
  { range, mode }: { range: SyncRange; mode: SyncMode },
): Promise<{ hashes: Map<string, string>; unseen: string[] }> {
  const lines = new Map(range.lines.map((line) => [line.k, line]));
  const hashes = new Map<string, string>();
  const unseen: string[] = [];
  if (mode === 'append') return { hashes, unseen };
  for await (const page of claimsBetween(tx, claimant, range)) {
    for (const { key, hash } of page) {
      const line = lines.get(key);
      if (line !== undefined) hashes.set(key, hash);
      if (line === undefined ? mirrors : line.d) unseen.push(key);
    }
  }
  return { hashes, unseen };
}

/** The lines that become entities, and why others do not. */
async function accepted(
  tx: TenantTransaction,
  { claimant, replaces, valueFaults }: ChunkOf,
  { lines, claims }: { lines: readonly MappedLine[]; claims: ReadonlyMap<string, string> },
): Promise<{ good: EntityItem[]; rejected: Rejected }> {
  const fresh = lines.filter(({ k, d }) => !d && !claims.has(k)).map(({ k }) => k);
  const others = await claimedByOthers(tx, claimant, { keys: fresh, replaces });
  const good: EntityItem[] = [];
  const rejected: Record<string, number> = {};
  for (const line of lines) {
    if (line.d) continue;
    const item = itemOf(line);
    const fault =
      line.f ??
      valueFaults(line.p)[0]?.code ??
      itemFault(item) ??
      (others.has(line.k) ? 'claimed_by_other' : undefined);
    if (fault === undefined) good.push(item);
    else rejected[fault] = (rejected[fault] ?? 0) + 1;
  }
  return { good, rejected };
}

const itemOf = ({ k, h, p, l }: MappedLine): EntityItem => ({
  key: k,
  properties: Object.fromEntries(Object.entries(p).filter(([, value]) => value !== null)),
  links: l.map(({ r, t, k: targetKey }) => ({ relationship: r, targetType: t, targetKey })),
  rowHash: h,
});

interface NotedChunk {
  operation: EntityChunk['operation'];
  seq: number;
  digest: string;
  jobId: string;
  submitted: number;
  completed: number;
  counts: Omit<SyncCounts, 'read'>;
}

const COUNT = ['upserted', 'deleted', 'unchanged', 'rejected'] as const;
const ADD = `
update ontology.sync_run set counts = counts || jsonb_build_object(
  ${COUNT.map((name, at) => `'${name}', (counts ->> '${name}')::bigint + $${at + 3}`).join(', ')})
where tenant_id = $1 and run_id = $2`;

/** Notes a chunk on its run; the first that changes something makes the backing dataset dirty. */
async function noteChunk(tx: TenantTransaction, { runId, claimant }: ChunkOf, noted: NotedChunk): Promise<void> {
  const { tenantId } = tx.tenant;
  const { operation, seq, digest, jobId, submitted, completed, counts } = noted;
  await tx.sql(
    `insert into ontology.bulk_chunk (tenant_id, run_id, operation, seq, digest, job_id, submitted, completed, state)
     values ($1, $2, $3, $4, $5, $6, $7, $8, 'done')`,
    [tenantId, runId, operation, seq, digest, jobId, submitted, completed],
  );
  await tx.sql(ADD, [tenantId, runId, ...COUNT.map((name) => counts[name])]);
  if (completed > 0) await becomeDirty(tx, { runId, claimant });
}

/** From here on the store may hold a part of the run. */
export async function becomeDirty(
  tx: TenantTransaction,
  { runId, claimant }: Pick<ChunkOf, 'runId' | 'claimant'>,
): Promise<void> {
  await tx.sql(
    `update ontology.backing_dataset set dirty_run_id = $3
     where tenant_id = $1 and backing_dataset_id = $2 and dirty_run_id is distinct from $3`,
    [tx.tenant.tenantId, claimant.backingDatasetId, runId],
  );
}
