import { type ChildProcess, fork } from 'node:child_process';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ChildRegistry } from '../worker-deps.ts';
import type { CopyTokens } from './copy-tokens.ts';
import { RunFailed, sourceFailure } from './failure.ts';
import type { Ask, ChildPlan, FromChild, FromParent, Progress, StreamResult } from './messages.ts';

/** How long an attempt may take to stop by itself before it is killed; longer than the connector's own grace. */
const STOP_GRACE_MS = 15_000;
const MAX_HEAP_MIB = 256;
/** What the process of an attempt may know of our environment. */
const ENVIRONMENT = ['PATH', 'HOME', 'LANG', 'TMPDIR', 'TZ'] as const;

export interface RunChildOptions {
  plan: ChildPlan;
  tokens: CopyTokens;
  children: ChildRegistry;
  signal: AbortSignal;
  /** Carries out what needs the database; the next message is answered when it is done. */
  carryOut(ask: Exclude<Ask, { kind: 'staged' }>): Promise<void>;
  onProgress(streams: Record<string, Progress>): void;
}

/**
 * Runs one attempt in a process of its own and resolves with what became of each stream. The process gets its plan over
 * the channel and nothing of our environment but what it goes on with a trace by. Rejects when it fails, is lost or aborted, or when the parent cannot
 * carry out what it asks; the process and its connector have ended by then.
 */
export async function runChild(options: RunChildOptions): Promise<StreamResult[]> {
  const { plan, children, signal } = options;
  const child = fork(childProgram(), [], {
    env: { ...environment(), ...children.environment?.() },
    execArgv: [
      '--conditions=@weir/source',
      '--disable-warning=ExperimentalWarning',
      `--max-old-space-size=${MAX_HEAP_MIB}`,
    ],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  let result: StreamResult[] | undefined;
  let failure: unknown;
  const stop = stopper(child);
  const fail = (error: unknown) => {
    failure ??= error;
    child.kill('SIGKILL');
  };
  const held = new Set<string>();
  const pids: number[] = [];
  const register = (name: string, pid: number | undefined, parent: number) => {
    if (pid === undefined) return;
    pids.push(pid);
    children.started({ name, pid, parent });
  };
  register('sync', child.pid, process.pid);
  child.on('message', (message: FromChild) => {
    if (message.type === 'ask') {
      answer(options, message.ask, held)
        .then(() => tell(child, { type: 'answer', id: message.id }))
        .catch(fail);
    } else if (message.type === 'progress') options.onProgress(message.streams);
    else if (message.type === 'connector') register(message.name, message.pid, child.pid ?? process.pid);
    else if (message.type === 'done') result = message.streams;
    else failure ??= new RunFailed(message.failure, { cause: message.cause });
  });
  signal.addEventListener('abort', stop, { once: true });
  tell(child, { type: 'plan', plan });
  if (signal.aborted) stop();
  try {
    await ended;
  } finally {
    stop.done();
    signal.removeEventListener('abort', stop);
    for (const _ of held) options.tokens.give();
    for (const pid of pids) children.ended(pid);
  }
  if (failure !== undefined) throw failure;
  if (result === undefined) throw new RunFailed(sourceFailure('sync_process_lost'));
  return result;
}

async function answer({ tokens, carryOut }: RunChildOptions, ask: Ask, held: Set<string>): Promise<void> {
  if (ask.kind === 'staged') {
    if (held.delete(ask.location)) tokens.give();
    return;
  }
  await carryOut(ask);
  if (ask.kind !== 'stage') return;
  await tokens.take();
  held.add(ask.location);
}

/** Asks the process to stop, and kills it when it does not. */
function stopper(child: ChildProcess): (() => void) & { done(): void } {
  let timer: NodeJS.Timeout | undefined;
  const stop = () => {
    if (timer !== undefined) return;
    tell(child, { type: 'stop' });
    timer = setTimeout(() => child.kill('SIGKILL'), STOP_GRACE_MS);
  };
  return Object.assign(stop, { done: () => clearTimeout(timer) });
}

/** A process that is gone needs no message; its end is noticed elsewhere. */
function tell(child: ChildProcess, message: FromParent): void {
  if (child.connected) child.send(message, () => undefined);
}

function childProgram(): string {
  return fileURLToPath(new URL(`./child${extname(import.meta.url)}`, import.meta.url));
}

function environment(): NodeJS.ProcessEnv {
  return Object.fromEntries(
    ENVIRONMENT.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  );
}
