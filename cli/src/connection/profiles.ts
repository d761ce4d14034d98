import { open } from 'node:fs/promises';
import path from 'node:path';
import { CliError } from '../cli-error.ts';
import { writePrivately } from '../write-privately.ts';
import { withFileLock } from './file-lock.ts';

/** What signing in left: tokens of one identity provider, for one server. */
export interface Session {
  issuer: string;
  client_id: string;
  /** The claim of the access token that lists organizations. */
  organization_claim: string;
  access_token: string;
  refresh_token?: string;
  /** When the access token ends by the clock of this machine, ISO 8601. */
  expires_at: string;
}

/** One named server: address, tenant, and a token that was given or a session that was signed in to. */
export interface Profile {
  url: string;
  tenant?: string;
  token?: string;
  session?: Session;
}

/** The profiles file: `current` is used when no profile is asked for. */
export interface Profiles {
  current?: string;
  profiles: Record<string, Profile>;
}

/** Any right of anybody but the owner. */
const OF_OTHERS = 0o077;

/** The profiles file of this user, in the XDG configuration folder. */
export function profilesFile(env: Record<string, string | undefined>): string {
  const home = env.HOME ?? '/';
  const config = env.XDG_CONFIG_HOME;
  return path.join(
    config === undefined || config === '' ? path.join(home, '.config') : config,
    'weir',
    'profiles.json',
  );
}

/**
 * Reads the profiles; no file is no profiles. A file that cannot be understood is a usage error that names it, and so is
 * one with tokens that others than its owner may read.
 */
export async function readProfiles(file: string): Promise<Profiles> {
  const found = await readWithMode(file);
  if (found === undefined) return { profiles: {} };
  const read = profilesOf(file, found.text);
  const secret = Object.values(read.profiles).some(({ token, session }) => token ?? session);
  if (secret && (found.mode & OF_OTHERS) !== 0) {
    throw new CliError('usage', `${file} holds tokens, and others than you may read it.`, {
      code: 'token_file_mode',
      hint: `chmod 600 ${file}; weir logout and weir login replace tokens that somebody may have read`,
    });
  }
  return read;
}

/** Text and mode of one and the same file; undefined when there is none. */
async function readWithMode(file: string): Promise<{ text: string; mode: number } | undefined> {
  try {
    const handle = await open(file);
    try {
      return { text: await handle.readFile('utf8'), mode: (await handle.stat()).mode };
    } finally {
      await handle.close();
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new CliError('usage', `Cannot read ${file}.`, { cause: error });
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isText = (value: unknown) => typeof value === 'string';
const isTextOrAbsent = (value: unknown) => value === undefined || isText(value);

function isSession(value: unknown): boolean {
  if (value === undefined) return true;
  if (!isRecord(value)) return false;
  const { issuer, client_id, organization_claim, access_token, refresh_token, expires_at } = value;
  const texts = [issuer, client_id, organization_claim, access_token, expires_at];
  return texts.every(isText) && isTextOrAbsent(refresh_token) && !Number.isNaN(Date.parse(String(expires_at)));
}

function isProfile(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const { url, tenant, token, session } = value;
  return isText(url) && isTextOrAbsent(tenant) && isTextOrAbsent(token) && isSession(session);
}

function profilesOf(file: string, text: string): Profiles {
  const hint = `Correct or remove ${file}; weir login and weir dev up write it.`;
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch {
    throw new CliError('usage', `${file} is not JSON.`, { hint });
  }
  const { current, profiles = {} } = isRecord(read) ? read : { profiles: undefined, current: 0 };
  if (!isTextOrAbsent(current) || !isRecord(profiles) || !Object.values(profiles).every(isProfile)) {
    throw new CliError('usage', `${file} does not hold profiles.`, { hint });
  }
  return { ...(current === undefined ? {} : { current: String(current) }), profiles: profiles as Profiles['profiles'] };
}

/** The profile of a name, and none that every object has. */
export const profileNamed = ({ profiles }: Profiles, name: string): Profile | undefined =>
  Object.hasOwn(profiles, name) ? profiles[name] : undefined;

/** How a profile is changed. */
export interface ChangeOptions {
  /** Commands use it from now on unless they name another. */
  makeCurrent?: boolean;
  interrupted?: AbortSignal;
}

/**
 * Changes one profile as it is at that moment, whatever other commands do, and makes it current when none is. `change`
 * answers what it shall be; undefined leaves it. The file is readable by its owner only, and never half written.
 */
export async function changeProfile(
  file: string,
  name: string,
  change: (profile: Profile | undefined) => Promise<Profile | undefined>,
  { makeCurrent = false, interrupted }: ChangeOptions = {},
): Promise<Profile | undefined> {
  return withFileLock(lockOf(file), interrupted, async () => {
    const read = await readProfiles(file);
    const before = profileNamed(read, name);
    const after = await change(before);
    if (after === undefined) return before;
    const current = makeCurrent ? name : (read.current ?? name);
    await writeProfiles(file, { current, profiles: { ...read.profiles, [name]: after } });
    return after;
  });
}

/** Removes a profile; when it was the current one, no profile is. */
export async function removeProfile(file: string, name: string, interrupted: AbortSignal): Promise<void> {
  await withFileLock(lockOf(file), interrupted, async () => {
    const { current, profiles } = await readProfiles(file);
    const { [name]: _removed, ...kept } = profiles;
    const stays = current === undefined || current === name ? {} : { current };
    await writeProfiles(file, { ...stays, profiles: kept });
  });
}

const writeProfiles = (file: string, next: Profiles) => writePrivately(file, `${JSON.stringify(next, null, 2)}\n`);

const lockOf = (file: string) => path.join(path.dirname(file), 'profiles.lock');

/** Writes one profile in the place of the one that has the name. */
export async function writeProfile(file: string, name: string, profile: Profile): Promise<void> {
  await changeProfile(file, name, async () => profile);
}
