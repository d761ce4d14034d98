import { type EndStream, type ReadContext, SourceError } from '@weir/connector-sdk';
import { type PostgresConfig, parseConfig } from '../config.ts';
import { type ConnectOptions, connect, type Session } from '../connect.ts';
import { streamName } from '../describe-stream.ts';
import { fault } from '../fault.ts';
import { listTables } from '../list-tables.ts';
import { readTable } from '../read-table.ts';
import type { FixedMember } from '../row-sink.ts';
import { assertSameKey } from '../same-key.ts';
import { joinSnapshot } from '../snapshot.ts';
import { identifier, literal } from '../sql-text.ts';
import type { Table } from '../table.ts';
import { qualified } from '../table-parts.ts';
import { type ChangeState, isChangeState, parseChangeState, storedState } from './change-state.ts';
import { followLog } from './follow-log.ts';
import { changeFault, type FetchNow, followStream } from './followed-stream.ts';
import { leastLsn } from './lsn.ts';
import { isStillPublished, type Membership, membershipOf } from './membership.ts';
import { type Preflight, preflight } from './publication.ts';
import { type CopyPoint, createSlot, findSlot, freeSlot, logEnd, type Server, serverOf } from './slot.ts';

/** What says more than that the log ended. */
const EXPLAINING = /^(?:slot_|publication_)/;

/** A stream that changes are read for, and until where earlier runs have read it. */
type Member = { readonly context: ReadContext; readonly table: Table; readonly state: ChangeState | undefined };

type Reading = {
  readonly config: PostgresConfig;
  readonly options: ConnectOptions;
  readonly session: Session;
  readonly end: EndStream;
};

/**
 * Reads the changes of all streams from one slot. The slot is made first; a stream without a state is copied as a snapshot shows
 * it that belongs to a place in the log, and its changes are read from there. The server is told to forget only what the states
 * of this run's start cover, as those are stored.
 */
export async function readChanges(
  contexts: readonly ReadContext[],
  end: EndStream,
  options: ConnectOptions,
): Promise<void> {
  const [first] = contexts;
  if (first === undefined) return;
  const config = parseConfig(first.config);
  const session = await connect(config, options);
  try {
    const reading = { config, options, session, end };
    const members = await admitted(reading, contexts, await preflight(session, config));
    const hasStates = contexts.some(({ state }) => isChangeState(state));
    if (members.length > 0) await readMembers(reading, { members, hasStates }, first.signal);
  } finally {
    await session.end();
  }
}

/** The streams that can be read; each other one ends with what is in its way. */
async function admitted(
  { session, config, end }: Reading,
  contexts: readonly ReadContext[],
  { isPublished, withoutIdentity }: Preflight,
): Promise<Member[]> {
  const tables = await listTables(session, config);
  const members: Member[] = [];
  for (const name of withoutIdentity) {
    const text = `${name} is published and has no replica identity: at the source every UPDATE and DELETE on it fails`;
    await contexts[0]?.emit.log('WARN', text);
  }
  for (const context of contexts) {
    try {
      const table = tables.find((one) => streamName(one, config.schemas) === context.stream.stream.name);
      if (table === undefined) throw fault('stream_unknown');
      if (!isPublished(table)) throw changeFault('table_unpublished', table);
      if (!table.hasIdentity) throw changeFault('replica_identity_missing', table);
      assertSameKey(table, context);
      members.push({ context, table, state: parseChangeState(context.state, config.slot) });
    } catch (error) {
      await end(context, error);
    }
  }
  return members;
}

/** The streams that can be read, and whether any stream of the run has been read before. */
type Admitted = { readonly members: readonly Member[]; readonly hasStates: boolean };

async function readMembers(reading: Reading, { members, hasStates }: Admitted, signal: AbortSignal): Promise<void> {
  const { config, options, session, end } = reading;
  const copying = await connect(config, { ...options, replication: true });
  let standing: { members: Member[]; states: Map<Member, ChangeState> };
  try {
    const server = await serverOf(copying);
    const slot = await freeSlot(session, config, options.slotLooks);
    const published = await membershipOf(session, config.publication);
    // A new slot keeps log at the server, so none is made before every stream of the lost one is reset.
    const isLost = slot === undefined && hasStates;
    const sound = await soundMembers(members, { server, published, confirmed: slot?.confirmed, isLost, end });
    if (sound.length === 0) return;
    const point =
      slot === undefined || sound.some(({ state }) => state === undefined)
        ? await createSlot(copying, config, slot !== undefined)
        : undefined;
    standing = await copied(reading, sound, { server, published, point });
  } finally {
    await copying.end();
  }
  if (signal.aborted || standing.members.length === 0) return;
  const log = await connect(config, { ...options, replication: true });
  try {
    const streams = standing.members.flatMap((member) => {
      const state = standing.states.get(member);
      const { context, table } = member;
      return state === undefined ? [] : [followStream({ context, table, state, fetchNow: fetchNow(session) })];
    });
    const confirmed = leastLsn(members.flatMap(({ state }) => state?.lsn ?? []));
    const { slot, publication } = config;
    const until = await logEnd(session);
    await freeSlot(session, config, options.slotLooks);
    await followLog(streams, {
      session: log,
      slot,
      publication,
      confirmed,
      until,
      signal,
      end,
      rootOf: rootOf(session),
      published: () => membershipOf(session, publication),
    });
  } catch (error) {
    await explain(session, config);
    throw error;
  } finally {
    await log.end();
  }
}

