import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, extname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import temporal from '@temporalio/worker/package.json' with { type: 'json' };
import { payloadConverterPath } from '@weir/kernel/boot';

const beside = (name: string) => fileURLToPath(new URL(`./${name}${extname(import.meta.url)}`, import.meta.url));
const interceptors = beside('trace-workflow');
const MAX_OUTPUT = 16 * 1024 * 1024;

/**
 * The bundled workflow code of a worker process, as a file: the workflows of every plugin of its roles. Bundling takes
 * seconds, so the result is kept in `cacheDir`, named by the hash of its inputs wherever the checkout lies. A list beside
 * it, found by the workflows folders, names the inputs outside of the first. The bundler runs in a process of its own,
 * because it would leave the worker half as big again. Throws for a workflow that two plugins name.
 */
export async function workflowBundle(
  workflowsPaths: readonly string[],
  cacheDir: string,
): Promise<{ codePath: string }> {
  const paths = [...new Set(workflowsPaths)].sort();
  const folder = dirname(paths[0] ?? '');
  const entry = (await Promise.all(paths.map((path) => hashEntry(dirname(path))))).join(' ');
  const list = join(cacheDir, `workflows-${await hashFiles(entry, folder, [])}.json`);
  const codeOf = async (inputs: readonly string[]) =>
    join(cacheDir, `workflows-${await hashFiles(entry, folder, inputs)}.cjs`);
  const known = await readList(list);
  const kept = known && (await codeOf(known));
  if (kept !== undefined && (await isFile(kept))) return { codePath: kept };

  const draft = join(cacheDir, `${basename(list)}.${process.pid}`);
  const inputs = await bundle(paths, draft);
  const codePath = await codeOf(inputs);
  await rename(`${draft}.cjs`, codePath);
  await writeFile(draft, JSON.stringify(inputs));
  await rename(draft, list);
  return { codePath };
}

/** Writes the bundle to `<draft>.cjs`; returns its inputs outside the folder of the first path, relative to that folder. */
async function bundle(paths: readonly string[], draft: string): Promise<string[]> {
  const [first = ''] = paths;
  const joint = `${draft}.mjs`;
  const isJoint = paths.length > 1;
  await mkdir(dirname(draft), { recursive: true });
  if (isJoint) await writeFile(joint, paths.map((path) => `export * from ${JSON.stringify(path)};\n`).join(''));
  try {
    const program = [beside('bundle-workflows'), isJoint ? joint : first, `${draft}.cjs`, interceptors];
    const args = [...process.execArgv, ...program];
    const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: MAX_OUTPUT });
    const files = (JSON.parse(stdout) as string[]).filter((file) => file !== joint).map(installedAs);
    const outside = files.map((file) => relative(dirname(first), file)).filter((file) => file.startsWith('..'));
    return [...new Set(outside)].sort();
  } finally {
    await rm(joint, { force: true });
  }
}

/** A file of an installed package counts by the manifest of that package, which names its version. */
function installedAs(file: string): string {
  return file.replace(/^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\/.*$/, '$1/package.json');
}

async function hashEntry(folder: string): Promise<string> {
  const names = (await readdir(folder)).sort();
  const versions = `${temporal.version} ${process.version}`;
  return hashFiles(versions, folder, [...names, payloadConverterPath, interceptors], basename);
}

/** Hash over names and contents; a missing file counts as empty. */
async function hashFiles(
  salt: string,
  folder: string,
  files: readonly string[],
  nameOf: (file: string) => string = (file) => file,
): Promise<string> {
  const hash = createHash('sha256').update(salt);
  for (const file of files) {
    const content = await readFile(resolve(folder, file)).catch(() => '');
    hash.update(`\0${nameOf(file)}\0`).update(content);
  }
  return hash.digest('hex').slice(0, 32);
}

async function readList(path: string): Promise<string[] | undefined> {
  return readFile(path, 'utf8').then(
    (text) => JSON.parse(text) as string[],
    () => undefined,
  );
}

async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
}
