import { mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { reachable, unprivileged } from './unprivileged.ts';

const SYSTEM_CACHE = '/var/cache/weir';

/**
 * The folder for downloaded and unpacked programs, made when absent: `WEIR_TOOL_CACHE`, else `$XDG_CACHE_HOME/weir`,
 * else `~/.cache/weir`. For uid 0, whose home others cannot enter, `/var/cache/weir`: programs there are run by an
 * unprivileged user. Everything in it can be deleted at any time while nothing runs.
 */
export function toolCache(env: NodeJS.ProcessEnv = process.env): string {
  const own = env.WEIR_TOOL_CACHE ?? path.join(env.XDG_CACHE_HOME ?? path.join(homedir(), '.cache'), 'weir');
  const user = unprivileged();
  if (user === undefined) {
    mkdirSync(own, { recursive: true });
    return own;
  }
  const folder = reachable(own, user) ? own : SYSTEM_CACHE;
  mkdirSync(folder, { recursive: true, mode: 0o755 });
  return folder;
}
