import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { Kernel, Tenant } from '@weir/kernel';
import { kernelProblems } from '@weir/kernel/contract';
import { platformProblems } from '../contract.ts';
import { type Listener, type ListenerOptions, openListener } from './listener.ts';
import { isBehind, type Position } from './position.ts';
import { readHints, settledBorder } from './store.ts';

const POLL_MS = 1_000;
/** Hints that one read brings at most. */
const PAGE = 250;
/** Streams that are open in one process at the same time. One caller cannot take all that a tenant has. */
export const MAX_STREAMS_PER_CALLER = 8;
export const MAX_STREAMS_PER_TENANT = 64;
const MAX_STREAMS = 1_000;
const RETRY_AFTER_SECONDS = 10;

export interface HubDeps {
  db: Kernel['db'];
  log: Pick<Kernel['log'], 'warn'>;
  now?: () => number;
  pollMs?: number;
}

/** Where a stream begins, what it carries, and for how long. */
export interface StreamRequest extends Omit<ListenerOptions, 'now'> {
  /** Subject of whoever reads; all of their credentials count as one caller. */
  caller: string;
  /** Aborts when the reader has gone. */
  signal: AbortSignal;
}

/** The open streams of this process. */
export interface EventHub {
  /** Throws `too_many_streams`, and `shutting_down` once it is closed. */
  open(tenant: Tenant, request: StreamRequest): Readable;
  /** How many streams are open. */
  count(): number;
  /** Ends all streams at once; resolves when nothing is read any more. */
  close(): Promise<void>;
}

/** The streams of one tenant. */
interface Feed {
  tenant: Tenant;
  /** With their callers. */
  listeners: Map<Listener, string>;
  /** Resolves when its last listener has left. */
  ended: Promise<void>;
}

/** Feeds all streams of a tenant from one read a second; a tenant to whom nobody listens is not read. */
export function eventHub({ db, log, now = Date.now, pollMs = POLL_MS }: HubDeps): EventHub {
  const feeds = new Map<string, Feed>();
  const closing = new AbortController();
  const run = async (feed: Feed) => {
    const { tenant, listeners } = feed;
    while (listeners.size > 0) {
      for (const listener of listeners.keys()) await listener.review();
      await feedAll(db, tenant, listeners).catch((error: unknown) => {
        log.warn({ err: error }, 'events could not be read; it is tried again');
      });
      for (const listener of listeners.keys()) listener.tend();
      await delay(pollMs, undefined, { ref: false, signal: closing.signal }).catch(() => undefined);
    }
    if (feeds.get(tenant.tenantId) === feed) feeds.delete(tenant.tenantId);
  };
  const feedOf = (tenant: Tenant): Feed => {
    const known = feeds.get(tenant.tenantId);
    if (known !== undefined) return known;
    const feed: Feed = { tenant, listeners: new Map(), ended: Promise.resolve() };
    feeds.set(tenant.tenantId, feed);
    return feed;
  };
  const count = () => [...feeds.values()].reduce((sum, { listeners }) => sum + listeners.size, 0);
  return {
    count,
    open(tenant, { signal, caller, ...wanted }) {
      if (closing.signal.aborted) throw kernelProblems.shuttingDown();
      const callers = [...(feeds.get(tenant.tenantId)?.listeners.values() ?? [])];
      refuseBeyond(MAX_STREAMS_PER_CALLER, callers.filter((other) => other === caller).length, 'you');
      refuseBeyond(MAX_STREAMS_PER_TENANT, callers.length, 'your tenant');
      refuseBeyond(MAX_STREAMS, count(), 'all tenants');
      const feed = feedOf(tenant);
      const listener = openListener({ ...wanted, now });
      const { stream } = listener;
      const begins = feed.listeners.size === 0;
      feed.listeners.set(listener, caller);
      stream.once('close', () => feed.listeners.delete(listener));
      signal.addEventListener('abort', () => stream.destroy(), { once: true });
      if (signal.aborted) stream.destroy();
      if (begins) feed.ended = feed.ended.then(() => run(feed));
      return stream;
    },
    async close() {
      closing.abort();
      const all = [...feeds.values()];
      for (const { listeners } of all) for (const listener of listeners.keys()) listener.end();
      for (const { listeners } of all) listeners.clear();
      await Promise.all(all.map(({ ended }) => ended));
    },
  };
}

function refuseBeyond(limit: number, open: number, whose: string): void {
  if (open < limit) return;
  throw platformProblems.tooManyStreams({ values: { limit, whose }, retryAfterSeconds: RETRY_AFTER_SECONDS });
}

/** Reads on from the place of whoever is furthest back, until all who can be fed have all that is settled. */
async function feedAll(db: Kernel['db'], tenant: Tenant, listeners: ReadonlyMap<Listener, string>): Promise<void> {
  for (let settled: Position | undefined; settled === undefined; ) {
    const hungry = [...listeners.keys()].filter((listener) => listener.isHungry());
    const [first, ...others] = hungry.map(({ at }) => at);
    if (first === undefined) return;
    const after = others.reduce((least, at) => (isBehind(least, at) ? at : least), first);
    const { border, hints } = await db(tenant).transaction(async (tx) => {
      const border = await settledBorder(tx);
      return { border, hints: await readHints(tx, { after, border, limit: PAGE }) };
    });
    settled = hints.length < PAGE ? border : undefined;
    // Those that came while this was read may want what lies before it; they are fed by the next read.
    for (const listener of hungry) listener.feed(hints, settled);
  }
}
