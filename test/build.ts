import { execFile } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { copyFile, glob, mkdir, readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { ROOT } from './walls.ts';

/** What a deployment runs beside its plugins and what these need. */
const DEPLOYED: readonly string[] = ['@weir/workers', '@weir/plugin-platform', '@weir/plugin-ui'];

/** What a plugin of a third party is built on: all that the template of one depends on, as folders of this checkout. */
export const FOR_PLUGINS: readonly string[] = closureOf(needsOf('plugin-template'));

/** The packages that are published as JavaScript: those, and what a deployment has. */
export const PUBLISHED: readonly string[] = closureOf([...needsOf('plugin-template'), ...DEPLOYED]);

interface Needs {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

/** The names of all packages that the package in a folder declares it needs. */
export function needsOf(folder: string): string[] {
  const { dependencies, peerDependencies }: Needs = manifestOf(folder);
  return Object.keys({ ...dependencies, ...peerDependencies });
}

/** The folders of these packages of the workspace and of all that they need of it, each after those that it needs. */
export function closureOf(names: readonly string[]): string[] {
  const homes = workspaceHomes();
  const found = new Set<string>();
  const add = (name: string): void => {
    const home = homes.get(name);
    if (home === undefined || found.has(home)) return;
    for (const needed of needsOf(home)) add(needed);
    found.add(home);
  };
  for (const name of names) add(name);
  return [...found];
}

/** The folder of each package of the workspace by its name. */
function workspaceHomes(): Map<string, string> {
  const { workspaces } = manifestOf('.') as { workspaces: string[] };
  const files = globSync(
    workspaces.map((place) => `${place}/package.json`),
    { cwd: ROOT },
  );
  return new Map(files.map(path.dirname).map((folder) => [(manifestOf(folder) as { name: string }).name, folder]));
}

function manifestOf(folder: string): object {
  return JSON.parse(readFileSync(path.join(ROOT, folder, 'package.json'), 'utf8'));
}

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

/** Builds the web pages, which plugin `ui` serves, unless they are up to date. */
export async function buildPages(): Promise<void> {
  const [command, args] = plainly(process.execPath, [path.join(ROOT, 'ui', 'build.ts')]);
  const { stderr } = await promisify(execFile)(command, args, { cwd: ROOT });
  process.stderr.write(stderr);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const folder of PUBLISHED) {
    await buildPackage(folder);
    process.stderr.write(`  ✓ ${folder}/dist\n`);
  }
  await buildPages();
}
