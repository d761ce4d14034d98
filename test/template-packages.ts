import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, readFile, rename, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { FOR_PLUGINS, PUBLISHED } from './build.ts';
import { inLane } from './lane.ts';
import { npm } from './packages.ts';
import { ROOT } from './walls.ts';

/** Whether npm installs, as the pages say. It unpacks half a gigabyte, so every other run links what is declared. */
export const INSTALLS = inLane('docs-pages');
const INSTALL = ['install', '--no-save', '--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund'];

/** A copy of the template as a third party has it: outside this repository, with the packages of `npm run packages`. */
export async function copyTemplate(into: string, tarballs: ReadonlyMap<string, string>): Promise<void> {
  const isOwn = (file: string) => !/[/\\](node_modules|dist)$/.test(file);
  await cp(path.join(ROOT, 'plugin-template'), into, { recursive: true, filter: isOwn });
  await install(
    into,
    FOR_PLUGINS.map((folder) => tarballs.get(folder) ?? folder),
  );
}

/**
 * A deployment: a folder with the given tarballs installed and a `platform.json` of the given plugins; answers that file.
 * Where npm installs, it takes over the packages that `from` has, and npm removes what no tarball asks for.
 */
export async function deploy(
  folder: string,
  { from, tarballs, plugins }: { from: string; tarballs: Iterable<string>; plugins: readonly string[] },
): Promise<string> {
  await mkdir(folder);
  if (INSTALLS) await rename(path.join(from, 'node_modules'), path.join(folder, 'node_modules'));
  await writeFile(path.join(folder, 'package.json'), JSON.stringify({ name: 'deployment', private: true }));
  await install(folder, tarballs);
  const file = path.join(folder, 'platform.json');
  await writeFile(file, JSON.stringify({ plugins, migrations: '@weir/migrations' }));
  return file;
}

async function install(folder: string, tarballs: Iterable<string>): Promise<void> {
  if (INSTALLS) await npm(folder, ...INSTALL, ...tarballs);
  else await linkPackages(folder, tarballs);
}

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

/**
 * Unpacks the tarballs into the `node_modules` of a folder and links beside each what its manifest declares, and nothing
 * else: an import that is not declared fails, as it would for a third party. Other packages are those of this checkout.
 */
async function linkPackages(folder: string, tarballs: Iterable<string>): Promise<void> {
  const modules = path.join(folder, 'node_modules');
  const packed = new Map<string, string>();
  for (const tarball of tarballs) {
    const draft = path.join(modules, '.unpacked');
    await mkdir(draft, { recursive: true });
    await promisify(execFile)('tar', ['-xzf', tarball, '-C', draft, '--strip-components=1']);
    const { name } = await manifestOf(draft);
    await mkdir(path.dirname(path.join(modules, name)), { recursive: true });
    await rename(draft, path.join(modules, name));
    packed.set(name, path.join(modules, name));
  }
  const own = await manifestOf(folder);
  await linkDeclared(folder, { ...declaredBy(own), ...own.devDependencies }, packed);
  for (const home of packed.values()) {
    const manifest = await manifestOf(home);
    await linkDeclared(home, declaredBy(manifest), packed, await checkoutOf(manifest));
  }
  await mkdir(path.join(modules, '.bin'), { recursive: true });
  await symlink(path.join(ROOT, 'node_modules/typescript/bin/tsc'), path.join(modules, '.bin/tsc'));
}

const declaredBy = ({ dependencies, peerDependencies }: Manifest) => ({ ...dependencies, ...peerDependencies });

/** Where a published package lies in this checkout: npm puts there what the other packages have in another version. */
async function checkoutOf({ name }: Manifest): Promise<string> {
  const homes = PUBLISHED.map((folder) => path.join(ROOT, folder));
  const names = await Promise.all(homes.map(async (home) => (await manifestOf(home)).name));
  return homes[names.indexOf(name)] ?? ROOT;
}

async function manifestOf(folder: string): Promise<Manifest> {
  return JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8'));
}

async function linkDeclared(
  home: string,
  declared: Readonly<Record<string, string>>,
  packed: ReadonlyMap<string, string>,
  checkout = ROOT,
): Promise<void> {
  for (const [name, range] of Object.entries(declared)) {
    const link = path.join(home, 'node_modules', name);
    const nested = path.join(checkout, 'node_modules', name);
    const target = packed.get(name) ?? (existsSync(nested) ? nested : path.join(ROOT, 'node_modules', name));
    if (target === link) continue;
    const { version } = await manifestOf(target);
    if (/^\d/.test(range) && range !== version) throw new Error(`${home} wants ${name} ${range}, not ${version}`);
    await mkdir(path.dirname(link), { recursive: true });
    await symlink(target, link);
  }
}
