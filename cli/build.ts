import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { BUNDLES, type BundleList, bundleOf, LIST, stampOf } from '../lib/processes/src/program/bundle-of.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** What starts often and does little: commands, and the processes of statements, syncs and previews. */
const PROGRAMS = [
  'cli/src/main.ts',
  'lakehouse/src/query/child.ts',
  'plugins/sources/src/child/replay-child.ts',
  'plugins/sources/src/child/sync-child.ts',
  'plugins/transforms/src/child/select-child.ts',
];
/** They say which packages there are, in which versions. */
const LOCKS = ['package-lock.json', 'node_modules/.package-lock.json'];
/** Bundles that are kept: a program may be starting from one that has just been replaced. */
const KEPT = 4;

/** Bundles the programs of a checkout, unless the bundles are of what is there; answers whether it has. */
export async function buildPrograms(root: string = ROOT, programs: readonly string[] = PROGRAMS): Promise<boolean> {
  if (programs.every((program) => bundleOf(root, program) !== undefined)) return false;
  const folder = path.join(root, BUNDLES);
  const begun = Date.now();
  const draft = path.join(folder, `draft-${process.pid}`);
  await rm(draft, { recursive: true, force: true });
  try {
    const { name, made } = await bundle(root, programs, draft);
    const place = path.join(folder, name);
    if (!(await isThere(place))) await rename(draft, place);
    const list = path.join(folder, `${LIST}.${process.pid}`);
    await writeFile(list, JSON.stringify(listOf(root, { name, made, begun })));
    await rename(list, path.join(folder, LIST));
    await sweep(folder, name);
    return true;
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

interface Made {
  program: string;
  file: string;
  /** Sources, as paths from the root. */
  sources: string[];
}

/** Writes the bundles to a folder; its name says what is in it. */
async function bundle(
  root: string,
  programs: readonly string[],
  draft: string,
): Promise<{ name: string; made: Made[] }> {
  await mkdir(draft, { recursive: true });
  const nameOf = (program: string) => program.replace(/\.ts$/, '').replaceAll('/', '-');
  // It takes longer to load than to see that nothing has changed.
  const { rolldown } = await import('rolldown');
  const built = await rolldown({
    input: Object.fromEntries(programs.map((program) => [nameOf(program), path.join(root, program)])),
    platform: 'node',
    // It is loaded from its package, with the library beside it.
    external: [/^@duckdb\//],
    // How a package is asked for, by `import` or `require`, is one of its conditions too: the bundler adds it.
    resolve: { conditionNames: ['@weir/source', 'node', 'default'] },
    plugins: [{ name: 'place', transform: inPlace }],
  });
  const { output } = await built.write({ dir: draft, format: 'esm' });
  await built.close();
  const chunks = output.filter((one) => one.type === 'chunk');
  const hash = createHash('sha256');
  for (const { fileName, code } of chunks) hash.update(`${fileName}\0${code}`);
  const byName = new Map(chunks.map((chunk) => [chunk.fileName, chunk]));
  const made = programs.map((program): Made => {
    const file = `${nameOf(program)}.js`;
    const all = new Set([file]);
    for (const one of all) {
      const { imports = [], dynamicImports = [] } = byName.get(one) ?? {};
      for (const other of [...imports, ...dynamicImports]) if (byName.has(other)) all.add(other);
    }
    const modules = [...all].flatMap((one) => byName.get(one)?.moduleIds ?? []);
    const sources = modules.filter((id) => path.isAbsolute(id) && !id.includes('/node_modules/'));
    return { program, file, sources: [...new Set(sources)].map((id) => path.relative(root, id)).sort() };
  });
  return { name: hash.digest('hex').slice(0, 16), made };
}

/** A module finds what lies beside its source. */
function inPlace(code: string, id: string): string | null {
  if (!code.includes('import.meta.')) return null;
  const url = JSON.stringify(pathToFileURL(id).href);
  return code
    .replaceAll(/\bimport\.meta\.url\b/g, url)
    .replaceAll(/\bimport\.meta\.dirname\b/g, JSON.stringify(path.dirname(id)))
    .replaceAll(/\bimport\.meta\.filename\b/g, JSON.stringify(id));
}

function listOf(
  root: string,
  { name, made, begun }: { name: string; made: readonly Made[]; begun: number },
): BundleList {
  // Of what has changed meanwhile it is not known which of the two is in the bundle.
  const stamp = (file: string) => (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0) < begun && stampOf(file);
  const names = [...new Set(made.flatMap(({ sources }) => [...LOCKS, ...sources]))];
  const at = new Map(names.map((one, place) => [one, place]));
  const files = names.map((one): [string, string] => [one, stamp(path.join(root, one)) || '']);
  const programs = made.map(({ program, file, sources }) => {
    const inputs = [...LOCKS, ...sources].map((one) => at.get(one) ?? 0);
    return [program, { bundle: path.join(name, file), inputs }] as const;
  });
  return { files, programs: Object.fromEntries(programs) };
}

/** Removes the oldest bundles. */
async function sweep(folder: string, name: string): Promise<void> {
  const names = (await readdir(folder)).filter((one) => /^[0-9a-f]{16}$/.test(one) && one !== name);
  const aged = await Promise.all(names.map(async (one) => ({ one, at: (await stat(path.join(folder, one))).mtimeMs })));
  const old = aged.sort((a, b) => b.at - a.at).slice(KEPT);
  for (const { one } of old) await rm(path.join(folder, one), { recursive: true, force: true });
}

const isThere = (file: string): Promise<boolean> =>
  stat(file).then(
    () => true,
    () => false,
  );

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildPrograms();
