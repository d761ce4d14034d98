import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { chown, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { logTail, StartFailed } from '../ready.ts';
import { supervise } from '../supervised.ts';
import { type Ids, reachable } from '../unprivileged.ts';

/** The superuser's name in every database we make. */
export const SUPERUSER = 'postgres';

const BUILTIN_LOCALE_SINCE = 17;
const INITDB_TIMEOUT_MS = 120_000;

/**
 * Where the data really go. As uid 0 the server runs as `user`, who cannot enter for example a checkout below /root:
 * then the place is `/var/tmp/weir-<first 16 hex digits of the SHA-256 of the wanted path>`, the same at each start.
 * Makes the folders above the wanted place.
 */
export function dataPlace(wanted: string, user: Ids | undefined): string {
  const full = path.resolve(wanted);
  mkdirSync(path.dirname(full), { recursive: true });
  if (user === undefined || reachable(path.dirname(full), user)) return full;
  return `/var/tmp/weir-${createHash('sha256').update(full).digest('hex').slice(0, 16)}`;
}

/** The process id in `postmaster.pid`, when that process exists. */
export async function postmasterPid(dataDir: string): Promise<number | undefined> {
  const text = await readFile(path.join(dataDir, 'postmaster.pid'), 'utf8').catch(() => '');
  const pid = Number.parseInt(text, 10);
  if (!(pid > 0)) return undefined;
  try {
    process.kill(pid, 0);
    return pid;
  } catch {
    return undefined;
  }
}

async function majorVersion(dataDir: string): Promise<number | undefined> {
  const text = await readFile(path.join(dataDir, 'PG_VERSION'), 'utf8').catch(() => undefined);
  return text === undefined ? undefined : Number.parseInt(text, 10);
}

type InitOptions = {
  dataDir: string;
  bin: string;
  major: number;
  user: Ids | undefined;
  logFile: string;
  password: string;
};

/**
 * Makes the database cluster when the folder is absent; existing data are kept. Passwords by SCRAM only. Made beside the
 * folder and renamed into place, so that an `initdb` cut short leaves nothing that looks like data.
 */
export async function prepareData(options: InitOptions): Promise<void> {
  const { dataDir, major, user } = options;
  const found = await majorVersion(dataDir);
  if (found === major) return;
  if (found !== undefined) {
    throw new Error(`${dataDir} was made by Postgres ${found}, this is ${major}: remove it or use that version`);
  }
  const draft = `${dataDir}.new`;
  await rm(draft, { recursive: true, force: true });
  await mkdir(draft, { recursive: true, mode: 0o700 });
  if (user) await chown(draft, user.uid, user.gid);
  await initdb({ ...options, dataDir: draft });
  await rename(draft, dataDir);
}

async function initdb({ dataDir, bin, major, user, logFile, password }: InitOptions): Promise<void> {
  const passwordFile = `${dataDir}.password`;
  await writeFile(passwordFile, password, { mode: 0o600 });
  if (user) await chown(passwordFile, user.uid, user.gid);
  const locale =
    major >= BUILTIN_LOCALE_SINCE
      ? ['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8']
      : ['--locale=C.UTF-8'];
  try {
    const run = await supervise({
      name: 'initdb',
      command: path.join(bin, 'initdb'),
      args: ['-D', dataDir, '-U', SUPERUSER, '-E', 'UTF8', '-A', 'scram-sha-256', '--pwfile', passwordFile, ...locale],
      logFile,
      cwd: '/',
      ...user,
    });
    const late = setTimeout(() => void run.stop('SIGKILL'), INITDB_TIMEOUT_MS);
    const exit = await run.exited;
    clearTimeout(late);
    if (exit.code !== 0) throw new StartFailed(`initdb failed, log ${logFile}`, await logTail(logFile));
  } finally {
    await rm(passwordFile, { force: true });
  }
}
