import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PostgresConfig } from '../config.ts';
import type { Session } from '../connect.ts';
import { fault } from '../fault.ts';
import { identifier } from '../sql-text.ts';
import { parseLsn } from './lsn.ts';

/** How long a slot may stay taken by a connection that is gone already. */
const FREE_LOOKS = 20;
const FREE_WAIT_MS = 500;

/** A slot that stands: from where the server still has changes. */
export type Slot = { readonly confirmed: bigint; readonly isTaken: boolean };

/** The slot of the configuration; undefined when there is none yet. `slot_foreign`, `slot_lost`. */
export async function findSlot(session: Session, { slot }: Pick<PostgresConfig, 'slot'>): Promise<Slot | undefined> {
  const [row] = await session.rows(
    `SELECT slot_type = 'logical' AND plugin = 'pgoutput' AND database = current_database() AND NOT temporary AS ours,
       active, wal_status, confirmed_flush_lsn FROM pg_catalog.pg_replication_slots WHERE slot_name = $1`,
    [slot],
  );
  if (row === undefined) return undefined;
  if (row.ours !== 't') throw fault('slot_foreign', 'slot');
  if (row.wal_status === 'lost') throw fault('slot_lost', 'slot');
  return { confirmed: parseLsn(row.confirmed_flush_lsn ?? '') ?? 0n, isTaken: row.active === 't' };
}

/** The slot once nobody reads it; `slot_in_use` when somebody goes on doing so. */
export async function freeSlot(
  session: Session,
  config: Pick<PostgresConfig, 'slot'>,
  looks: number = FREE_LOOKS,
): Promise<Slot | undefined> {
  for (let look = 1; ; look += 1) {
    const slot = await findSlot(session, config);
    if (slot?.isTaken !== true) return slot;
    if (look >= looks) throw fault('slot_in_use', 'slot');
    await sleep(FREE_WAIT_MS);
  }
}

/** A place in the log, and a snapshot with everything that was committed before it and nothing behind it. */
export type CopyPoint = { readonly lsn: bigint; readonly snapshotId: string };

/**
 * Makes the slot of the configuration, or one that lives as long as the connection, on a connection for replication. The
 * snapshot can be joined until the next statement on it.
 */
export async function createSlot(session: Session, { slot }: PostgresConfig, isTemporary: boolean): Promise<CopyPoint> {
  const name = isTemporary ? `weir_copy_${randomBytes(8).toString('hex')}` : slot;
  const kind = isTemporary ? 'TEMPORARY LOGICAL' : 'LOGICAL';
  const [row] = await session.rows(`CREATE_REPLICATION_SLOT ${identifier(name)} ${kind} pgoutput EXPORT_SNAPSHOT`);
  const lsn = parseLsn(row?.consistent_point ?? '');
  if (lsn === undefined || row?.snapshot_name == null) throw fault('snapshot_lost');
  return { lsn, snapshotId: row.snapshot_name };
}

/** What tells this server's log from that of any other. */
export async function systemId(session: Session): Promise<string> {
  return (await serverOf(session)).systemId;
}

/** The server as its log knows it, on a connection for replication: a promoted standby goes on in a timeline of its own. */
export type Server = {
  readonly systemId: string;
  readonly timeline: string;
  /** Up to where the log of an earlier timeline is that of this server too; undefined for one that it does not come from. */
  readonly sharedUntil: (timeline: string) => bigint | undefined;
};

/** Asks the server who it is. */
export async function serverOf(session: Session): Promise<Server> {
  const [row] = await session.rows('IDENTIFY_SYSTEM');
  const timeline = row?.timeline ?? '';
  const shared = new Map<string, bigint>();
  if (Number(timeline) > 1) {
    const [history] = await session.rows(`TIMELINE_HISTORY ${Number(timeline)}`);
    for (const line of (history?.content ?? '').split('\n')) {
      const [earlier = '', until = ''] = line.split('\t');
      const lsn = parseLsn(until);
      if (lsn !== undefined) shared.set(earlier.trim(), lsn);
    }
  }
  return { systemId: row?.systemid ?? '', timeline, sharedUntil: (earlier) => shared.get(earlier) };
}

/** The place up to which the log is on disk now. */
export async function logEnd(session: Session): Promise<bigint> {
  const [row] = await session.rows(
    `SELECT CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_flush_lsn() END AS lsn`,
  );
  return parseLsn(row?.lsn ?? '') ?? 0n;
}
