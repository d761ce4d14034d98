import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Supervised, supervise, untilReady } from '@weir/embedded';
import { PATIENT_MS } from '../../until.ts';
import type { ProofFolder } from './proof-folder.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const NODE_ARGS = ['--conditions=@weir/source', '--disable-warning=ExperimentalWarning'];

/** The API and a worker that serves all roles of sources. */
export interface Programs {
  readonly url: string;
  stop(): Promise<void>;
}

/** What each program alone is told, such as who it is to the secret store. */
export interface Identities {
  readonly api: Readonly<Record<string, string>>;
  readonly worker: Readonly<Record<string, string>>;
}

/** Starts the programs of a mode; their output goes to files of its name. Rejects with the last lines of one that ends. */
export async function startPrograms(
  folder: ProofFolder,
  label: string,
  environment: Readonly<Record<string, string>>,
  identities: Identities,
): Promise<Programs> {
  const env = surroundings(folder, environment);
  const start = (name: keyof Identities, script: string, args: string[]) =>
    supervise({
      ...{ name, command: process.execPath, args: [...NODE_ARGS, join(ROOT, script), ...args] },
      ...{ env: { ...env, ...identities[name] }, cwd: folder.cwd, logFile: join(folder.logs, `${name}-${label}.log`) },
    });
  const api = await start('api', 'kernel/src/main.ts', []);
  const worker = await start('worker', 'workers/src/main.ts', ['--roles', 'source,discovery']);
  const stop = async () => {
    await worker.stop('SIGTERM', PATIENT_MS);
    await api.stop('SIGTERM', PATIENT_MS);
  };
  try {
    const [{ url }] = await Promise.all([
      firstLine<{ url: string }>('the API', api, ({ msg }) => msg === 'listening'),
      firstLine('the worker', worker, ({ ready }) => ready === true),
    ]);
    return { url, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

const surroundings = ({ root, tmp }: ProofFolder, environment: Readonly<Record<string, string>>) => ({
  ...{ PATH: process.env.PATH, HOME: join(root, 'home'), TMPDIR: tmp },
  // Code only, which every program of the checkout shares.
  ...(process.env.NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE }),
  ...environment,
});

/** A program of the checkout that ends by itself, and what of it is told to it. */
export interface Errand {
  /** Name of its file of output among the logs. */
  readonly name: string;
  readonly script: string;
  readonly words: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

/** Runs a program to its end, its output in the logs; answers its exit code. */
export async function runErrand(folder: ProofFolder, { name, script, words, environment }: Errand) {
  const program = await supervise({
    ...{ name, command: process.execPath, args: [...NODE_ARGS, join(ROOT, script), ...words] },
    ...{ env: surroundings(folder, environment), cwd: folder.cwd, logFile: join(folder.logs, `${name}.log`) },
  });
  return (await program.exited).code;
}

type Line = { msg?: string; ready?: boolean };

/** Waits for a line of a program's log; rejects with its last lines when it ends before that. */
async function firstLine<T>(name: string, program: Supervised, wanted: (line: Line) => boolean): Promise<T> {
  let found: Line | undefined;
  const look = async () => {
    const lines = (await readFile(program.logFile, 'utf8')).split('\n').slice(0, -1);
    found = lines
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as Line)
      .find(wanted);
    return found !== undefined;
  };
  await untilReady(name, program, look, PATIENT_MS);
  return found as T;
}
