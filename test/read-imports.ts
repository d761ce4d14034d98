import { glob } from 'node:fs/promises';
import { cruise, type IReporterOutput } from 'dependency-cruiser';

/** Folders that hold no module of ours. */
const FOREIGN = /(^|\/)(node_modules|dist|\.tap)(\/|$)/;

/** Which modules of ours each module of the checkout imports at run time, tests included, as paths from the root. */
export async function readImports(root: string): Promise<Map<string, readonly string[]>> {
  const before = process.cwd();
  process.chdir(root);
  try {
    const files = await Array.fromAsync(glob('*/**/*.{ts,mjs}', { exclude: (name) => FOREIGN.test(name) }));
    const { output } = (await cruise(files, {
      parser: 'swc',
      doNotFollow: { path: ['node_modules'] },
      exclude: { path: ['/dist/', '^node_modules/'] },
      enhancedResolveOptions: {
        exportsFields: ['exports'],
        conditionNames: ['@weir/source', 'import', 'default', 'types'],
        extensions: ['.ts', '.js', '.mjs', '.json'],
      },
    })) as IReporterOutput & { output: Exclude<IReporterOutput['output'], string> };
    return new Map(
      output.modules.map(({ source, dependencies }) => [source, dependencies.map(({ resolved }) => resolved)]),
    );
  } finally {
    process.chdir(before);
  }
}