/** What the log ended with may be told better: by a slot or a publication that has gone, or was given up by the server. */
async function explain(session: Session, config: PostgresConfig): Promise<void> {
  const found = Promise.all([preflight(session, config), findSlot(session, config)]);
  const isThere = await found.then(
    ([, slot]) => slot !== undefined,
    (error: unknown) => {
      if (error instanceof SourceError && EXPLAINING.test(error.code)) throw error;
      return true;
    },
  );
  if (!isThere) throw fault('slot_lost', 'slot');
}

/** Whose log is read, and by what tables are published in it. */
type Origin = { readonly server: Server; readonly published: Membership };
type Standing = Origin & { readonly confirmed: bigint | undefined; readonly isLost: boolean; readonly end: EndStream };

/** The members whose states the slot still serves. Without the slot of their states none does. */
async function soundMembers(
  members: readonly Member[],
  { server, published, confirmed, isLost, end }: Standing,
): Promise<Member[]> {
  const sound: Member[] = [];
  for (const member of members) {
    const { state, table, context } = member;
    if (state === undefined && !isLost) sound.push(member);
    else if (state === undefined) await end(context, changeFault('slot_lost', table));
    else if (!isOfLog(state, server)) await end(context, changeFault('server_replaced', table));
    else if (confirmed === undefined) await end(context, changeFault('slot_lost', table));
    else if ((state.table ?? table.oid) !== table.oid) await end(context, changeFault('table_replaced', table));
    else if (!isStillPublished(state.published, published(table)))
      await end(context, changeFault('publication_changed', table));
    else if (state.lsn < confirmed) await end(context, changeFault('slot_ahead', table));
    else sound.push(member);
  }
  return sound;
}

/** Whether what was read is part of this server's log: a standby that was promoted shares it up to there. */
function isOfLog({ systemId, timeline, lsn }: ChangeState, server: Server): boolean {
  if (systemId !== server.systemId) return false;
  if (timeline === undefined || timeline === server.timeline) return true;
  const until = server.sharedUntil(timeline);
  return until !== undefined && lsn <= until;
}

/** Copies the members that have no state; all of them as of one place in the log. */
async function copied(
  { config, options, end }: Reading,
  members: readonly Member[],
  { server, published, point }: Origin & { readonly point: CopyPoint | undefined },
) {
  const states = new Map<Member, ChangeState>();
  const left: Member[] = [];
  for (const member of members) {
    const { context, table, state } = member;
    if (context.signal.aborted) break;
    try {
      if (state !== undefined)
        states.set(member, { ...state, timeline: server.timeline, published: published(table), table: table.oid });
      else if (point !== undefined) {
        const session = await joinSnapshot(config, point.snapshotId, options);
        const snapshot = { id: point.snapshotId, session, end: session.end };
        try {
          await readTable({ config, options, table, snapshot, context, fixed: fixedMembers(point) });
        } finally {
          await session.end();
        }
        const { systemId, timeline } = server;
        const from = { systemId, timeline, published: published(table), slot: config.slot, table: table.oid };
        const begun = { lsn: point.lsn, ...from };
        if (context.signal.aborted) break;
        await context.emit.state(storedState(begun));
        states.set(member, begun);
      }
      left.push(member);
    } catch (error) {
      await end(context, error);
    }
  }
  return { members: left, states };
}

/** What a row of the copy says of itself. */
function fixedMembers({ lsn }: CopyPoint): FixedMember[] {
  return [
    { name: '_op', json: '"r"', kind: 'text' },
    { name: '_lsn', json: String(lsn), kind: 'long' },
    { name: '_ab_cdc_updated_at', json: 'null', kind: 'timestamptz' },
    { name: '_ab_cdc_deleted_at', json: 'null', kind: 'timestamptz' },
  ];
}

function fetchNow(session: Session): FetchNow {
  return async (table, key, names) => {
    const where = [...key].map(([name, value]) => {
      const type = table.columns.find((column) => column.name === name)?.type ?? 'text';
      return `${identifier(name)} = ${literal(value)}::${type}`;
    });
    const sql = `SELECT ${names.map(identifier).join(', ')} FROM ${qualified(table)} WHERE ${where.join(' AND ')}`;
    const [row] = await session.rows(sql);
    return row === undefined ? undefined : names.map((name) => row[name] ?? null);
  };
}

function rootOf(session: Session) {
  return async (oid: string): Promise<string | undefined> => {
    const [row] = await session.rows(
      `SELECT coalesce(pg_catalog.pg_partition_root(oid)::oid, oid) AS root FROM pg_catalog.pg_class WHERE oid = $1::oid`,
      [oid],
    );
    return row?.root ?? undefined;
  };
}
