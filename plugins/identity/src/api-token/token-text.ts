import { createHash, randomBytes } from 'node:crypto';
import { TOKEN_PREFIX } from '../contract.ts';

const SECRET_BYTES = 32;
const TEXT = new RegExp(`^${TOKEN_PREFIX}([0-9a-f]{32})([0-9a-f]{32})_([0-9a-f]{${SECRET_BYTES * 2}})$`);

/** What the text of a token says before anybody has looked whether it is true. */
export interface ReadToken {
  tenantId: string;
  apiTokenId: string;
  /** SHA-256 of the secret. */
  digest: Buffer;
}

/** A fresh secret, and the hash of it that is kept. */
export function newSecret(): { secret: string; digest: Buffer } {
  const secret = randomBytes(SECRET_BYTES).toString('hex');
  return { secret, digest: digestOf(secret) };
}

/** `weir_<tenant and token>_<secret>`: the tenant is in it since no row of a tenant is seen before the tenant is known. */
export function tokenText(tenantId: string, apiTokenId: string, secret: string): string {
  return `${TOKEN_PREFIX}${tenantId.replaceAll('-', '')}${apiTokenId.replaceAll('-', '')}_${secret}`;
}

/** The parts of a token; undefined for any other text. */
export function readTokenText(text: string): ReadToken | undefined {
  const [, tenant, token, secret] = TEXT.exec(text) ?? [];
  if (tenant === undefined || token === undefined || secret === undefined) return undefined;
  return { tenantId: uuidOf(tenant), apiTokenId: uuidOf(token), digest: digestOf(secret) };
}

function digestOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

function uuidOf(hex: string): string {
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
