import { mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode } from '@temporalio/worker';
import { payloadConverterPath } from '@weir/kernel/boot';

const TYPESCRIPT = { test: /\.ts$/, use: fileURLToPath(new URL('./strip-types.mjs', import.meta.url)) };

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
      module: { ...config.module, rules: [...javascriptRules(config.module?.rules), TYPESCRIPT] },
    }),
  });
  await mkdir(dirname(codePath), { recursive: true });
  const draft = `${codePath}.${process.pid}`;
  await writeFile(draft, code);
  await rename(draft, codePath);
}

/** The bundler's own rules but that for TypeScript. */
function javascriptRules<Rule>(rules: readonly Rule[] = []): Rule[] {
  const isTypescript = ({ test }: { test?: unknown }) => test instanceof RegExp && test.test('x.ts');
  return rules.filter((rule) => !isTypescript(rule as { test?: unknown }));
}

await main(process.argv.slice(2));
