import { readFileSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';

/** A user and group id. */
export type Ids = { uid: number; gid: number };

const NOBODY: Ids = { uid: 65534, gid: 65534 };
const EXECUTE = { owner: 0o100, group: 0o010, other: 0o001 };

/**
 * Whom to run a program as that refuses to be root (Postgres does): `nobody` of this machine when we are uid 0,
 * undefined when we are an ordinary user and need no one else.
 */
export function unprivileged(): Ids | undefined {
  if (process.getuid?.() !== 0) return undefined;
  try {
    const line = readFileSync('/etc/passwd', 'utf8').match(/^nobody:[^:]*:(\d+):(\d+):/m);
    return line ? { uid: Number(line[1]), gid: Number(line[2]) } : NOBODY;
  } catch {
    return NOBODY;
  }
}

function mayEnter(folder: string, { uid, gid }: Ids): boolean {
  const stat = statSync(folder);
  if (stat.uid === uid) return (stat.mode & EXECUTE.owner) !== 0;
  if (stat.gid === gid) return (stat.mode & EXECUTE.group) !== 0;
  return (stat.mode & EXECUTE.other) !== 0;
}

/** Whether `user` can walk down into `folder`, or, while it is absent, into the folders above it; links resolved. */
export function reachable(folder: string, user: Ids): boolean {
  let existing = path.resolve(folder);
  while (statSync(existing, { throwIfNoEntry: false }) === undefined) existing = path.dirname(existing);
  for (let at = realpathSync(existing); ; at = path.dirname(at)) {
    if (!mayEnter(at, user)) return false;
    if (path.dirname(at) === at) return true;
  }
}
