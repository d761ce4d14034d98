import { type ChildProcess, spawn } from 'node:child_process';
import { chmod, mkdir, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Duplex } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { killProcesses, processesOf, sessionCpuSeconds } from './file-processes.ts';
import { answerRequests, REQUESTS_VARIABLE } from './service-requests.ts';
import { type Ending, type Failure, type FileResult, tapResults } from './tap-results.ts';

/** A file that prints no further line of TAP for so long hangs. */
const QUIET_MS = 600_000;
/** How often a running file is looked at. */
const LOOK_MS = 5_000;
/** Grace period for a file that is ended to print what it waits for. */
const LAST_WORDS_MS = 2_000;
/** Grace period for processes that end with the file: what is asked to stop may take a moment. */
const LEAVE_MS = 5_000;
const LEAVE_LOOK_MS = 100;
/** The mode of a system's temporary folder: a test may start programs as other users. */
const AS_TMP = 0o1777;
const TEST_PROCESS = new URL('test-process.ts', import.meta.url).href;
/** A test makes much garbage and shares the cores: with more young space and one collector thread it takes a twelfth less CPU. */
const COLLECTOR_ARGS = ['--min-semi-space-size=16', '--single-threaded-gc'];
const NODE_ARGS = [
  ...['--conditions=@weir/source', '--disable-warning=ExperimentalWarning', `--import=${TEST_PROCESS}`],
  ...COLLECTOR_ARGS,
];

/** What a test file runs with. */
export interface FileRun {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** Made for the file as its `TMPDIR`, and removed after it. */
  readonly folder: string;
  /** Service variables the file may ask for, and what answers. */
  readonly variables?: readonly string[];
  readonly need?: (variable: string) => Promise<Readonly<Record<string, string>>>;
  /** The file is ended when it has used so many CPU-seconds; no limit by default. */
  readonly maxCpuSeconds?: number;
  readonly quietMs?: number;
  readonly onFailure?: (failure: Failure) => void;
}

const running = new Map<number, string>();

/** Kills every process of every file that runs. */
export function killFiles(): void {
  for (const [session, folder] of running) killProcesses(processesOf(session, folder));
}

/**
 * Runs one test file in a process and a session of its own and counts its assertions. The process is plain Node, without
 * tap's loaders, which double the start of a process of ours. A file fails too when it leaves a process or a file behind.
 */
export async function runFile(file: string, options: FileRun): Promise<FileResult> {
  const { cwd, env, folder, variables = [] } = options;
  const results = tapResults(file, options.onFailure);
  await mkdir(folder, { recursive: true });
  await chmod(folder, AS_TMP);
  const said = { TAP: '1', TAP_CHILD_ID: '1', TAP_CHILD_KEY: file, TAP_TIMEOUT: '0', NO_COLOR: '1', FORCE_COLOR: '0' };
  const child = spawn(process.execPath, [...NODE_ARGS, file], {
    cwd,
    env: { ...env, ...said, TMPDIR: folder, [REQUESTS_VARIABLE]: variables.join(',') },
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit', 'pipe'],
  });
  const session = child.pid ?? 0;
  running.set(session, folder);
  if (options.need) answerRequests(child.stdio[3] as Duplex, options.need);
  const watch = watchFile(child, options);
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    watch.heard(text);
    results.write(text);
  });
  const ending = await ended(child);
  watch.stop();
  const left = await leftBy(session, folder);
  running.delete(session);
  // A file that dies has its own fault; it had no chance to tidy up.
  return results.end(ending, [...watch.faults, ...(ending.code === 0 ? left : [])]);
}

/** Ends a file that hangs or computes far too long, and tells why. */
function watchFile(child: ChildProcess, { maxCpuSeconds = Infinity, quietMs = QUIET_MS }: FileRun) {
  const faults: string[] = [];
  let heardAt = Date.now();
  const look = setInterval(
    () => {
      const used = maxCpuSeconds === Infinity ? 0 : (sessionCpuSeconds().get(child.pid ?? 0) ?? 0);
      if (Date.now() - heardAt > quietMs) faults.push(`ended: no further line of output for ${quietMs / 1000} s`);
      else if (used > maxCpuSeconds) faults.push(`ended: it used ${used.toFixed(0)} CPU-s`);
      else return;
      clearInterval(look);
      void giveUp(child);
    },
    Math.min(LOOK_MS, quietMs),
  );
  return {
    faults,
    heard(text: string) {
      if (text.includes('\n')) heardAt = Date.now();
    },
    stop: () => clearInterval(look),
  };
}

/** What a file has left, as faults: its processes, which are killed, and what is in its folder, which is removed. */
async function leftBy(session: number, folder: string): Promise<string[]> {
  const patience = Date.now() + LEAVE_MS;
  let processes = processesOf(session, folder);
  while (processes.length > 0 && Date.now() < patience) {
    await delay(LEAVE_LOOK_MS);
    processes = processesOf(session, folder);
  }
  const faults = processes.map(({ pid, command }) => `left process ${pid}: ${command}`);
  killProcesses(processes);
  const names = await readdir(folder).catch(() => []);
  faults.push(...names.map((name) => `left in its temporary folder: ${name}`));
  await rm(path.resolve(folder), { recursive: true, force: true });
  return faults;
}

/** Resolves when the process has ended and its output is read; a process it left behind may hold the output open, and is not waited for. */
function ended(child: ChildProcess): Promise<Ending> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', () => setTimeout(() => child.stdout?.destroy(), LAST_WORDS_MS).unref());
    child.once('exit', (code, signal) => {
      child.stdio[3]?.destroy();
      const done = () => resolve({ code, signal });
      if (child.stdout?.closed) done();
      else child.stdout?.once('close', done);
    });
  });
}

async function giveUp(child: ChildProcess): Promise<void> {
  child.kill('SIGALRM');
  await delay(LAST_WORDS_MS, undefined, { ref: false });
  if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
}
