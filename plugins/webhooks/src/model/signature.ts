import { createHmac, randomBytes } from 'node:crypto';
import { WEBHOOK_HEADERS } from '../contract/webhooks.ts';

const SECRET_BYTES = 32;
const MS_PER_SECOND = 1_000;

/** A new secret, with a prefix by which scanners know it. */
export const newSecret = (): string => `whsec_${randomBytes(SECRET_BYTES).toString('base64url')}`;

/** The header that signs a body at a time: HMAC-SHA256 over the Unix time, a full stop and the body. Pure. */
export function signatureHeader(secret: string, body: string, at: Date): Record<string, string> {
  const time = Math.floor(at.getTime() / MS_PER_SECOND);
  const digest = createHmac('sha256', secret).update(`${time}.${body}`).digest('hex');
  return { [WEBHOOK_HEADERS.signature]: `t=${time},v1=${digest}` };
}
