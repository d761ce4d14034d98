import { execFile } from 'node:child_process';
import { cp, mkdir, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { buildPackage, PUBLISHED, plainly } from './build.ts';
import { ROOT } from './walls.ts';

/** Far beyond what an install from a cache takes; only a hang reaches it. */
const HANG_MS = 300_000;
const MAX_OUTPUT = 64 * 1024 * 1024;

/**
 * Runs npm in a folder with the Node that runs us, as an author would: nothing of ours in the environment but the test
 * services. Resolves with what it printed; rejects with all of it.
 */
export async function npm(folder: string, ...args: string[]): Promise<string> {
  const own = Object.entries(process.env).filter(([name]) => !/^(npm_|_?TAP)/i.test(name));
  const PATH = [path.dirname(process.execPath), process.env.PATH].join(path.delimiter);
  const options = { cwd: folder, env: { ...Object.fromEntries(own), PATH }, timeout: HANG_MS, maxBuffer: MAX_OUTPUT };
  try {
    return (await promisify(execFile)(...plainly('npm', args), options)).stdout;
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    throw new Error(`npm ${args[0]} failed\n${stdout}\n${stderr}`);
  }
}

const INSTALL = ['install', '--no-save', '--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund'];

/** Builds and packs every published package of this repository; answers the tarballs by package name. */
export async function packPublished(into: string): Promise<Map<string, string>> {
  for (const folder of PUBLISHED) await buildPackage(folder);
  return pack(
    PUBLISHED.map((folder) => path.join(ROOT, folder)),
    into,
  );
}

/** Packs the packages in some folders as they lie there; answers the tarballs by package name. */
export async function pack(folders: readonly string[], into: string): Promise<Map<string, string>> {
  const said = await npm(into, 'pack', ...folders, '--json', '--ignore-scripts');
  const packed = JSON.parse(said) as { name: string; filename: string }[];
  return new Map(packed.map(({ name, filename }) => [name, path.join(into, filename)]));
}

/** A copy of the template as a third party has it: outside this repository, with the kernel from its tarball. */
export async function copyTemplate(into: string, tarballs: ReadonlyMap<string, string>): Promise<void> {
  const isOwn = (file: string) => !/[/\\](node_modules|dist)$/.test(file);
  await cp(path.join(ROOT, 'plugin-template'), into, { recursive: true, filter: isOwn });
  await npm(
    into,
    ...INSTALL,
    ...['@weir/documents', '@weir/vault', '@weir/kernel', '@weir/migrations'].map((name) => tarballs.get(name) ?? name),
  );
}

/**
 * A deployment: a folder with the given tarballs installed and a `platform.json` of the given plugins; answers that file.
 * It takes over the packages that `from` has installed, of which npm removes what no tarball asks for.
 */
export async function deploy(
  folder: string,
  { from, tarballs, plugins }: { from: string; tarballs: Iterable<string>; plugins: readonly string[] },
): Promise<string> {
  await mkdir(folder);
  await rename(path.join(from, 'node_modules'), path.join(folder, 'node_modules'));
  await writeFile(path.join(folder, 'package.json'), JSON.stringify({ name: 'deployment', private: true }));
  await npm(folder, ...INSTALL, ...tarballs);
  const file = path.join(folder, 'platform.json');
  await writeFile(file, JSON.stringify({ plugins, migrations: '@weir/migrations' }));
  return file;
}
