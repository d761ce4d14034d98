import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { type Ending, type FileResult, tapResults } from './tap-results.ts';

/** How long a file may take that says nothing else of itself: only a hang, or a machine that does much else, reaches it. */
const TIMEOUT_SECONDS = 400;
/** What a file that ran out of time gets to tell what it waits for. */
const LAST_WORDS_MS = 2_000;
const TEST_PROCESS = new URL('test-process.ts', import.meta.url).href;
/** A file makes much that is soon garbage, and shares the cores: with room for it, and one thread that collects it, it takes a twelfth less. */
const COLLECTOR_ARGS = ['--min-semi-space-size=16', '--single-threaded-gc'];
const NODE_ARGS = [
  ...['--conditions=@weir/source', '--disable-warning=ExperimentalWarning', `--import=${TEST_PROCESS}`],
  ...COLLECTOR_ARGS,
];

/**
 * Runs one test file in a process of its own and counts its assertions. The process is plain Node, without the loaders
 * by which tap's own runner follows what a process imports: they double the time that a process of ours takes to start.
 * It is tap's child by tap's protocol: it tells how long it may take, and is asked by SIGALRM what it waits for.
 */
export async function runFile(file: string, options: { cwd: string; env: NodeJS.ProcessEnv }): Promise<FileResult> {
  const { cwd, env } = options;
  const results = tapResults(file);
  const said = {
    TAP: '1',
    TAP_CHILD_ID: '1',
    TAP_CHILD_KEY: file,
    TAP_TIMEOUT: String(TIMEOUT_SECONDS),
    NO_COLOR: '1',
  };
  const child = spawn(process.execPath, [...NODE_ARGS, file], {
    ...{ cwd, env: { ...env, ...said, FORCE_COLOR: '0' } },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  const end = () => child.kill('SIGTERM');
  process.once('exit', end);
  let late: NodeJS.Timeout | undefined;
  const allow = (ms: number) => {
    clearTimeout(late);
    late = ms > 0 ? setTimeout(() => void giveUp(child), ms) : undefined;
  };
  allow(TIMEOUT_SECONDS * 1_000);
  child.on('message', (told: { setTimeout?: number }) => {
    if (typeof told.setTimeout === 'number') allow(told.setTimeout);
  });
  child.stdout?.setEncoding('utf8').on('data', results.write);
  const ending = await ended(child);
  clearTimeout(late);
  process.off('exit', end);
  return results.end(ending);
}

/** Resolves when the process has ended and said all; one that it left behind may hold its output open, and is not waited for. */
function ended(child: ChildProcess): Promise<Ending> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', () => setTimeout(() => child.stdout?.destroy(), LAST_WORDS_MS).unref());
    child.once('close', (code, signal) => resolve({ code, signal }));
  });
}

async function giveUp(child: ChildProcess): Promise<void> {
  child.kill('SIGALRM');
  await delay(LAST_WORDS_MS, undefined, { ref: false });
  if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
}
