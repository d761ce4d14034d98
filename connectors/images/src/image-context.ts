import { existsSync } from 'node:fs';
import { copyFile, cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { bundleProgram } from './bundle-program.ts';

/** What the recipe is told: its build arguments. */
export type ImageFacts = { readonly name: string; readonly version: string };

const RECIPE = path.resolve(import.meta.dirname, '..', 'Dockerfile');
const CONNECTORS = path.resolve(import.meta.dirname, '..', '..');

/** The folder of a connector of this project, by its name. Throws when there is none. */
export function connectorFolder(name: string): string {
  const folder = path.join(CONNECTORS, name);
  if (!/^[a-z][a-z0-9-]*$/.test(name) || !existsSync(path.join(folder, 'pattern.json'))) {
    throw new Error(`there is no connector ${name}`);
  }
  return folder;
}

/**
 * Writes the build context of the Singer bridge into `context`, which is emptied: its own recipe, and `app/` with the
 * program. Gives the names of the build arguments without which no image is made.
 */
export async function bridgeContext(context: string): Promise<string[]> {
  const folder = path.join(CONNECTORS, 'singer-bridge');
  await programContext(path.join(folder, 'src', 'main.ts'), context);
  await copyFile(path.join(folder, 'package.json'), path.join(context, 'app', 'package.json'));
  const recipe = path.join(context, 'Dockerfile');
  await copyFile(path.join(folder, 'Dockerfile'), recipe);
  return [...(await readFile(recipe, 'utf8')).matchAll(/^ARG (\w+)$/gm)].map(([, name = '']) => name);
}

/**
 * Writes the build context of a connector into `context`, which is emptied: the recipe, and `app/` with the program, its
 * package.json and its pattern. Gives the image's full name, `weir/connector-files:<version>`, as the pattern has it.
 */
export async function connectorContext(folder: string, context: string): Promise<ImageFacts> {
  const pattern = JSON.parse(await readFile(path.join(folder, 'pattern.json'), 'utf8')) as {
    image: string;
    version: string;
  };
  await programContext(path.join(folder, 'src', 'main.ts'), context);
  await copyFile(path.join(folder, 'package.json'), path.join(context, 'app', 'package.json'));
  await copyFile(path.join(folder, 'pattern.json'), path.join(context, 'app', 'pattern.json'));
  return { name: pattern.image, version: pattern.version };
}

/**
 * Writes the build context of any program of ours. `entrypoint` is what comes after the program's name in every run;
 * `root` is a folder whose files come over those of the base image.
 */
export async function programContext(
  entry: string,
  context: string,
  { entrypoint = [], root }: { readonly entrypoint?: readonly string[]; readonly root?: string } = {},
): Promise<void> {
  await rm(context, { recursive: true, force: true });
  await mkdir(path.join(context, 'app'), { recursive: true });
  await bundleProgram(entry, path.join(context, 'app'));
  if (root !== undefined) await cp(root, path.join(context, 'root'), { recursive: true, verbatimSymlinks: true });
  const recipe = await readFile(RECIPE, 'utf8');
  const command = JSON.stringify(['node', '/app/dist/main.mjs', ...entrypoint]);
  const changed = recipe
    .replace(/^ENTRYPOINT .*$/m, `ENTRYPOINT ${command}`)
    .replace(/^COPY app \/app$/m, root === undefined ? '$&' : '$&\nCOPY root/ /');
  await writeFile(path.join(context, 'Dockerfile'), changed);
}
