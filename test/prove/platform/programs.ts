import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Supervised, supervise } from '@weir/embedded';
import type { ProofFolder } from './proof-folder.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const NODE_ARGS = ['--conditions=@weir/source', '--disable-warning=ExperimentalWarning'];
const READY_MS = 120_000;
const POLL_MS = 50;
const GRACE_MS = 45_000;

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
    await worker.stop('SIGTERM', GRACE_MS);
    await api.stop('SIGTERM', GRACE_MS);
  };
  try {
    const [{ url }] = await Promise.all([
      firstLine<{ url: string }>(api, ({ msg }) => msg === 'listening'),
      firstLine(worker, ({ ready }) => ready === true),
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

async function firstLine<T>(program: Supervised, wanted: (line: Line) => boolean): Promise<T> {
  let ended = false;
  void program.exited.then(() => {
    ended = true;
  });
  for (const until = Date.now() + READY_MS; Date.now() < until; await delay(POLL_MS)) {
    const lines = (await readFile(program.logFile, 'utf8').catch(() => '')).split('\n');
    for (const text of lines.filter((line) => line.startsWith('{'))) {
      const line = JSON.parse(text) as Line;
      if (wanted(line)) return line as T;
    }
    if (ended) throw new Error(`a program ended before it was ready:\n${lines.slice(-8).join('\n')}`);
  }
  throw new Error(`a program was not ready in ${READY_MS / 1000} s; its log: ${program.logFile}`);
}
