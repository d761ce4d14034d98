import type { EndStream } from '@weir/connector-sdk';
import type { Session } from '../connect.ts';
import { microsTime } from './change-record.ts';
import { type Change, changeFault, type FollowedStream } from './followed-stream.ts';
import { leastLsn } from './lsn.ts';
import { isStillPublished, type Membership } from './membership.ts';
import type { LogMessage, Relation } from './pgoutput.ts';
import { type LogEvent, readLog } from './read-log.ts';

/** States are told after so many changes, at the end of a transaction. */
const STATE_CHANGES = 10_000;
/** So many changes of one transaction are kept before they are handed over. */
const FLUSH_CHANGES = 2_000;

export type FollowOptions = {
  readonly session: Session;
  readonly slot: string;
  readonly publication: string;
  readonly confirmed: bigint | undefined;
  /** Where the log ended when the run began: what is committed behind it is for the next run. */
  readonly until: bigint;
  readonly signal: AbortSignal;
  readonly end: EndStream;
  /** The table, or the whole of which it is a part, by its oid now; undefined when it is gone. */
  readonly rootOf: (oid: string) => Promise<string | undefined>;
  /** By what tables are published now. */
  readonly published: () => Promise<Membership>;
};

type Transaction = { readonly commitLsn: bigint; readonly time: string };

/**
 * Reads the log for all streams at once, from the least of their places up to where it ended when the run began. A stream takes
 * what was committed behind its own place. States stand between transactions only. One that fails ends alone.
 */
export async function followLog(streams: readonly FollowedStream[], options: FollowOptions): Promise<void> {
  const open = new Set(streams);
  const byRelation = new Map<string, FollowedStream>();
  let transaction: Transaction | undefined;
  let [sinceState, sinceFlush] = [0, 0];

  const attempt = async (stream: FollowedStream, work: () => Promise<void>) => {
    try {
      await work();
    } catch (error) {
      open.delete(stream);
      await options.end(stream.context, error);
    }
  };
  /** What was read up to the place is whole only if it was published all along. */
  const advanceAll = async (place: bigint) => {
    const published = await options.published();
    for (const stream of [...open]) {
      await attempt(stream, async () => {
        if (!isStillPublished(stream.published, published(stream.table)))
          throw changeFault('publication_changed', stream.table);
        await advance(stream, place);
      });
    }
    [sinceState, sinceFlush] = [0, 0];
  };
  const relate = async (relation: Relation) => {
    const stream = await streamOf([...open], relation, options);
    if (stream === undefined) return;
    byRelation.set(relation.oid, stream);
    await attempt(stream, () => stream.relate(relation));
  };
  const take = async (change: Change, lsn: bigint) => {
    const stream = byRelation.get(change.oid);
    if (transaction === undefined || stream === undefined || !open.has(stream)) return;
    const { commitLsn, time } = transaction;
    if (commitLsn < stream.at()) return;
    await attempt(stream, () => stream.take(change, { lsn, time }));
    sinceState += 1;
    sinceFlush += 1;
    if (sinceFlush < FLUSH_CHANGES) return;
    sinceFlush = 0;
    for (const one of open) await one.flush();
  };
  const truncate = async (oids: readonly string[]) => {
    for (const stream of new Set(oids.flatMap((oid) => byRelation.get(oid) ?? []))) {
      const isNew = transaction !== undefined && transaction.commitLsn >= stream.at();
      if (isNew && open.has(stream))
        await attempt(stream, () => Promise.reject(changeFault('table_truncated', stream.table)));
    }
  };
  /** Gives the place where reading ends, if it ends here. */
  const on = async (message: LogMessage, lsn: bigint): Promise<bigint | undefined> => {
    switch (message.kind) {
      case 'begin':
        if (message.commitLsn >= options.until) return message.commitLsn;
        transaction = { commitLsn: message.commitLsn, time: microsTime(message.micros) };
        return undefined;
      case 'commit':
        transaction = undefined;
        if (message.endLsn >= options.until) return message.endLsn;
        if (sinceState >= STATE_CHANGES) await advanceAll(message.endLsn);
        return undefined;
      case 'relation':
        await relate(message);
        return undefined;
      case 'truncate':
        await truncate(message.oids);
        return undefined;
      case 'other':
        return undefined;
      default:
        await take(message, lsn);
        return undefined;
    }
  };
  const isOver = async (event: LogEvent): Promise<bigint | undefined> => {
    if (event.kind === 'message') return on(event.message, event.lsn);
    return transaction === undefined && event.lsn >= options.until ? event.lsn : undefined;
  };
  const from = leastLsn(streams.map((stream) => stream.at()));
  if (from === undefined) return;
  for await (const event of readLog(options.session, { ...options, from })) {
    const place = await isOver(event);
    if (place !== undefined) return advanceAll(place);
    if (open.size === 0) return;
  }
}

/** A stream never goes back: one that was copied in this run may be ahead of the log that is read for the others. */
async function advance(stream: FollowedStream, place: bigint): Promise<void> {
  await stream.tell(place > stream.at() ? place : stream.at());
}

async function streamOf(
  streams: readonly FollowedStream[],
  relation: Relation,
  { rootOf }: FollowOptions,
): Promise<FollowedStream | undefined> {
  const root = await rootOf(relation.oid);
  const byOid = streams.find(({ table }) => table.oid === root);
  if (byOid !== undefined || root !== undefined) return byOid;
  // The table is gone; another one has its name by now.
  return streams.find(({ table }) => table.schema === relation.schema && table.name === relation.name);
}
