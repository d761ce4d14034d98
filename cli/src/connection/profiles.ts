import { randomBytes } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { CliError } from '../cli-error.ts';

/** One named server: address, tenant and token. */
export interface Profile {
  url: string;
  tenant?: string;
  token?: string;
}

/** The profiles file: `current` is used when no profile is asked for. */
export interface Profiles {
  current?: string;
  profiles: Record<string, Profile>;
}

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

/** Reads the profiles; no file is no profiles. A file that cannot be understood is a usage error that names it. */
export async function readProfiles(file: string): Promise<Profiles> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { profiles: {} };
    throw new CliError('usage', `Cannot read ${file}.`, { cause: error });
  }
  try {
    const read = JSON.parse(text) as Partial<Profiles>;
    return { ...(typeof read.current === 'string' ? { current: read.current } : {}), profiles: read.profiles ?? {} };
  } catch (error) {
    throw new CliError('usage', `${file} is not JSON.`, { hint: `Correct or remove ${file}.`, cause: error });
  }
}

/** Writes one profile and makes it current when none is; the file is readable by its owner only, never half written. */
export async function writeProfile(file: string, name: string, profile: Profile): Promise<void> {
  const read = await readProfiles(file);
  const next: Profiles = { current: read.current ?? name, profiles: { ...read.profiles, [name]: profile } };
  await writePrivately(file, `${JSON.stringify(next, null, 2)}\n`);
}

/** Replaces a file in one step, mode 0600, in a folder that only its owner enters. */
export async function writePrivately(file: string, text: string): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${randomBytes(6).toString('hex')}`;
  try {
    await writeFile(draft, text, { mode: 0o600, flag: 'wx' });
    await rename(draft, file);
  } finally {
    await rm(draft, { force: true });
  }
}
