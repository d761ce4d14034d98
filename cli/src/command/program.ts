import { execFile, spawn } from 'node:child_process';
import { constants } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { CliContext } from './command.ts';

const NODE_FLAGS = ['--conditions=@weir/source', '--disable-warning=ExperimentalWarning'];

/** The command line that runs a program of this checkout with the Node that runs us. */
export function programLine(root: string, script: string, args: readonly string[]): [string, string[]] {
  return [process.execPath, [...NODE_FLAGS, path.join(root, script), ...args]];
}

/** The caller's environment; the deployment is this checkout's unless it names another. */
function environmentOf(context: CliContext): NodeJS.ProcessEnv {
  const name = 'WEIR_PLATFORM';
  const own = context.env[`${name}_FILE`] === undefined ? { [name]: path.join(context.root, 'platform.json') } : {};
  return { ...own, ...context.env } as NodeJS.ProcessEnv;
}

/** Runs a program of this checkout to its end, its output on ours; answers its exit code. Interrupts are passed on. */
export async function runProgram(context: CliContext, script: string, args: readonly string[]): Promise<number> {
  const [command, line] = programLine(context.root, script, args);
  const child = spawn(command, line, {
    env: environmentOf(context),
    cwd: context.cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.stdout.pipe(context.stdout, { end: false });
  child.stderr.pipe(context.stderr, { end: false });
  const pass = () => child.kill('SIGTERM');
  context.interrupted.addEventListener('abort', pass);
  try {
    return await new Promise<number>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code, signal) => resolve(code ?? 128 + constants.signals[signal ?? 'SIGTERM']));
    });
  } finally {
    context.interrupted.removeEventListener('abort', pass);
  }
}

/** Runs a program of this checkout to its end and answers what it said; a program that refuses is an answer too. */
export async function askProgram(
  context: CliContext,
  script: string,
  args: readonly string[],
): Promise<{ ok: boolean; stdout: string; stderr: string }> {
  const [command, line] = programLine(context.root, script, args);
  const run = promisify(execFile)(command, line, {
    env: environmentOf(context),
    cwd: context.cwd,
    signal: context.interrupted,
  });
  return run.then(
    (said) => ({ ok: true, ...said }),
    ({ stdout, stderr }: { stdout: string; stderr: string }) => ({ ok: false, stdout, stderr }),
  );
}
