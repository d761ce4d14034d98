import { readdirSync, readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import type { ProcessConnector } from '@weir/connector-runtime';
import type { Kernel } from '@weir/kernel';
import { type Pattern, parsePattern } from './pattern-file.ts';

const PATTERN_FILE = 'pattern.json';

/** The connector patterns of this deployment, and how the development runtime starts them. */
export interface LoadedPatterns {
  patterns: ReadonlyMap<string, Pattern>;
  /** Programs of our own connectors by image name without tag. */
  connectors: Record<string, ProcessConnector>;
  /** Files that could not be used and why; the good ones are there all the same. */
  faults: { file: string; reason: string }[];
}

/**
 * Loads the patterns that the deployment manifest names: each entry is a folder with a `pattern.json`, or a folder of
 * such folders, relative to the manifest. A bad file never hides the good ones; it is logged and kept in `faults`.
 */
export function loadPatterns(platformFile: string, log: Kernel['log']): LoadedPatterns {
  const patterns = new Map<string, Pattern>();
  const connectors: Record<string, ProcessConnector> = {};
  const faults: LoadedPatterns['faults'] = [];
  for (const folder of patternFolders(platformFile)) {
    const file = join(folder, PATTERN_FILE);
    try {
      const pattern = parsePattern(readFileSync(file, 'utf8'));
      if (patterns.has(pattern.id)) throw new Error(`the id ${pattern.id} is used by another pattern`);
      patterns.set(pattern.id, pattern);
      const program = connectorProgram(folder);
      if (program !== undefined) connectors[imageName(pattern.image)] = { command: [program] };
    } catch (error) {
      const reason = error instanceof Error ? error.message : 'unreadable';
      faults.push({ file, reason });
      log.error({ pattern_file: file, reason }, 'connector pattern refused');
    }
  }
  return { patterns, connectors, faults };
}

function patternFolders(platformFile: string): string[] {
  const named = (JSON.parse(readFileSync(platformFile, 'utf8')) as { patterns?: string[] }).patterns ?? [];
  return named.flatMap((entry) => {
    const folder = resolve(dirname(platformFile), entry);
    if (isFile(join(folder, PATTERN_FILE)) || !isFolder(folder)) return [folder];
    const nested = readdirSync(folder).map((name) => join(folder, name));
    return nested.filter((inner) => isFile(join(inner, PATTERN_FILE))).sort();
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

function imageName(image: string): string {
  return image.replace(/@.*$/, '').replace(/:[^/:]*$/, '');
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
