import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { cp, mkdir, readlink, realpath, rm, symlink } from 'node:fs/promises';
import path from 'node:path';
import { installedPackages } from './installed-packages.ts';

const ROOT = path.resolve(import.meta.dirname, '..', '..', '..');
/** What a container runs beside the plugins that the manifest names. */
const PROGRAMS = ['@weir/kernel', '@weir/workers', '@weir/migrations'];
/** Of a package: what nothing at run time reads. */
const NOT_RUN = /(?:^|\/)(?:test|dist|node_modules|\.cache|tsconfig[^/]*\.json|CHANGELOG\.md)$/;
/** Of an installed package: type declarations and maps back to sources. */
const NOT_RUN_INSTALLED = /\.(?:d\.[cm]?ts|map)$|(?:^|\/)node_modules$/;
/** The workflow library carries its machine code for every platform. */
const MACHINE_CODE = /\/core-bridge\/releases\/([^/]+)$/;
const THIS_MACHINE = process.arch === 'arm64' ? 'aarch64' : 'x86_64';
/** What volumes are mounted over. */
const STATE = ['run-logs', 'uploads', 'objects', 'scratch'];
const NODE_ARGS = ['--conditions=@weir/source', '--disable-warning=ExperimentalWarning'];

/**
 * Writes the build context of the platform's image into `context`, which is emptied: the recipe, and `app/` with this
 * checkout as it runs, its built pages and the packages that it needs, for the platform we run on. Gives the commit.
 */
export async function platformContext(context: string, root: string = ROOT): Promise<string> {
  const app = path.join(context, 'app');
  await rm(context, { recursive: true, force: true });
  await mkdir(app, { recursive: true });
  buildPages(root);
  const {
    plugins,
    patterns = [],
    transforms = [],
  } = JSON.parse(readFileSync(path.join(root, 'platform.json'), 'utf8')) as {
    plugins: string[];
    patterns?: string[];
    transforms?: string[];
  };
  for (const folder of await installedPackages(root, [...PROGRAMS, ...plugins])) {
    const inside = path.relative(root, folder);
    if (inside.split(path.sep).includes('node_modules')) await copyInstalled(folder, path.join(app, inside));
    else await copyOwn(root, app, folder);
  }
  for (const name of patterns) await copyPattern(path.join(root, name), path.join(app, name));
  for (const name of [...transforms, 'libraries']) await copyRun(path.join(root, name), path.join(app, name));
  for (const name of ['package.json', 'platform.json']) await cp(path.join(root, name), path.join(app, name));
  const deploy = path.join(root, 'deploy', 'image');
  await cp(path.join(deploy, 'role.mjs'), path.join(app, 'role.mjs'));
  for (const name of STATE) await mkdir(path.join(context, 'state', name), { recursive: true });
  await cp(path.join(deploy, 'Dockerfile'), path.join(context, 'Dockerfile'));
  return commitOf(root);
}

/** The web pages are built from what is there, unless they are of it already. */
function buildPages(root: string): void {
  const { status, stderr } = spawnSync(process.execPath, [...NODE_ARGS, 'ui/build.ts'], {
    cwd: root,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`the pages cannot be built: ${stderr}`);
}

/** A package of this checkout, where it lies, and the link by which others find it. */
async function copyOwn(root: string, app: string, folder: string): Promise<void> {
  await copyRun(folder, path.join(app, path.relative(root, folder)));
  const { name } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as { name: string };
  const link = path.join('node_modules', name);
  await mkdir(path.dirname(path.join(app, link)), { recursive: true });
  await symlink(await readlink(path.join(root, link)), path.join(app, link));
}

async function copyRun(from: string, to: string): Promise<void> {
  if (existsSync(from)) await cp(from, to, { recursive: true, filter: (one) => one === from || !NOT_RUN.test(one) });
}

async function copyInstalled(folder: string, to: string): Promise<void> {
  const real = await realpath(folder);
  const isRun = (file: string) => {
    const machine = MACHINE_CODE.exec(file)?.[1];
    return machine === undefined || (machine.startsWith(THIS_MACHINE) && machine.includes(process.platform));
  };
  const filter = (file: string) => file === real || (!NOT_RUN_INSTALLED.test(file) && isRun(file));
  await cp(real, to, { recursive: true, filter });
}

/** What a pattern says; its program is an image of its own. */
async function copyPattern(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true });
  for (const name of ['pattern.json', 'faults.json']) {
    if (existsSync(path.join(from, name))) await cp(path.join(from, name), path.join(to, name));
  }
}

function commitOf(root: string): string {
  const { stdout, status } = spawnSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8' });
  return status === 0 ? stdout.trim() : '';
}
