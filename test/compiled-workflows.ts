import { copyFile, mkdir, readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { workflowsPath } from '../plugins/sources/src/work/workflows-path.ts';
import { worker as webhooks } from '../plugins/webhooks/src/worker.ts';
import { workflowBundle } from '../workers/src/bundle/workflow-bundle.ts';
import { WORKFLOW_CACHE } from './workflow-cache.ts';

/** The workflows of syncs as every worker of a checkout finds them, compiled unless they are there. */
export const compiledWorkflows = () => workflowBundle([workflowsPath], WORKFLOW_CACHE);

/** Those of the role that several plugins share. */
const compiledGeneral = () => workflowBundle([webhooks.workflowsPath], WORKFLOW_CACHE);

/** Puts the compiled workflows where a platform looks that has a cache of its own: to compile them takes longer than its start. */
export async function bringWorkflows(cacheDir: string): Promise<void> {
  const bundles = [await compiledWorkflows(), await compiledGeneral()].map(({ codePath }) => basename(codePath));
  await mkdir(cacheDir, { recursive: true });
  const lists = (await readdir(WORKFLOW_CACHE)).filter((name) => /^workflows-\w+\.json$/.test(name));
  for (const name of [...bundles, ...lists]) await copyFile(join(WORKFLOW_CACHE, name), join(cacheDir, name));
}
