import { glob, readFile } from 'node:fs/promises';
import path from 'node:path';
import { LANES, type Lane, type LaneName } from './lanes.ts';

const TESTS = '**/test/**/*.{test,soak}.ts';
const isForeign = (name: string) => name.includes('node_modules') || name.startsWith('plugin-template');

/** The test files of a lane, as paths from `root`: those that it names, and those that name it; none when it runs all. */
export async function laneFiles(root: string, name: LaneName): Promise<string[]> {
  const { files, holding = '' }: Lane = LANES[name];
  const all = await Array.fromAsync(glob(TESTS, { cwd: root, exclude: isForeign }));
  const named = new Set(await Array.fromAsync(glob([...(files ?? [])], { cwd: root, exclude: isForeign })));
  const found: string[] = [];
  for (const file of all) {
    const text = await readFile(path.join(root, file), 'utf8');
    const namesIt = text.includes(`inLane('${name}')`) || text.includes(`sample('${name}',`);
    if ((named.has(file) && text.includes(holding)) || namesIt) found.push(file);
  }
  return found.sort();
}
