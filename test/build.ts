import { execFile } from 'node:child_process';
import { copyFile, glob, mkdir, readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { ROOT } from './walls.ts';

/** The packages that are published as JavaScript, each after those whose types it needs. */
export const PUBLISHED: readonly string[] = [
  'lib/documents',
  'lib/vault',
  'lib/run-logs',
  'lib/telemetry',
  'lib/workflow-client',
  'kernel',
  'migrations',
  'workers',
  'plugins/platform',
];

/** Several would each check anew what all files stand on: twice the processor time for the kernel. */
export const ONE_CHECKER = ['--checkers', '1'];
const TSC = fileURLToPath(new URL('bin/tsc', import.meta.resolve('typescript/package.json')));

/**
 * Compiles one package to its `dist`, from nothing: JavaScript with declarations, and the plain `.mjs` files as they
 * are. The compiler sees the package's own folder as its root, because a source imports the package.json above it; so
 * what it writes below `src` moves up to where `exports` names it.
 */
export async function buildPackage(folder: string): Promise<void> {
  const home = path.join(ROOT, folder);
  const dist = path.join(home, 'dist');
  const draft = path.join(dist, '.build');
  await rm(dist, { recursive: true, force: true });
  await compile(path.join(home, 'tsconfig.build.json'));
  const built = path.join(draft, 'src');
  for await (const file of glob('**/*.mjs', { cwd: path.join(home, 'src') })) {
    await mkdir(path.dirname(path.join(built, file)), { recursive: true });
    await copyFile(path.join(home, 'src', file), path.join(built, file));
  }
  for (const name of await readdir(built)) await rename(path.join(built, name), path.join(dist, name));
  await rm(draft, { recursive: true });
}

/**
 * A command line whose process is free of a test runner's loaders: tap puts them into the environment of whatever is
 * started, after the caller has chosen one, and neither the compiler nor a stranger's npm bears them.
 */
export function plainly(command: string, args: readonly string[]): [string, string[]] {
  return ['env', ['-u', 'NODE_OPTIONS', command, ...args]];
}

async function compile(project: string): Promise<void> {
  const [command, args] = plainly(process.execPath, [TSC, '-p', project, ...ONE_CHECKER]);
  try {
    await promisify(execFile)(command, args, { cwd: ROOT });
  } catch (error) {
    throw new Error((error as { stdout?: string }).stdout?.trim() || (error as Error).message);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const folder of PUBLISHED) {
    await buildPackage(folder);
    process.stderr.write(`  ✓ ${folder}/dist\n`);
  }
}
