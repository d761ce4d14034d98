import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { LANES, type Lane, type LaneName } from './lanes.ts';

const ROOT = path.resolve(import.meta.dirname, '..');
const MAX_OUTPUT = 64 * 1024 * 1024;

/** What a run of a lane came to, as `soak/<lane>.json` keeps it. */
export interface LaneResult {
  readonly lane: string;
  /** The commit on which it ran; `inputs` tells whether the work tree differed. */
  readonly commit: string;
  readonly date: string;
  /** Of the property tests, where the lane takes a new one each time. */
  readonly seed?: number;
  readonly passed: number;
  readonly failed: number;
  readonly cpu_s: number;
  readonly seconds: number;
  /** SHA-256 over the paths and contents of the lane's inputs. */
  readonly inputs: string;
}

const fileOf = (name: LaneName) => path.join(ROOT, 'soak', `${name}.json`);

async function git(...args: string[]): Promise<string[]> {
  const { stdout } = await promisify(execFile)('git', args, { cwd: ROOT, maxBuffer: MAX_OUTPUT });
  return stdout.split('\n').filter(Boolean);
}

/** The commit of the work tree. */
export const headCommit = async (): Promise<string> => (await git('rev-parse', '--short=12', 'HEAD'))[0] ?? '';

/** Hash of what a lane's result depends on, as it lies in the work tree. */
export async function hashInputs({ inputs }: Lane): Promise<string> {
  const files = await git(
    'ls-files',
    '--',
    ...inputs.map((input) => `:(glob)${input}${/[*.]/.test(input) ? '' : '/**'}`),
  );
  const hash = createHash('sha256');
  for (const file of files.sort()) {
    hash.update(`${file}\0`).update(await readFile(path.join(ROOT, file)).catch(() => ''));
  }
  return hash.digest('hex').slice(0, 16);
}

/** The stored result of a lane; undefined when it never ran. */
export async function readLane(name: LaneName): Promise<LaneResult | undefined> {
  const text = await readFile(fileOf(name), 'utf8').catch(() => undefined);
  return text === undefined ? undefined : (JSON.parse(text) as LaneResult);
}

/** Stores the result of a lane; it is committed with the change it speaks for. */
export async function storeLane(name: LaneName, result: LaneResult): Promise<void> {
  await mkdir(path.join(ROOT, 'soak'), { recursive: true });
  await writeFile(fileOf(name), `${JSON.stringify(result, undefined, 2)}\n`);
}

const numberChanged = (lane: Lane, commit: string): Promise<string> =>
  git('diff', '--name-only', commit, '--', ...lane.inputs).then(
    (files) => `${files.length} files`,
    () => 'files of an unknown commit',
  );

/** One line a lane whose result is red, missing, or older than its inputs. */
export async function staleLanes(): Promise<string[]> {
  const lines = Object.entries(LANES).map(async ([name, lane]: [string, Lane]) => {
    const result = await readLane(name as LaneName);
    if (result === undefined) return `${name}: never ran`;
    if (result.failed > 0) return `${name}: ${result.failed} failed at ${result.commit}`;
    if ((await hashInputs(lane)) === result.inputs) return undefined;
    return `${name}: passed at ${result.commit}, inputs changed since: ${await numberChanged(lane, result.commit)}`;
  });
  return (await Promise.all(lines)).filter((line) => line !== undefined);
}
