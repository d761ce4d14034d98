import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { availableParallelism, cpus, totalmem } from 'node:os';
import path from 'node:path';
import type { BenchResult } from '../bench-result.ts';
import { PEER_REQUIREMENTS } from '../peers/python-env.ts';

const FOLDER = path.resolve(import.meta.dirname, '../results');
/** Words that say nothing of what is measured. */
const FORMS = ['--json', '--save'];
const GIB = 1024 ** 3;
const DIGITS = 4;

/** A result with where and when it was measured. */
export interface StoredResult extends BenchResult {
  /** What was typed. */
  command: string;
  /** Day of the run, ISO 8601. */
  date: string;
  machine: { cores: number; processor: string; memory_gib: number; system: string };
  versions: Record<string, string>;
}

/** Keeps a result as the one that `docs/performance.md` shows for its suite. */
export async function storeResult(result: BenchResult, words: readonly string[]): Promise<void> {
  const stored: StoredResult = {
    ...result,
    command: ['npm run bench --', ...words.filter((word) => !FORMS.includes(word))].join(' '),
    date: new Date().toISOString().slice(0, 10),
    machine: {
      cores: availableParallelism(),
      processor: cpus()[0]?.model ?? 'unknown',
      memory_gib: Math.round(totalmem() / GIB),
      system: `${process.platform} ${process.arch}`,
    },
    versions: { node: process.versions.node, ...peerVersions() },
  };
  await mkdir(FOLDER, { recursive: true });
  await writeFile(path.join(FOLDER, `${result.suite}.json`), `${JSON.stringify(stored, shortened, 2)}\n`);
}

/** The stored results by the name of their suite, in order of the names. */
export async function storedResults(folder = FOLDER): Promise<StoredResult[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.json')).sort();
  return Promise.all(
    names.map(async (name) => JSON.parse(await readFile(path.join(folder, name), 'utf8')) as StoredResult),
  );
}

function peerVersions(): Record<string, string> {
  const pins = Object.values(PEER_REQUIREMENTS).flat();
  return Object.fromEntries(pins.map((pin) => pin.split('==') as [string, string]));
}

/** Figures beyond what the clock and the sampler can tell are noise in a diff. */
function shortened(_: string, value: unknown): unknown {
  return typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(DIGITS)) : value;
}
