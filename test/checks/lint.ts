import path from 'node:path';
import { readCached, writeCached } from './cache.ts';
import { hashAll, hashFiles, listFiles } from './files.ts';
import { runTool } from './run-tool.ts';

/** Above this many changed files, checking all of them is as quick. */
const FEW = 300;
const BIOME = ['check', '--error-on-warnings', '--colors=off'];

/** Every text but Markdown, which Biome leaves alone here. */
const LOOKED_AT = ['.', ':!*.md'];
/** What the verdict on an unchanged file depends on besides the file. */
const DECIDES = [':(glob)**/biome.json', ':(glob)**/package.json', ':(glob)**/.gitignore'];

interface Clean {
  /** Hash of the configuration, the manifests of the packages and the installed packages. */
  readonly key: string;
  readonly files: Record<string, string>;
}

/**
 * Biome over all files, or over those that changed since it was content with all. The one rule that looks from file to
 * file forbids cycles of imports, and a new cycle holds a changed file, where Biome reports it too.
 */
export async function lint(root: string): Promise<string> {
  const files = await listFiles(root, ...LOOKED_AT);
  const key = await hashAll(root, await listFiles(root, ...DECIDES));
  const hashes = await hashFiles(root, files);
  const clean = await readCached<Clean>(root, 'lint');
  const changed = files.filter((file) => clean?.files[file] !== hashes.get(file));
  const removed = Object.keys(clean?.files ?? {}).some((file) => !hashes.has(file));
  const whole = clean?.key !== key || removed || changed.length > FEW;
  if (!whole && changed.length === 0) return `${files.length} files, unchanged`;
  const which = whole ? ['.'] : ['--no-errors-on-unmatched', '--files-ignore-unknown=true', '--', ...changed];
  await runTool(root, path.join('@biomejs', 'biome', 'bin', 'biome'), [...BIOME, ...which]);
  await writeCached(root, 'lint', { key, files: Object.fromEntries(hashes) } satisfies Clean);
  return whole ? `${files.length} files` : `${changed.length} changed of ${files.length} files`;
}
