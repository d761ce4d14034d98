import { createHash } from 'node:crypto';
import { AUDIT_GENESIS, type AuditEventView } from '@weir/plugin-platform/contract';

/** What a link of a chain is judged by. */
export type Link = Pick<AuditEventView, 'seq' | 'previous_hash' | 'record' | 'hash'>;
export type Head = Pick<Link, 'seq' | 'hash'>;

/** Why the first link that is wrong is so, in words. */
export const BREAKS = {
  missing: 'its place is taken by another event, or by none',
  unlinked: 'it does not hold the hash of the event before it',
  changed: 'its hash is not that of its record',
  cut: 'the chain ends before it, and its head lies further on',
  head: 'it is the head of the chain, with another hash than the head has',
  anchor: 'no event has the hash that was kept',
} as const;

/** The first link that is wrong; `seq` is its number, which an anchor that is nowhere has not. */
export interface Break {
  seq: string | null;
  reason: keyof typeof BREAKS;
}

/** Follows a chain event by event from its beginning. */
export interface ChainCheck {
  /** The break that this event shows; nothing is to be added after one. */
  add(link: Link): Break | undefined;
  /** The break that shows at the end alone. */
  end(): Break | undefined;
  count(): number;
}

/**
 * Recomputes every hash of a chain: numbers from 1 without a gap, each event over the hash of the one before it, as far
 * as `head` at least. An `anchor` is a hash that was kept: one event must have it, else the chain was written anew.
 */
export function checkChain(head: Head, anchor?: string): ChainCheck {
  let count = 0n;
  let previous = AUDIT_GENESIS;
  let anchored = anchor === undefined || anchor === AUDIT_GENESIS;
  const verdict = ({ seq, previous_hash, record, hash }: Link): Break['reason'] | undefined => {
    if (seq !== String(count + 1n)) return 'missing';
    if (previous_hash !== previous) return 'unlinked';
    if (hash !== createHash('sha256').update(previous).update(record).digest('hex')) return 'changed';
    return seq === head.seq && hash !== head.hash ? 'head' : undefined;
  };
  return {
    add(link) {
      const reason = verdict(link);
      if (reason !== undefined) return { seq: String(count + 1n), reason };
      count += 1n;
      previous = link.hash;
      anchored ||= link.hash === anchor;
      return undefined;
    },
    end() {
      if (String(count) === '0' && head.seq === '0' && head.hash !== AUDIT_GENESIS) return { seq: '0', reason: 'head' };
      if (count < BigInt(head.seq)) return { seq: String(count + 1n), reason: 'cut' };
      return anchored ? undefined : { seq: null, reason: 'anchor' };
    },
    count: () => Number(count),
  };
}
