import { randomBytes } from 'node:crypto';

const MAX_RELEASE = 12;
const NONCE_BYTES = 4;

/** What a worker is called at the engine: role, release and a nonce of the process; no machine is named. */
export function workerIdentity(role: string, release: string): string {
  const short = release.replaceAll(/[^\w.-]/g, '_').slice(0, MAX_RELEASE);
  return `${role}@${short}:${randomBytes(NONCE_BYTES).toString('hex')}`;
}
