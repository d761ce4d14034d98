// Runs on whatever Node the user has, before anything is installed: only node: modules, plain JavaScript.
import { existsSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';

/** Where a checkout keeps its programs as bundles: below `node_modules`, which a process within bounds sees. */
export const BUNDLES = path.join('node_modules', '.cache', 'weir-programs');
/** In that folder: which bundle a program has, and what it was made of. */
export const LIST = 'programs.json';

/** By what a source is known to be as it was; undefined when it is gone. */
export function stampOf(file) {
  const found = statSync(file, { throwIfNoEntry: false });
  return found && `${found.size} ${found.mtimeMs}`;
}

/** The bundle of a program of a checkout, by its path from the root; undefined unless all that it was made of is as it was. */
export function bundleOf(root, program) {
  const folder = path.join(root, BUNDLES);
  const { files, programs } = listOf(path.join(folder, LIST));
  const { bundle, inputs } = programs[program] ?? { bundle: '', inputs: [] };
  const isAsItWas = inputs.length > 0 && inputs.every((at) => stampOf(path.join(root, files[at][0])) === files[at][1]);
  return isAsItWas && existsSync(path.join(folder, bundle)) ? path.join(folder, bundle) : undefined;
}

function listOf(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return { files: [], programs: {} };
  }
}
