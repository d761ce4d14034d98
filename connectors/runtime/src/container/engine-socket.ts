import { lstat } from 'node:fs/promises';
import { ConnectorError } from '../connector-error.ts';

/** The one mode that the socket of a connector engine has. */
const SOCKET_MODE = 0o660;
/** Everything but the file's type. */
const MODE_BITS = 0o7777;

/**
 * Whether the path is the reviewed socket: a Unix socket itself (no link to one), of mode 0660, of a group that is
 * `gid`, or one of this process when that is not given. Throws `connector_runtime_unavailable` with the reason.
 */
export async function checkEngineSocket(path: string, gid: number | undefined): Promise<void> {
  const facts = await lstat(path).catch((cause: unknown) => {
    throw unavailable('engine_socket_missing', cause);
  });
  if (!facts.isSocket()) throw unavailable('engine_socket_not_a_socket');
  const groups = gid === undefined ? ownGroups() : [gid];
  if ((facts.mode & MODE_BITS) !== SOCKET_MODE) throw unavailable('engine_socket_mode');
  if (!groups.includes(facts.gid)) throw unavailable('engine_socket_group');
}

function ownGroups(): readonly number[] {
  return [process.getegid?.() ?? -1, ...(process.getgroups?.() ?? [])];
}

function unavailable(reason: 'engine_socket_missing' | `engine_socket_${string}`, cause?: unknown): ConnectorError {
  return new ConnectorError('connector_runtime_unavailable', { reason, cause });
}
