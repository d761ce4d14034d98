import { createHash } from 'node:crypto';
import { canonicalJson, type Tenant } from '@weir/kernel';
import type { FieldFault } from '@weir/kernel/contract';
import { ACTIONS, type Action } from '../contract.ts';

/** What of a planned document a fingerprint holds; without write-only values, and so without a digest of one. */
export interface Printed {
  action: Action;
  kind: string | null;
  name: string | null;
  /** What is there, with its version. */
  stored: unknown;
  /** What the document asks for, and the calls for it. */
  wanted: unknown;
  /** Whether only write-only members are set. */
  onlySets: boolean;
}

/** A document that is not as it was planned. */
export interface Difference {
  index: number;
  kind: string | null;
  name: string | null;
  was: Action | null;
  is: Action | null;
  moved: 'stored' | 'document' | 'action' | 'documents';
}

const DIGEST_BYTES = 8;
const HEAD_BYTES = DIGEST_BYTES;
const ENTRY_BYTES = 1 + 2 * DIGEST_BYTES;
/** Not among the actions: the plan has no such document. */
const NONE = ACTIONS.length;

const digest = (value: unknown): Buffer =>
  createHash('sha256').update(canonicalJson(value)).digest().subarray(0, DIGEST_BYTES);

/** The plan in so few characters that it can be sent back, and still say which document moved. Pure. */
export function fingerprintOf(tenant: Tenant, printed: readonly Printed[]): string {
  const entries = printed.map((one) => {
    // A document with nothing to do stays so, whatever else happens to what is there.
    const isNoop = one.action === 'noop';
    const document = digest([one.kind, one.name, isNoop ? null : one.wanted]);
    return Buffer.concat([Buffer.of(ACTIONS.indexOf(one.action)), digest(isNoop ? null : one.stored), document]);
  });
  return Buffer.concat([digest(tenant.tenantId), ...entries]).toString('base64url');
}

/**
 * Why a plan no longer holds; empty while it does. A document that was to be created or changed and is as wanted by now
 * was applied already, so that a plan that stopped can continue. Pure.
 */
export function movedSince(fingerprint: string, tenant: Tenant, printed: readonly Printed[]): Difference[] {
  const was = Buffer.from(fingerprint, 'base64url');
  const is = Buffer.from(fingerprintOf(tenant, printed), 'base64url');
  const count = Math.max(0, Math.ceil((was.length - HEAD_BYTES) / ENTRY_BYTES));
  const isForeign = !was.subarray(0, HEAD_BYTES).equals(is.subarray(0, HEAD_BYTES));
  const indexes = Array.from({ length: Math.max(count, printed.length, isForeign ? 1 : 0) }, (_, index) => index);
  return indexes.flatMap((index): Difference[] => {
    const [then, now] = [entryAt(was, index), entryAt(is, index)];
    const one = printed[index];
    const isSame = then.action === now.action && then.stored.equals(now.stored) && then.document.equals(now.document);
    if (!isForeign && (isSame || (one !== undefined && isDone(then.action, one)))) return [];
    const moved =
      isForeign || then.action === undefined || now.action === undefined
        ? 'documents'
        : !then.stored.equals(now.stored)
          ? 'stored'
          : !then.document.equals(now.document)
            ? 'document'
            : 'action';
    const named = { kind: one?.kind ?? null, name: one?.name ?? null };
    return [{ index, ...named, was: then.action ?? null, is: now.action ?? null, moved }];
  });
}

/** Differences as faults of a request. Pure. */
export const differenceFaults = (differences: readonly Difference[]): FieldFault[] =>
  differences.map(({ index, moved }) => ({ pointer: `/docs/${index}`, code: moved }));

const isDone = (then: Action | undefined, { action, onlySets }: Printed): boolean =>
  (then === 'create' || then === 'patch') && (action === 'noop' || (action === 'patch' && onlySets));

function entryAt(bytes: Buffer, index: number) {
  const at = HEAD_BYTES + index * ENTRY_BYTES;
  const entry = bytes.subarray(at, at + ENTRY_BYTES);
  return {
    action: ACTIONS[entry[0] ?? NONE],
    stored: entry.subarray(1, 1 + DIGEST_BYTES),
    document: entry.subarray(1 + DIGEST_BYTES),
  };
}
