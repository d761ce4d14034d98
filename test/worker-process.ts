import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Teardown } from '@weir/kernel/testing';

const PROGRAM = fileURLToPath(new URL('../workers/src/main.ts', import.meta.url));
const NODE_ARGS = ['--conditions=@weir/source', '--disable-warning=ExperimentalWarning'];

/** A worker program that takes work. */
export interface WorkerProcess {
  pid: number;
  /** What it has logged so far. */
  log(): Record<string, unknown>[];
  /** Ends it as a supervisor would, or as a power cut would. */
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>;
}

/** How a worker program is started. */
export interface WorkerCommand {
  readonly command: string;
  readonly args: readonly string[];
  /** All of its environment. */
  readonly env: NodeJS.ProcessEnv;
}

/** Starts a worker program and waits until it polls; it is killed with the test if it still runs. */
export function startWorker(
  t: Teardown,
  environment: Record<string, string>,
  roles = 'source,discovery',
): Promise<WorkerProcess> {
  const { PATH, HOME, NODE_COMPILE_CACHE } = process.env;
  return startWorkerBy(t, {
    command: process.execPath,
    args: [...NODE_ARGS, PROGRAM, '--roles', roles],
    env: { PATH, HOME, NODE_COMPILE_CACHE, ...environment },
  });
}

/** The same by a command of the test's own. */
export async function startWorkerBy(t: Teardown, { command, args, env }: WorkerCommand): Promise<WorkerProcess> {
  const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const lines: Record<string, unknown>[] = [];
  const end: WorkerProcess['end'] = async (signal) => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill(signal);
    await once(child, 'exit');
  };
  t.teardown(() => end('SIGKILL'));
  await new Promise<void>((ready, failed) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const entry = lineOf(line);
      lines.push(entry);
      if (entry.ready === true) ready();
    });
    child.once('exit', (code) =>
      failed(new Error(`the worker ended with ${code} before it was ready: ${JSON.stringify(lines)}`)),
    );
  });
  return { pid: child.pid ?? 0, log: () => [...lines], end };
}

/** A line as the program writes them; what is none comes from the engine's client itself, which may warn in words of its own. */
function lineOf(line: string): Record<string, unknown> {
  try {
    return JSON.parse(line) as Record<string, unknown>;
  } catch {
    return { msg: line };
  }
}
