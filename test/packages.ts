import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { buildPackage, FOR_PLUGINS, plainly } from './build.ts';
import { ROOT } from './walls.ts';

const MAX_OUTPUT = 64 * 1024 * 1024;

/**
 * Runs npm in a folder with the Node that runs us, as an author would: nothing of ours in the environment but the test
 * services. Resolves with what it printed; rejects with all of it.
 */
export async function npm(folder: string, ...args: string[]): Promise<string> {
  const own = Object.entries(process.env).filter(([name]) => !/^(npm_|_?TAP)/i.test(name));
  const PATH = [path.dirname(process.execPath), process.env.PATH].join(path.delimiter);
  const options = { cwd: folder, env: { ...Object.fromEntries(own), PATH }, maxBuffer: MAX_OUTPUT };
  try {
    return (await promisify(execFile)(...plainly('npm', args), options)).stdout;
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    throw new Error(`npm ${args[0]} failed\n${stdout}\n${stderr}`);
  }
}

/** Builds and packs packages of this checkout; answers the tarballs by folder. */
export async function buildAndPack(folders: readonly string[], into: string): Promise<Map<string, string>> {
  await mkdir(into, { recursive: true });
  for (const folder of folders) await buildPackage(folder);
  const homes = folders.map((folder) => path.join(ROOT, folder));
  const tarballs = await pack(homes, into);
  return new Map(folders.map((folder, at) => [folder, tarballs[at] ?? '']));
}

/** Packs the packages in some folders as they lie there; answers their tarballs in that order. */
export async function pack(folders: readonly string[], into: string): Promise<string[]> {
  const said = await npm(into, 'pack', ...folders, '--json', '--ignore-scripts');
  const packed = JSON.parse(said) as { filename: string }[];
  return packed.map(({ filename }) => path.join(into, filename));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const into = path.resolve(process.argv[2] ?? 'dist/packages');
  for (const tarball of (await buildAndPack(FOR_PLUGINS, into)).values()) process.stdout.write(`${tarball}\n`);
}
