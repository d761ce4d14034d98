import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { build } from 'esbuild';
import { copyPackages } from './installed-packages.ts';

/** Packages that hold machine code: they stay packages beside the bundle. */
const NATIVE = ['@duckdb/*'];
/** A worker thread's own file is no part of a bundle. */
const THREAD_FILE = /new URL\(\s*["'][^"']+\.ts["']/;
/** CommonJS packages inside an ES module ask for what Node itself brings. */
const BANNER = `import { createRequire as requireFor } from 'node:module'; const require = requireFor(import.meta.url);`;

/**
 * Makes one program of a TypeScript file of ours: `<app>/dist/main.mjs` with all it imports in it, and beside it, in
 * `<app>/node_modules`, the packages with machine code. The platform is the one we run on.
 */
export async function bundleProgram(entry: string, app: string): Promise<void> {
  const { metafile, outputFiles } = await build({
    entryPoints: [entry],
    outfile: path.join(app, 'dist', 'main.mjs'),
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    conditions: ['@weir/source'],
    external: NATIVE,
    banner: { js: BANNER },
    legalComments: 'inline',
    metafile: true,
    write: false,
    logLevel: 'silent',
  });
  const [file] = outputFiles;
  if (file === undefined || THREAD_FILE.test(file.text)) {
    throw new Error(`${entry} starts a thread from a file of its own, which a bundle does not have`);
  }
  await mkdir(path.dirname(file.path), { recursive: true });
  await writeFile(file.path, file.contents);
  const imports = Object.values(metafile.inputs).flatMap((input) => input.imports);
  const packages = imports.filter((one) => one.external && one.path.startsWith('@duckdb/')).map((one) => one.path);
  await copyPackages(new Set(packages), path.dirname(entry), app);
}
