import { spawn } from 'node:child_process';
import { cpuSeconds, processTree, pssBytes } from './process-tree.ts';

/** How often the memory of a process tree is looked at. */
const SAMPLE_EVERY_MS = 100;
const HANG_LIMIT_MS = 15 * 60_000;
const MIB = 1024 * 1024;
const STDERR_TAIL = 4_000;

/** A program with its arguments, and what it gets in its environment beside ours. */
export interface Command {
  command: string;
  args: readonly string[];
  env?: Readonly<Record<string, string>>;
}

/** What one run of a command cost, all its processes together. */
export interface Measured {
  wall_s: number;
  /** User and system time of the whole tree, and of what else is on its account. */
  cpu_s: number;
  /** How much of it is that of a container engine itself, where one was used. */
  engine_cpu_s?: number;
  /** The highest sum of the proportional set sizes of the tree, in MiB, sampled ten times a second. */
  rss_mb: number;
  stdout: string;
}

/** Runs a command to its end, from its start to its exit. Rejects when it fails; nothing else of ours may be running. */
export async function measuredRun({ command, args, env = {} }: Command): Promise<Measured> {
  const before = cpuSeconds('self').children;
  const begun = performance.now();
  const child = spawn(command, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  const hung = setTimeout(() => child.kill('SIGKILL'), HANG_LIMIT_MS);
  let highest = 0;
  const sampler = setInterval(() => {
    const pids = child.pid === undefined ? [] : processTree(child.pid);
    highest = Math.max(
      highest,
      pids.map(pssBytes).reduce((sum, bytes) => sum + bytes, 0),
    );
  }, SAMPLE_EVERY_MS);
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-STDERR_TAIL);
  });
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', resolve);
    });
    if (code !== 0) throw new Error(`${command} ended with ${code}: ${stderr}`);
  } finally {
    clearTimeout(hung);
    clearInterval(sampler);
  }
  const wall_s = (performance.now() - begun) / 1_000;
  return { wall_s, cpu_s: cpuSeconds('self').children - before, rss_mb: highest / MIB, stdout };
}
