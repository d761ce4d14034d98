import { randomBytes } from 'node:crypto';

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';
const LENGTH = 26;

/** A new reference: `cred_` and 130 random bits in base32 (RFC 4648), which say nothing of the credential. */
export function newCredentialRef(): string {
  return `cred_${Array.from(randomBytes(LENGTH), (byte) => ALPHABET[byte & 31]).join('')}`;
}
