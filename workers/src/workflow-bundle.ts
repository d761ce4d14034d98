import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import temporal from '@temporalio/worker/package.json' with { type: 'json' };
import { payloadConverterPath } from '@weir/kernel/boot';

const beside = (name: string) => fileURLToPath(new URL(`./${name}${extname(import.meta.url)}`, import.meta.url));
const interceptors = beside('trace-workflow');

/**
 * The bundled workflow code of one role, as a file. Bundling takes seconds, so the result is kept in `cacheDir` under the
 * hash of everything that goes in, wherever it lies: the folder of the workflows (which import values from nowhere else), our
 * own interceptors, the payload converter and the version of the engine's client. It runs in a process of its own, because the
 * bundler would leave the worker half as big again for the rest of its life.
 */
export async function workflowBundle(workflowsPath: string, cacheDir: string): Promise<{ codePath: string }> {
  const codePath = join(cacheDir, `workflows-${await hashOf(workflowsPath)}.cjs`);
  if (!(await isFile(codePath))) await bundle(workflowsPath, codePath);
  return { codePath };
}

async function bundle(workflowsPath: string, codePath: string): Promise<void> {
  const program = beside('bundle-workflows');
  const child = spawn(process.execPath, [...process.execArgv, program, workflowsPath, codePath, interceptors], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`the workflows of ${workflowsPath} could not be bundled (exit ${code})`);
}

async function hashOf(workflowsPath: string): Promise<string> {
  const folder = dirname(workflowsPath);
  const names = (await readdir(folder)).sort();
  const hash = createHash('sha256').update(`${temporal.version} ${process.version}`);
  for (const file of [...names.map((name) => join(folder, name)), payloadConverterPath, interceptors]) {
    hash.update(`\0${basename(file)}\0`).update(await readFile(file));
  }
  return hash.digest('hex').slice(0, 32);
}

async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
}
