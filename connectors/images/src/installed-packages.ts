import { existsSync, realpathSync } from 'node:fs';
import { cp, readFile } from 'node:fs/promises';
import path from 'node:path';

/** What a package's manifest says that it needs. */
type Needs = {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
};

/** The folder of a package as `from` sees it, links followed; undefined when it is not installed. */
function findPackage(name: string, from: string): string | undefined {
  for (let folder = from; ; folder = path.dirname(folder)) {
    const found = path.join(folder, 'node_modules', name);
    if (existsSync(path.join(found, 'package.json'))) return realpathSync(found);
    if (folder === path.dirname(folder)) return undefined;
  }
}

async function needsOf(folder: string): Promise<Needs> {
  return JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8')) as Needs;
}

/**
 * The folders of these packages and of all that they need at run time, links followed. One that may be absent, such as
 * that of another platform, is left out when it is; one that is needed and missing is an error.
 */
export async function installedPackages(root: string, names: readonly string[]): Promise<string[]> {
  const found = new Set<string>();
  const add = async (name: string, from: string, isOptional: boolean): Promise<void> => {
    const folder = findPackage(name, from);
    if (folder === undefined && !isOptional) throw new Error(`package ${name} is not installed`);
    if (folder === undefined || found.has(folder)) return;
    found.add(folder);
    const needs = await needsOf(folder);
    const { dependencies = {}, optionalDependencies = {}, peerDependencies = {}, peerDependenciesMeta = {} } = needs;
    for (const needed of Object.keys(dependencies)) await add(needed, folder, needed in optionalDependencies);
    for (const needed of Object.keys(optionalDependencies)) await add(needed, folder, true);
    for (const needed of Object.keys(peerDependencies)) {
      if (peerDependenciesMeta[needed]?.optional !== true) await add(needed, folder, false);
    }
  };
  for (const name of names) await add(name, root, false);
  return [...found];
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
    const { dependencies = {}, optionalDependencies = {} } = await needsOf(folder);
    for (const needed of Object.keys({ ...dependencies, ...optionalDependencies })) {
      await copy(needed, folder, needed in optionalDependencies);
    }
  };
  for (const name of names) await copy(name, from, false);
}
