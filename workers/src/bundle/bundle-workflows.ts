import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, extname, isAbsolute } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode } from '@temporalio/worker';
import { payloadConverterPath } from '@weir/kernel/boot';

const TYPESCRIPT = { test: /\.ts$/, use: fileURLToPath(new URL('./strip-types.mjs', import.meta.url)) };

/** In a checkout the packages are sources; a packed package has none. */
const OWN_CONDITIONS = extname(import.meta.url) === '.ts' ? ['@weir/source'] : [];

/** Where the workflow library is installed: an entry that joins several plugins lies in the cache, beside no packages. */
const installed = dirname(
  dirname(dirname(createRequire(import.meta.url).resolve('@temporalio/workflow/package.json'))),
);

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
 * the others name; prints the files that went in, as JSON.
 */
async function main([workflowsPath = '', codePath = '', ...interceptors]: readonly string[]): Promise<void> {
  const inputs = new Set<string>();
  const faults: string[] = [];
  const { code } = await bundleWorkflowCode({
    workflowsPath,
    workflowInterceptorModules: interceptors,
    payloadConverterPath,
    logger: silent,
    webpackConfigHook: (config) => ({
      ...config,
      plugins: [
        ...(config.plugins ?? []),
        (compiler) =>
          compiler.hooks.afterCompile.tap('list-inputs', ({ modules, errors }) => {
            faults.push(...errors.map(({ message }) => message));
            for (const { resource } of modules as Iterable<{ resource?: string }>) {
              if (resource !== undefined && isAbsolute(resource)) inputs.add(resource);
            }
          }),
      ],
      resolve: {
        ...config.resolve,
        conditionNames: [...OWN_CONDITIONS, '...'],
        modules: ['node_modules', installed],
      },
      module: { ...config.module, rules: [...javascriptRules(config.module?.rules), TYPESCRIPT] },
    }),
  }).catch((cause: unknown) => {
    throw new Error(`the workflows cannot be bundled: ${faults.join('; ')}`, { cause });
  });
  await writeFile(codePath, code);
  process.stdout.write(JSON.stringify([...inputs]));
}

/** The bundler's own rules but that for TypeScript. */
function javascriptRules<Rule>(rules: readonly Rule[] = []): Rule[] {
  const isTypescript = ({ test }: { test?: unknown }) => test instanceof RegExp && test.test('x.ts');
  return rules.filter((rule) => !isTypescript(rule as { test?: unknown }));
}

await main(process.argv.slice(2));
