import { copyFile, mkdir, readdir, readFile } from 'node:fs/promises';
import { findPackageJSON } from 'node:module';
import { basename, join } from 'node:path';
import type { WorkerDoor } from '@weir/kernel';
import { worker as sourceWorker } from '../plugins/sources/src/worker.ts';
import { workflowBundle } from '../workers/src/bundle/workflow-bundle.ts';
import { WORKFLOW_CACHE } from './workflow-cache.ts';

/** The workflows of syncs as every worker of a checkout finds them, compiled unless they are there. */
export const compiledWorkflows = () => workflowBundle([sourceWorker.workflowsPath], WORKFLOW_CACHE);

/** Those of a worker that has all roles of the deployment, as development starts it. */
const compiledRoles = async () => workflowBundle(await declaredWorkflows(), WORKFLOW_CACHE);

async function declaredWorkflows(): Promise<string[]> {
  const { plugins } = await readJson<{ plugins: string[] }>(new URL('../platform.json', import.meta.url));
  const doors = plugins.map(async (name) => {
    const manifest = findPackageJSON(name, import.meta.url) ?? '';
    const { weir } = await readJson<{ weir: { workers?: { entry: string }[] } }>(manifest);
    return (weir.workers ?? []).map(({ entry }) => `${name}${entry.slice(1)}`);
  });
  const workers = (await Promise.all(doors)).flat().map(async (door) => {
    const { worker } = (await import(door)) as { worker: WorkerDoor };
    return worker.workflowsPath;
  });
  return Promise.all(workers);
}

const readJson = async <T>(file: string | URL) => JSON.parse(await readFile(file, 'utf8')) as T;

/** Puts the compiled workflows where a platform looks that has a cache of its own: to compile them takes longer than its start. */
export async function bringWorkflows(cacheDir: string): Promise<void> {
  const bundles = [await compiledWorkflows(), await compiledRoles()].map(({ codePath }) => basename(codePath));
  await mkdir(cacheDir, { recursive: true });
  const lists = (await readdir(WORKFLOW_CACHE)).filter((name) => /^workflows-\w+\.json$/.test(name));
  for (const name of [...bundles, ...lists]) await copyFile(join(WORKFLOW_CACHE, name), join(cacheDir, name));
}
