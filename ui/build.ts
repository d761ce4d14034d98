import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { globSync, readFileSync, statSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, gzipSync, constants as zlib } from 'node:zlib';
import { dropUnusedStyles } from './unused-styles.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const APP = path.join(ROOT, 'plugins', 'ui', 'app');
/** In the built folder: what it was built from. */
const STAMP = 'built-from';
/** What the application is made of: its own files and the contracts that it imports. */
const INPUTS = [
  'ui/*',
  'ui/src/**/*',
  'lib/page-style/*',
  '{kernel,plugins/*}/src/contract.ts',
  '{kernel,plugins/*}/src/contract/**/*.ts',
];
/** Bytes of gzipped script before the first page shows. */
const MAX_SHELL_BYTES = 200 * 1024;
/** Bytes of gzipped script with which a page shows, the shell counted in; what a page reads later is not. */
const MAX_PAGE_BYTES = 320 * 1024;
/** What a script cannot start without. */
const IMPORTS = /(?:from|import)\s*["'`]\.\/([\w.-]+\.js)["'`]/g;

/** One hash over all that decides on the result. */
function inputsHash(): string {
  const hash = createHash('sha256').update(process.version);
  const files = [
    'package-lock.json',
    ...globSync(INPUTS, { cwd: ROOT, withFileTypes: true }).flatMap((entry) =>
      entry.isFile() ? path.relative(ROOT, path.join(entry.parentPath, entry.name)) : [],
    ),
  ];
  for (const file of [...new Set(files)].sort()) hash.update(`${file}\0`).update(readFileSync(path.join(ROOT, file)));
  return hash.digest('hex');
}

/** What is smaller when packed; fonts are packed in themselves. */
const PACKABLE = /\.(?:js|css|svg)$/;
const BROTLI = { params: { [zlib.BROTLI_PARAM_QUALITY]: zlib.BROTLI_MAX_QUALITY } };

/** Writes each file packed beside it, as the server sends it. */
async function pack(folder: string): Promise<void> {
  const assets = path.join(folder, 'assets');
  for (const name of await readdir(assets)) {
    if (!PACKABLE.test(name)) continue;
    const file = path.join(assets, name);
    const bytes = await readFile(file);
    await writeFile(`${file}.gz`, gzipSync(bytes, { level: zlib.Z_BEST_COMPRESSION }));
    await writeFile(`${file}.br`, brotliCompressSync(bytes, BROTLI));
  }
}

interface PageSize {
  page: string;
  bytes: number;
}

/** The gzipped size of the scripts that the document names, and of each page with them, in bytes. */
async function scriptSizes(folder: string): Promise<{ shell: number; pages: PageSize[] }> {
  const assets = path.join(folder, 'assets');
  const html = await readFile(path.join(folder, 'index.html'), 'utf8');
  const named = [...html.matchAll(/\/assets\/([\w-]+\.js)"/g)].map(([, file = '']) => file);
  const files = (await readdir(assets)).filter((file) => file.endsWith('.js'));
  const scripts = new Map(
    files.map((file) => {
      const text = readFileSync(path.join(assets, file), 'utf8');
      const imports = [...text.matchAll(IMPORTS)].map(([, other = '']) => other);
      return [file, { imports, bytes: statSync(path.join(assets, `${file}.gz`)).size }] as const;
    }),
  );
  const sizeOf = (begin: string[]) => {
    const all = new Set(begin);
    for (const file of all) for (const other of scripts.get(file)?.imports ?? []) all.add(other);
    return [...all].reduce((sum, file) => sum + (scripts.get(file)?.bytes ?? 0), 0);
  };
  const pages = files.flatMap((file) => {
    const page = /^([a-z-]+-page)-/.exec(file)?.[1];
    return page === undefined ? [] : [{ page, bytes: sizeOf([...named, file]) }];
  });
  return { shell: sizeOf(named), pages };
}

/** Builds the application unless what is there was built from the same. */
async function build(): Promise<void> {
  const wanted = inputsHash();
  const isThere = async () => (await readFile(path.join(APP, STAMP), 'utf8').catch(() => '')) === wanted;
  if (await isThere()) return;
  const draft = `${APP}-${process.pid}`;
  await rm(draft, { recursive: true, force: true });
  const vite = path.join(ROOT, 'node_modules', 'vite', 'bin', 'vite.js');
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [vite, 'build', '--logLevel', 'warn', '--outDir', draft],
    {
      cwd: path.join(ROOT, 'ui'),
      encoding: 'utf8',
    },
  );
  if (status !== 0) {
    await rm(draft, { recursive: true, force: true });
    throw new Error(`${stdout}\n${stderr}`);
  }
  await dropUnusedStyles(draft);
  await pack(draft);
  const { shell, pages } = await scriptSizes(draft);
  try {
    await requireWhole(draft);
    requireSmall(shell, pages);
  } catch (error) {
    await rm(draft, { recursive: true });
    throw error;
  }
  await writeFile(path.join(draft, STAMP), wanted);
  if (await isThere()) await rm(draft, { recursive: true });
  else await takePlace(draft);
  process.stderr.write(`  ✓ web pages: ${Math.ceil(shell / 1024)} KiB of script before the first page\n`);
}

/** Every file that the document or a script names is there: one that is not ends its page. */
async function requireWhole(folder: string): Promise<void> {
  const assets = path.join(folder, 'assets');
  const there = new Set(await readdir(assets));
  const naming = [
    path.join(folder, 'index.html'),
    ...[...there].flatMap((name) => (name.endsWith('.js') ? [path.join(assets, name)] : [])),
  ];
  for (const file of naming)
    for (const [, named = ''] of (await readFile(file, 'utf8')).matchAll(/["'`]\/?assets\/([\w.-]+)["'`]/g))
      if (!there.has(named)) throw new Error(`${path.basename(file)} names ${named}, which the build does not have`);
}

/** A build beyond its bounds takes no place, so that the next one says it again. */
function requireSmall(shell: number, pages: readonly PageSize[]): void {
  if (shell > MAX_SHELL_BYTES) throw new Error(`the shell has more than ${MAX_SHELL_BYTES / 1024} KiB of script`);
  for (const { page, bytes } of pages) {
    if (bytes > MAX_PAGE_BYTES) throw new Error(`${page} shows with more than ${MAX_PAGE_BYTES / 1024} KiB of script`);
  }
}

/**
 * Puts a finished build in the place of the last one: the page last, since it names the others. Another process may do the
 * same with a build of the same inputs, whose files have the same names.
 */
async function takePlace(draft: string): Promise<void> {
  const old = path.join(APP, 'assets');
  await mkdir(old, { recursive: true });
  const news = await readdir(path.join(draft, 'assets'));
  for (const name of news) await rename(path.join(draft, 'assets', name), path.join(old, name));
  for (const name of ['index.html', STAMP]) await rename(path.join(draft, name), path.join(APP, name));
  for (const name of await readdir(old)) if (!news.includes(name)) await rm(path.join(old, name), { force: true });
  await rm(draft, { recursive: true });
}

await build();
