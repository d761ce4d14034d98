import { spawn } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import type { BenchResult } from './bench-result.ts';

const ROOT = path.resolve(import.meta.dirname, '..');
const HANG_LIMIT_MS = 15 * 60_000;

/** Milliseconds from the command to each mark, as `weir dev up --timings` writes them. */
type Marks = Record<string, number>;

/**
 * Starts the demo from an empty data folder and once more on what it left, and prints the marks of both. Parts and
 * dependencies are present before, so downloads are not in these figures.
 */
export async function startup(): Promise<BenchResult> {
  const dataDir = path.join(ROOT, '.weir', 'bench-startup');
  await rm(dataDir, { recursive: true, force: true });
  const cases: { case: string; marks_ms: Marks }[] = [];
  for (const name of ['first_start', 'second_start']) {
    await weir('dev', 'up', '--demo', '--once', '--timings', '--data-dir', dataDir);
    cases.push({ case: name, marks_ms: JSON.parse(await readFile(path.join(dataDir, 'timings.json'), 'utf8')) });
  }
  await weir('dev', 'reset', '--yes', '--data-dir', dataDir);
  return { suite: 'startup', cases };
}

function weir(...words: string[]): Promise<void> {
  const command = [path.join(ROOT, 'cli', 'bin', 'weir.mjs'), ...words];
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, command, { stdio: ['ignore', 'ignore', 'inherit'], timeout: HANG_LIMIT_MS });
    child.once('error', reject);
    child.once('close', (code) => (code === 0 ? resolve() : reject(new Error(`weir ${words[1]} ended with ${code}`))));
  });
}
