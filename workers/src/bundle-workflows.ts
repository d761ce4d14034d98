import { mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { bundleWorkflowCode } from '@temporalio/worker';
import { payloadConverterPath } from '@weir/kernel/boot';

const silent = {
  log: () => undefined,
  trace: () => undefined,
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

/**
 * Bundles the workflows that the first argument names into the file that the second names, with the interceptors that
 * the others name; the file appears whole.
 */
async function main([workflowsPath = '', codePath = '', ...interceptors]: readonly string[]): Promise<void> {
  const { code } = await bundleWorkflowCode({
    workflowsPath,
    workflowInterceptorModules: interceptors,
    payloadConverterPath,
    logger: silent,
    webpackConfigHook: (config) => ({
      ...config,
      resolve: { ...config.resolve, conditionNames: ['@weir/source', '...'] },
    }),
  });
  await mkdir(dirname(codePath), { recursive: true });
  const draft = `${codePath}.${process.pid}`;
  await writeFile(draft, code);
  await rename(draft, codePath);
}

await main(process.argv.slice(2));
