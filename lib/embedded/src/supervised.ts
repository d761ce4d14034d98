import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { constants } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** How a process ended: its exit code, or the signal that ended it. */
export type Exit = { code: number | undefined; signal: NodeJS.Signals | undefined };

export type SuperviseOptions = {
  /** Name used in messages, e.g. `postgres`. */
  name: string;
  command: string;
  args: readonly string[];
  /** All that the program is told; what every program needs, when absent. */
  env?: NodeJS.ProcessEnv;
  cwd?: string;
  uid?: number;
  gid?: number;
  /** Receives stdout and stderr, appended; its folder is made. */
  logFile: string;
  /** The signal that asks this program to end well. Default SIGTERM. */
  stopSignal?: NodeJS.Signals;
  /** True leaves the process running when this one ends; whoever starts it so must stop it by its pid. */
  outlivesParent?: boolean;
};

/** A process of ours that runs, or ran. */
export type Supervised = {
  pid: number;
  logFile: string;
  /** Resolves once, when the process is gone; never rejects. */
  exited: Promise<Exit>;
  /** Asks the process to end, waits `graceMs`, then kills it. Resolves when it is gone; a second call joins the first. */
  stop(signal?: NodeJS.Signals, graceMs?: number): Promise<Exit>;
};

const STOP_GRACE_MS = 20_000;
const LAST_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Of our environment: where programs, temporary files, the home and compiled code lie, language and time zone. */
const BARE = ['PATH', 'HOME', 'TMPDIR', 'LANG', 'LC_ALL', 'TZ', 'NODE_COMPILE_CACHE', 'LD_LIBRARY_PATH'] as const;

/** What a server is told that needs nothing of us: credentials and settings of the platform stay here. */
export function bareEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(
    BARE.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  );
}

const running = new Map<ChildProcess, NodeJS.Signals>();

function stopAll(): void {
  for (const [child, signal] of running) child.kill(signal);
  running.clear();
}

/**
 * Listeners of the package `signal-exit`, which many programs load unknowingly: they end the process only when they are
 * the only ones. Two that wait for each other would let it live, so they do not count as somebody who acts.
 */
function passiveListeners(): number {
  const emitter = (globalThis as Record<symbol, unknown>)[Symbol.for('signal-exit emitter')];
  return (emitter as { count?: number } | undefined)?.count ?? 0;
}

/** A signal that nobody else acts on would end this process without its `exit` event: then the children end here. */
function endOnSignal(signal: NodeJS.Signals): void {
  if (process.listenerCount(signal) > 1 + passiveListeners()) return;
  stopAll();
  process.exit(128 + constants.signals[signal]);
}

function watchParent(): void {
  if (process.listeners('exit').includes(stopAll)) return;
  process.on('exit', stopAll);
  for (const signal of LAST_SIGNALS) process.on(signal, endOnSignal);
}

/**
 * Starts a program in a session of its own, so that Ctrl-C in a terminal reaches this process alone, which decides the
 * order of stopping. When this process ends, by `exit` or by SIGINT, SIGTERM or SIGHUP, the child gets its stop signal;
 * a program with a listener of its own for such a signal must end itself, and then its children end with it.
 * Rejects when the program cannot be started at all.
 */
export async function supervise(options: SuperviseOptions): Promise<Supervised> {
  const { name, command, args, logFile, stopSignal = 'SIGTERM' } = options;
  mkdirSync(path.dirname(logFile), { recursive: true });
  const log = openSync(logFile, 'a', 0o600);
  const child = spawn(command, [...args], {
    detached: true,
    stdio: ['ignore', log, log],
    env: options.env ?? bareEnvironment(),
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    ...(options.uid === undefined ? {} : { uid: options.uid }),
    ...(options.gid === undefined ? {} : { gid: options.gid }),
  });
  closeSync(log);
  const exited = new Promise<Exit>((resolve) => {
    child.once('exit', (code, signal) => {
      running.delete(child);
      resolve({ code: code ?? undefined, signal: signal ?? undefined });
    });
  });
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', (cause) => reject(new Error(`cannot start ${name} (${command}): ${cause.message}`, { cause })));
  });
  if (options.outlivesParent) child.unref();
  else {
    watchParent();
    running.set(child, stopSignal);
  }
  let stopping: Promise<Exit> | undefined;
  const stop = async (signal: NodeJS.Signals, graceMs: number): Promise<Exit> => {
    child.kill(signal);
    const timer = new AbortController();
    const late = delay(graceMs, 'late' as const, { signal: timer.signal }).catch(() => 'late' as const);
    if ((await Promise.race([exited, late])) === 'late') child.kill('SIGKILL');
    timer.abort();
    return exited;
  };
  return {
    pid: child.pid as number,
    logFile,
    exited,
    stop(signal = stopSignal, graceMs = STOP_GRACE_MS) {
      stopping ??= stop(signal, graceMs);
      return stopping;
    },
  };
}
