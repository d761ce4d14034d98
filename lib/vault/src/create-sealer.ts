import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { SealKey } from './seal-key.ts';
import type { Sealer, SealPlace } from './sealer.ts';
import { readValues, revealJson } from './secret-values.ts';
import { VaultError } from './vault-error.ts';

const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
/** 96 random bits per seal; each row's key seals once, and the file's key seals keys of rows only (NIST SP 800-38D §8.3). */
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const FORM = /^weir1\.([0-9a-f]{16})\.([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)$/;

/**
 * Seals with AES-256-GCM under a key of the row's own, which is sealed under `present`; `previous` opens what was sealed
 * before the key file was changed. Both seals are bound to the place and to the key's name, so a text that is moved to
 * another row, tenant or purpose does not open.
 */
export function createSealer(present: SealKey, previous?: SealKey): Sealer {
  const keys = new Map([previous, present].flatMap((key) => (key === undefined ? [] : [[key.kid, key] as const])));
  const parts = (sealed: string) => {
    const [, kid, wrapped, body] = FORM.exec(sealed) ?? [];
    if (kid === undefined || wrapped === undefined || body === undefined) throw new VaultError('seal_broken');
    return { kid, wrapped, body };
  };
  const seal: Sealer['seal'] = (values, place) => {
    const rowKey = randomBytes(KEY_BYTES);
    const wrapped = encrypt(present.key.reveal(), rowKey, bound('key', place, present.kid));
    const body = encrypt(rowKey, Buffer.from(revealJson(values)), bound('values', place, present.kid));
    return `weir1.${present.kid}.${wrapped}.${body}`;
  };
  const open: Sealer['open'] = (sealed, place) => {
    const { kid, wrapped, body } = parts(sealed);
    const key = keys.get(kid);
    if (key === undefined) throw new VaultError('seal_key_unknown');
    const rowKey = decrypt(key.key.reveal(), wrapped, bound('key', place, kid));
    const values = readValues(decrypt(rowKey, body, bound('values', place, kid)).toString());
    if (values === undefined) throw new VaultError('seal_broken');
    return values;
  };
  return {
    kid: present.kid,
    kids: [...new Set([present.kid, ...keys.keys()])],
    seal,
    open,
    reseal: (sealed, place) => (parts(sealed).kid === present.kid ? undefined : seal(open(sealed, place), place)),
    kidOf: (sealed) => parts(sealed).kid,
  };
}

/** Additional data of a seal; as JSON no two places have the same text. */
function bound(what: 'key' | 'values', { tenantId, subjectId, purpose }: SealPlace, kid: string): Buffer {
  return Buffer.from(JSON.stringify(['weir1', what, tenantId, subjectId, purpose, kid]));
}

function encrypt(key: Buffer, plain: Buffer, additional: Buffer): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES }).setAAD(additional);
  return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]).toString('base64url');
}

function decrypt(key: Buffer, text: string, additional: Buffer): Buffer {
  const bytes = Buffer.from(text, 'base64url');
  // One text has one spelling: the last character of base64 may carry bits that decoding drops.
  if (bytes.toString('base64url') !== text) throw new VaultError('seal_broken');
  try {
    const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
    decipher.setAAD(additional).setAuthTag(bytes.subarray(-TAG_BYTES));
    const plain = decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES));
    return Buffer.concat([plain, decipher.final()]);
  } catch {
    throw new VaultError('seal_broken');
  }
}
