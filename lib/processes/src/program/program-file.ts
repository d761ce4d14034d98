import { existsSync } from 'node:fs';
import { dirname, extname, join, relative } from 'node:path';
import { BUNDLES, bundleOf } from './bundle-of.mjs';

/** The file to start a program of ours by: in a checkout its bundle while there is one of these very sources, which starts in a quarter of the time. */
export function programFile(file: string): string {
  if (extname(file) !== '.ts') return file;
  for (let root = dirname(file); root !== dirname(root); root = dirname(root)) {
    if (existsSync(join(root, BUNDLES))) return bundleOf(root, relative(root, file)) ?? file;
  }
  return file;
}
