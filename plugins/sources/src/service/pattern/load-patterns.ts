import { readdirSync, readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, extname, join, resolve } from 'node:path';
import type { ProcessConnector } from '@weir/connector-runtime';
import type { Kernel } from '@weir/kernel';
import { type Pattern, parsePattern } from '../../model/pattern/pattern-file.ts';
import { type FaultTable, readFaults } from '../../model/pattern/reported-codes.ts';

const PATTERN_FILE = 'pattern.json';

/** The connector patterns of this deployment, and how the development runtime starts them. */
export interface LoadedPatterns {
  patterns: ReadonlyMap<string, Pattern>;
  /** Programs of our own connectors by image name without tag. */
  connectors: Record<string, ProcessConnector>;
  /** What the connectors say that they fail with, by the ids of their patterns. */
  reported: ReadonlyMap<string, FaultTable>;
  /** Files that could not be used and why; the good ones are there all the same. */
  faults: { file: string; reason: string }[];
}

/**
 * Loads the patterns that the deployment manifest names: each entry is a folder with a `pattern.json`, or a folder of
 * such folders and of files `<id>.json`, relative to the manifest. The name of a file, or of the folder of a
 * `pattern.json`, is the id; a `faults.json` beside it lists the codes of the connector. A bad file never hides the good
 * ones; it is logged and kept in `faults`.
 */
export function loadPatterns(platformFile: string, log: Kernel['log']): LoadedPatterns {
  const patterns = new Map<string, Pattern>();
  const connectors: Record<string, ProcessConnector> = {};
  const faults: LoadedPatterns['faults'] = [];
  const reported = new Map<string, FaultTable>();
  const fileOf = new Map<string, string>();
  for (const file of patternFiles(platformFile)) {
    try {
      const pattern = parsePattern(readFileSync(file, 'utf8'));
      const name = basename(file) === PATTERN_FILE ? basename(dirname(file)) : basename(file, extname(file));
      if (name !== pattern.id) throw new Error(`the id is ${pattern.id}, but its name is ${name}`);
      const other = fileOf.get(pattern.id);
      if (other !== undefined) throw new Error(`the id ${pattern.id} is that of ${other} too`);
      fileOf.set(pattern.id, file);
      patterns.set(pattern.id, pattern);
      const program = connectorProgram(dirname(file));
      if (program !== undefined) connectors[imageName(pattern.image)] = { command: [program] };
      if (basename(file) === PATTERN_FILE) reported.set(pattern.id, readFaults(dirname(file)));
    } catch (error) {
      const reason = error instanceof Error ? error.message : 'unreadable';
      faults.push({ file, reason });
      log.error({ pattern_file: file, reason }, 'connector pattern refused');
    }
  }
  return { patterns, connectors, reported, faults };
}

function patternFiles(platformFile: string): string[] {
  const named = (JSON.parse(readFileSync(platformFile, 'utf8')) as { patterns?: string[] }).patterns ?? [];
  return named.flatMap((entry) => {
    const folder = resolve(dirname(platformFile), entry);
    const own = join(folder, PATTERN_FILE);
    if (isFile(own) || !isFolder(folder)) return [own];
    const inside = readdirSync(folder).sort();
    const files = inside.filter((name) => extname(name) === '.json').map((name) => join(folder, name));
    return [...files, ...inside.map((name) => join(folder, name, PATTERN_FILE))].filter(isFile);
  });
}

/** The program of a connector whose package lies in the pattern's folder; none for one that is only an image. */
function connectorProgram(folder: string): string | undefined {
  try {
    const manifest = join(folder, 'package.json');
    const { name } = JSON.parse(readFileSync(manifest, 'utf8')) as { name: string };
    return createRequire(manifest).resolve(name);
  } catch {
    return undefined;
  }
}

/** A registry at the begin of an image reference; other first parts have no dot and no port. */
const REGISTRY = /^(?:localhost|[^/]*[.:][^/]*)\//;

/** Whether an image is that of a connector whose program is installed here, also from another registry. */
export function isOwnImage(image: string, connectors: LoadedPatterns['connectors']): boolean {
  const name = imageName(image);
  return [name, name.replace(REGISTRY, '')].some((one) => Object.hasOwn(connectors, one));
}

function imageName(image: string): string {
  return image.replace(/@.*$/, '').replace(/:[^/:]*$/, '');
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
