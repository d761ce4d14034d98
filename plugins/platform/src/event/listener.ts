import { Readable } from 'node:stream';
import { Problem } from '@weir/kernel/contract';
import { isBehind, type Position } from './position.ts';
import { hintText, openingText, placeText, resetText } from './sse.ts';
import type { PlacedHint } from './store.ts';

/** A reader with more than this unsent gets no more until it has read; a page of hints fits on top. */
const MAX_UNSENT_BYTES = 64 * 1024;
/** A reader that has not caught up for this long is cut off; it may come back to where it was. */
const STALLED_MS = 30_000;
const HEARTBEAT_MS = 15_000;
/** A stream ends after this long, so that whoever reads it must show a valid token again. */
const MAX_AGE_MS = 5 * 60_000;
/** Time between two checks that the reader may still read. */
const RECHECK_MS = 60_000;

/** One open stream: the place that it has reached, and what it wants to hear. */
export interface Listener {
  readonly stream: Readable;
  readonly at: Position;
  /** Whether it can be fed. */
  isHungry(): boolean;
  /** Sends the hints behind its place, in order; `settled` says that there are no others before that border. */
  feed(hints: readonly PlacedHint[], settled: Position | undefined): void;
  /** Sends a heartbeat when one is due, and ends a stream that is too old or whose reader does not read. */
  tend(): void;
  /** Checks once a minute that the reader may still read, and ends the stream of one that may not. */
  review(): Promise<void>;
  /** Ends the stream at once. */
  end(): void;
}

export interface ListenerOptions {
  at: Position;
  topics: readonly string[] | undefined;
  /** Begins with the event that says so. */
  missed: boolean;
  /** When the reader's credential ends. */
  expiresAt: Date | undefined;
  /** Throws a problem when the reader may no longer read. */
  recheck(): Promise<void>;
  now(): number;
}

/** Opens a stream of server-sent events that others feed. */
export function openListener({ at: from, topics, missed, expiresAt, recheck, now }: ListenerOptions): Listener {
  const stream = new Readable({ read: () => undefined });
  const openedAt = now();
  const endsAt = Math.min(openedAt + MAX_AGE_MS, expiresAt?.getTime() ?? Number.POSITIVE_INFINITY);
  let checkedAt = openedAt;
  let at = from;
  let saidAt = openedAt;
  let hungryAt = openedAt;
  let ended = false;
  const send = (text: string) => {
    if (ended || stream.destroyed) return;
    stream.push(text);
    saidAt = now();
  };
  const isHungry = () => stream.readableLength < MAX_UNSENT_BYTES;
  const end = () => {
    if (ended) return;
    ended = true;
    if (isHungry()) stream.push(null);
    else stream.destroy();
  };
  send(openingText(at));
  if (missed) send(resetText(at));
  return {
    stream,
    get at() {
      return at;
    },
    isHungry,
    feed(hints, settled) {
      if (now() >= endsAt) return end();
      const news = hints.filter((hint) => isBehind(hint.at, at));
      for (const hint of news) if (topics === undefined || topics.includes(hint.topic)) send(hintText(hint));
      at = news.at(-1)?.at ?? at;
      if (settled !== undefined && isBehind(settled, at)) at = settled;
    },
    tend() {
      if (isHungry()) hungryAt = now();
      else if (now() - hungryAt >= STALLED_MS) stream.destroy();
      if (now() >= endsAt) end();
      else if (isHungry() && now() - saidAt >= HEARTBEAT_MS) send(placeText(at));
    },
    async review() {
      if (ended || stream.destroyed || now() - checkedAt < RECHECK_MS) return;
      checkedAt = now();
      await recheck().catch((error: unknown) => {
        if (isDenial(error)) end();
      });
    },
    end,
  };
}

/** A check that fails for another reason, such as a provider that is away, takes no stream from its reader. */
function isDenial(error: unknown): boolean {
  return error instanceof Problem && error.status < 500;
}
