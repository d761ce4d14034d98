import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { SIGNATURE_HEADERS } from '../../contract/source/patterns.ts';

/** A request is taken as long after it was signed, and as long before, as clocks may differ. */
export const SIGNED_FOR_MS = 5 * 60_000;

const TIMESTAMP = /^[1-9][0-9]{9}$/;
const SIGNATURE = /^v1=[0-9a-f]{64}$/;

/** The headers that sign a body with a secret: HMAC-SHA256 over the time, a full stop and the bytes of the body. Pure. */
export function signBody(secret: string, body: Uint8Array | string, at: Date): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1_000));
  return {
    [SIGNATURE_HEADERS.timestamp]: timestamp,
    [SIGNATURE_HEADERS.signature]: signatureOf(secret, timestamp, body),
  };
}

/**
 * The signature of a request if it is good at this moment: present once, of this secret, over this very body. The comparison
 * takes as long for any signature. Pure.
 */
export function goodSignature(
  { headers, body }: { headers: Readonly<Record<string, string | string[] | undefined>>; body: Uint8Array },
  secret: string,
  now: Date,
): string | undefined {
  const { [SIGNATURE_HEADERS.timestamp]: timestamp, [SIGNATURE_HEADERS.signature]: signature } = headers;
  if (typeof timestamp !== 'string' || typeof signature !== 'string') return undefined;
  if (!TIMESTAMP.test(timestamp) || !SIGNATURE.test(signature)) return undefined;
  const isGood = timingSafeEqual(digest(signatureOf(secret, timestamp, body)), digest(signature));
  const age = now.getTime() - Number(timestamp) * 1_000;
  return isGood && Math.abs(age) <= SIGNED_FOR_MS ? signature : undefined;
}

function signatureOf(secret: string, timestamp: string, body: Uint8Array | string): string {
  return `v1=${createHmac('sha256', secret).update(timestamp).update('.').update(body).digest('hex')}`;
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
