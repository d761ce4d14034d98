import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { platformFile } from './platform.ts';
import { ROOT } from './walls.ts';

const NAME = '@acme/weir-plugin-notes';
const DOORS = { '.': 'plugin', './contract': 'contract', './migrations': 'migrations', './worker': 'worker' };

interface Manifest {
  plugins: string[];
  patterns: string[];
  transforms: string[];
}

/** A `platform.json` in a folder of the checkout that has the plugin of the template too, read as it is written. */
export async function platformWithTemplate(folder: string): Promise<string> {
  const own = path.join(folder, 'notes');
  const isOwn = (file: string) => !/[/\\](node_modules|dist)$/.test(file);
  await cp(path.join(ROOT, 'plugin-template'), own, { recursive: true, filter: isOwn });
  const packageFile = path.join(own, 'package.json');
  const exports = Object.fromEntries(
    Object.entries(DOORS).map(([door, file]) => [door, { '@weir/source': `./src/${file}.ts` }]),
  );
  const packageJson = JSON.parse(await readFile(packageFile, 'utf8')) as object;
  await writeFile(packageFile, JSON.stringify({ ...packageJson, exports }));
  await mkdir(path.join(folder, 'node_modules', '@acme'), { recursive: true });
  await symlink(own, path.join(folder, 'node_modules', NAME), 'junction');
  const platform = JSON.parse(await readFile(platformFile, 'utf8')) as Manifest;
  const here = (names: readonly string[]) => names.map((name) => path.join(ROOT, name));
  const { plugins, patterns, transforms } = platform;
  const file = path.join(folder, 'platform.json');
  await writeFile(
    file,
    JSON.stringify({
      ...platform,
      ...{ plugins: [...plugins, NAME], patterns: here(patterns), transforms: here(transforms) },
    }),
  );
  return file;
}
