import { cp, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';

type Manifest = {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
};

/** The folder of a package as `from` sees it; undefined when it is not installed. */
function findPackage(name: string, from: string): string | undefined {
  const folders = createRequire(path.join(from, 'package.json')).resolve.paths(name) ?? [];
  const require = createRequire(path.join(from, 'package.json'));
  for (const folder of folders) {
    try {
      return path.dirname(require.resolve(path.join(folder, name, 'package.json')));
    } catch {
      // Not in this folder; an optional package may be in none.
    }
  }
  return undefined;
}

/**
 * Copies installed packages with everything that they need into `<target>/node_modules`, flat. An optional package that
 * is not installed, such as that of another platform, is left out; one that is needed and missing is an error.
 */
export async function copyPackages(names: Iterable<string>, from: string, target: string): Promise<void> {
  const copied = new Set<string>();
  const copy = async (name: string, seenFrom: string, optional: boolean): Promise<void> => {
    if (copied.has(name)) return;
    const folder = findPackage(name, seenFrom);
    if (folder === undefined) {
      if (optional) return;
      throw new Error(`package ${name} is not installed`);
    }
    copied.add(name);
    const own = path.join(folder, 'node_modules');
    const filter = (source: string) => !source.startsWith(own);
    await cp(folder, path.join(target, 'node_modules', name), { recursive: true, dereference: true, filter });
    const { dependencies = {}, optionalDependencies = {} } = await manifestOf(folder);
    for (const needed of Object.keys({ ...dependencies, ...optionalDependencies })) {
      await copy(needed, folder, needed in optionalDependencies);
    }
  };
  for (const name of names) await copy(name, from, false);
}

async function manifestOf(folder: string): Promise<Manifest> {
  return JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8')) as Manifest;
}
