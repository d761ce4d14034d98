import type { TenantTransaction } from '@weir/kernel';
import { type EventsService, HINTS_KEPT_MS, type Hint } from '../contract.ts';
import type { Position } from './position.ts';

/** Hints stay this much longer than is promised, so that none vanishes between two reads of a stream that is open. */
const GRACE_MS = 10 * 60_000;
const PURGE_BATCH = 10_000;

/** A hint at its place. */
export interface PlacedHint extends Hint {
  at: Position;
}

/** Writes hints into `platform.event`, where each takes the id of its transaction. */
export const publisher: EventsService = {
  async publish(tx, { topic, id, version }) {
    await tx.sql('insert into platform.event (tenant_id, topic, subject_id, version) values ($1, $2, $3, $4)', [
      tx.tenant.tenantId,
      topic,
      id,
      version,
    ]);
  },
};

/**
 * The border behind which transactions may still be open. All that wrote before it have ended, so what is seen before it
 * is complete: a late committer always lies behind.
 */
export async function settledBorder(tx: TenantTransaction): Promise<Position> {
  const { rows } = await tx.sql('select pg_snapshot_xmin(pg_current_snapshot())::text as xid', []);
  return { xid: BigInt(String(rows[0]?.xid)), eventId: 0n };
}

/** Whether somebody at this place has missed hints: one behind it is too old to be kept, or the place is none of ours. */
export async function hasMissed(tx: TenantTransaction, { xid, eventId }: Position, now: number): Promise<boolean> {
  const { rows } = await tx.sql(
    `select $2::xid8 > pg_snapshot_xmax(pg_current_snapshot()) or exists (
       select 1 from platform.event
       where tenant_id = $1 and (xid, event_id) > ($2::xid8, $3::bigint) and created_at < $4) as missed`,
    [tx.tenant.tenantId, String(xid), String(eventId), new Date(now - HINTS_KEPT_MS)],
  );
  return rows[0]?.missed === true;
}

/** What is read: hints behind one place and before a border, of all topics or of some. */
export interface HintRange {
  after: Position;
  border: Position;
  topics?: readonly string[] | undefined;
  limit: number;
}

/** The hints of a range, in their order. */
export async function readHints(
  tx: TenantTransaction,
  { after, border, topics, limit }: HintRange,
): Promise<PlacedHint[]> {
  const { rows } = await tx.sql(
    `select xid::text, event_id::text, topic, subject_id, version from platform.event
     where tenant_id = $1 and (xid, event_id) > ($2::xid8, $3::bigint) and xid < $4::xid8
       and ($5::text[] is null or topic = any ($5::text[]))
     order by platform.event.xid, platform.event.event_id limit $6`,
    [tx.tenant.tenantId, String(after.xid), String(after.eventId), String(border.xid), topics ?? null, limit],
  );
  return rows.map((row) => ({
    at: { xid: BigInt(String(row.xid)), eventId: BigInt(String(row.event_id)) },
    topic: String(row.topic),
    id: String(row.subject_id),
    version: String(row.version),
  }));
}

/**
 * Deletes the hints that nobody may ask for any more, but for the last of them: it stays to tell that those before it
 * are gone. Answers how many were deleted.
 */
export async function purgeHints(tx: TenantTransaction, now: number): Promise<number> {
  const { rowCount } = await tx.sql(
    `with old as (select xid, event_id from platform.event where tenant_id = $1 and created_at < $2),
       last as (select xid, event_id from old order by xid desc, event_id desc limit 1)
     delete from platform.event e where e.tenant_id = $1 and e.event_id in (
       select old.event_id from old, last
       where (old.xid, old.event_id) < (last.xid, last.event_id) limit ${PURGE_BATCH})`,
    [tx.tenant.tenantId, new Date(now - HINTS_KEPT_MS - GRACE_MS)],
  );
  return rowCount;
}
