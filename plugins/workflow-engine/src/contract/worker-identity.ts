/** How the worker program calls itself at the engine: `<role>@<release>:<nonce>`. */
const IDENTITY = /^(?<role>[a-z][a-z0-9-]*)@(?<release>[\w.-]{1,12}):[0-9a-f]{8}$/;
const MAX_RELEASE = 12;

/** Role and release of a worker of ours by its identity; undefined for any other. */
export function readWorkerIdentity(identity: string): { role: string; release: string } | undefined {
  const { role, release } = IDENTITY.exec(identity)?.groups ?? {};
  return role === undefined || release === undefined ? undefined : { role, release };
}

/** A release as the identities of its workers have it. */
export const releaseInIdentity = (sha: string): string => sha.replaceAll(/[^\w.-]/g, '_').slice(0, MAX_RELEASE);
