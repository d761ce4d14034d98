import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { bundleWorkflowCode } from '@temporalio/worker';
import temporal from '@temporalio/worker/package.json' with { type: 'json' };
import { payloadConverterPath } from '@weir/kernel/boot';

/**
 * The bundled workflow code of one role, as a file. Bundling takes seconds, so the result is kept in `cacheDir` under the
 * hash of everything that goes in: the folder of the workflows (which import values from nowhere else), the payload
 * converter and the version of the engine's client.
 */
export async function workflowBundle(workflowsPath: string, cacheDir: string): Promise<{ codePath: string }> {
  const codePath = join(cacheDir, `workflows-${await hashOf(workflowsPath)}.cjs`);
  if (await isFile(codePath)) return { codePath };
  const { code } = await bundleWorkflowCode({
    workflowsPath,
    payloadConverterPath,
    logger: silent,
    webpackConfigHook: (config) => ({
      ...config,
      resolve: { ...config.resolve, conditionNames: ['@weir/source', '...'] },
    }),
  });
  await mkdir(cacheDir, { recursive: true });
  const draft = `${codePath}.${process.pid}`;
  await writeFile(draft, code);
  await rename(draft, codePath);
  return { codePath };
}

const silent = {
  log: () => undefined,
  trace: () => undefined,
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

async function hashOf(workflowsPath: string): Promise<string> {
  const folder = dirname(workflowsPath);
  const names = (await readdir(folder)).sort();
  const hash = createHash('sha256').update(`${temporal.version} ${process.version}`);
  for (const file of [...names.map((name) => join(folder, name)), payloadConverterPath]) {
    hash.update(`\0${file}\0`).update(await readFile(file));
  }
  return hash.digest('hex').slice(0, 32);
}

async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
}
