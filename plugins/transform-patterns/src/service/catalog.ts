import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Kernel, PlatformService } from '@weir/kernel';
import {
  type Fault,
  type LoadedPackage,
  loadPackage,
  type SqlTransform,
  type TransformPattern,
} from '@weir/transform-sdk';

/** What the transform packages of the deployment hold. */
export interface Catalog {
  readonly patterns: ReadonlyMap<string, TransformPattern>;
  readonly sqlTransforms: ReadonlyMap<string, SqlTransform>;
  readonly faults: readonly ({ package: string } & Fault)[];
}

/** The packages, as this process has read them last. */
export interface Packages {
  /** Reads them when it never has, or when they were synced by any process since. */
  current(): Promise<Catalog>;
  /** Reads them again, and has every process do so; answers what was there before, too. */
  sync(): Promise<{ before: Catalog; after: Catalog }>;
}

const PACKAGE_FILE = 'package.json';

/** The packages in the folders that `transforms` of the deployment manifest names. */
export function transformPackages(
  platformFile: string,
  { sql, log }: { sql: PlatformService['sql']; log: Kernel['log'] },
): Packages {
  let read: { generation: string; catalog: Promise<Catalog> } | undefined;
  const at = (generation: string) => {
    if (read?.generation === generation) return read.catalog;
    const catalog = readPackages(platformFile, log);
    read = { generation, catalog };
    return catalog;
  };
  const generationOf = async (statement: string) => String((await sql(statement, [])).rows[0]?.generation);
  const current = async () => at(await generationOf('select generation from transform_patterns.sync'));
  return {
    current,
    async sync() {
      const before = await current();
      const next = 'update transform_patterns.sync set generation = generation + 1 returning generation';
      return { before, after: await at(await generationOf(next)) };
    },
  };
}

/** Reads every package; what cannot be used is logged, and the others are there all the same. */
async function readPackages(platformFile: string, log: Kernel['log']): Promise<Catalog> {
  const patterns = new Map<string, TransformPattern>();
  const sqlTransforms = new Map<string, SqlTransform>();
  const faults: ({ package: string } & Fault)[] = [];
  const loaded: LoadedPackage[] = [];
  for (const folder of await packageFolders(platformFile)) loaded.push(await readOne(folder));
  for (const { name, pattern, sqlTransforms: list, faults: found } of loaded) {
    faults.push(...found.map((fault) => ({ package: name, ...fault })));
    const keep = <T extends { document: { id: string } }>(all: Map<string, T>, one: T) => {
      const { id } = one.document;
      const pointer = `/${id}`;
      if (all.has(id)) faults.push({ package: name, pointer, code: 'repeated', message: 'another package has the id' });
      else all.set(id, one);
    };
    if (pattern !== undefined) keep(patterns, pattern);
    for (const one of list) keep(sqlTransforms, one);
  }
  for (const fault of faults) log.error({ fault }, 'transform package refused');
  return { patterns, sqlTransforms, faults };
}

async function readOne(folder: string): Promise<LoadedPackage> {
  try {
    return await loadPackage(folder);
  } catch (error) {
    const { code = 'unreadable' } = error as { code?: string };
    const fault = { pointer: '', code: code === 'ENOENT' ? 'missing' : 'unreadable', message: 'cannot be read' };
    return { name: folder.split('/').at(-1) ?? folder, sqlTransforms: [], faults: [fault] };
  }
}

/** Each entry is a package, or a folder of packages, relative to the manifest. */
async function packageFolders(platformFile: string): Promise<string[]> {
  const { transforms = [] } = JSON.parse(await readFile(platformFile, 'utf8')) as { transforms?: string[] };
  const found = transforms.map(async (entry) => {
    const folder = resolve(dirname(platformFile), entry);
    if (existsSync(join(folder, PACKAGE_FILE)) || !existsSync(folder)) return [folder];
    const inside = (await readdir(folder, { withFileTypes: true })).filter((one) => one.isDirectory());
    const folders = inside.map(({ name }) => join(folder, name)).sort();
    return folders.filter((one) => PART_FILES.some((file) => existsSync(join(one, file))));
  });
  return (await Promise.all(found)).flat();
}

/** A folder inside that has none of these is something else, such as a library beside the packages. */
const PART_FILES = ['pattern', 'sql-transforms'].flatMap((name) => [`${name}.json`, `${name}.yaml`]);
