import { type CallContext, type Kernel, raw, type Tenant, type TenantTransaction } from '@weir/kernel';
import { subjectOf } from '@weir/kernel/contract';
import { EVENT_STREAM, type EventHintView, MAX_POLLED_HINTS } from '../contract.ts';
import type { EventHub } from './hub.ts';
import { isBehind, type Position, parsePosition, positionText } from './position.ts';
import { hasMissed, readHints, settledBorder } from './store.ts';

/** Proxies must hand each event on at once; and a stream that has ended leaves no connection to wait for. */
const STREAM_HEADERS = { 'x-accel-buffering': 'no', connection: 'close' };

/** What a reader of events asks for. */
export interface EventRequest
  extends Pick<CallContext, 'principal' | 'lastEventId' | 'mediaType' | 'signal' | 'recheck'> {
  /** A browser renews the header `Last-Event-ID` by itself and the query does not. */
  query: { topics?: string; last_event_id?: string };
}

/** The hints of a tenant, as a stream or for the asking. */
export function eventService({ db, hub, now = Date.now }: { db: Kernel['db']; hub: EventHub; now?: () => number }) {
  /** Where a reader begins: behind what it knows, or at the border when it knows nothing that we still have. */
  const startOf = async (tx: TenantTransaction, known: string | undefined) => {
    const border = await settledBorder(tx);
    if (known === undefined) return { at: border, border, missed: false };
    const at = parsePosition(known);
    const missed = at === undefined || (await hasMissed(tx, at, now()));
    return missed ? { at: border, border, missed } : { at, border, missed };
  };
  const poll = (tenant: Tenant, known: string | undefined, topics: readonly string[] | undefined) =>
    db(tenant).transaction(async (tx) => {
      const { at, border, missed } = await startOf(tx, known);
      const hints = await readHints(tx, { after: at, border, topics, limit: MAX_POLLED_HINTS });
      const items = hints.map(({ at, ...hint }): EventHintView => ({ event_id: positionText(at), ...hint }));
      const reached: Position =
        hints.length < MAX_POLLED_HINTS && isBehind(border, at) ? border : (hints.at(-1)?.at ?? at);
      return { items, last_event_id: positionText(reached), reset: missed };
    });
  return {
    async read(tenant: Tenant, { query, principal, lastEventId, mediaType, signal, recheck }: EventRequest) {
      const known = lastEventId ?? query.last_event_id;
      const topics = query.topics?.split(',');
      if (mediaType !== EVENT_STREAM) return poll(tenant, known, topics);
      const { at, missed } = await db(tenant).transaction((tx) => startOf(tx, known));
      const expiresAt = principal.kind === 'anonymous' ? undefined : principal.expiresAt;
      return raw({
        type: EVENT_STREAM,
        body: hub.open(tenant, { caller: subjectOf(principal), at, missed, topics, expiresAt, recheck, signal }),
        headers: STREAM_HEADERS,
      });
    },
  };
}
