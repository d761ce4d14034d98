import { type ChildProcess, fork } from 'node:child_process';
import { type Bounds, startBounded } from '../bounded/start-bounded.ts';
import type { Place } from '../bounded/view.ts';
import { programFile } from '../program/program-file.ts';
import { watchChild } from '../pulse.ts';
import { childOptions } from './child-options.ts';
import type { FromChild, ToChild } from './messages.ts';

/** A program that answers one question, by `answerParent`, within bounds. */
export interface BoundedProgram {
  file: string;
  maxHeapMiB: number;
  /** Resident memory in MiB at which it ends itself. */
  memoryMiB: number;
  /** After so long it is killed, in milliseconds. */
  deadlineMs: number;
  signal?: AbortSignal | undefined;
  /** Bounds of the system behind which it runs, and the folders that it sees there; none unless given. */
  within?: { bounds: Bounds; places: readonly Place[] } | undefined;
  started?(pid: number): void;
  ended?(pid: number): void;
}

/** Codes of the bounds themselves, beside those that the program answers with. */
export type BoundCode = 'out_of_memory' | 'deadline' | 'process_lost' | 'cancelled';

/** A question that was not answered: a bound that was met, or the code with which the program failed. */
export class ChildFailed extends Error {
  override readonly name = 'ChildFailed';
  readonly code: string;

  constructor(code: string) {
    super(`The process of a piece of work failed: ${code}`);
    this.code = code;
  }
}

/**
 * Has a process of its own answer one question and end. Question and answer are cloned: maps, bytes and large integers pass. It knows
 * nothing of our environment, and is gone when this resolves or throws `ChildFailed`.
 */
export async function boundedChild(program: BoundedProgram, question: unknown): Promise<unknown> {
  const { memoryMiB, deadlineMs, signal, within, started, ended } = program;
  const { child, bounded } = begin(program);
  const { pid } = child;
  if (pid !== undefined) started?.(pid);
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()).once('error', () => resolve()));
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  const fail = (code: string): void => reject(new ChildFailed(code));
  const cancel = (): void => fail('cancelled' satisfies BoundCode);
  const timer = setTimeout(() => fail('deadline' satisfies BoundCode), deadlineMs);
  const endWatch = watchChild(child, () => fail('process_lost' satisfies BoundCode));
  child.on('message', (said: FromChild) => {
    if ('answer' in said) resolve(said.answer);
    else if ('code' in said) fail(said.code);
    else if ('seal' in said) seal().catch(() => fail('process_lost' satisfies BoundCode));
  });
  const post = (message: ToChild): void => void child.send(message, () => undefined);
  const seal = async (): Promise<void> => {
    await bounded?.seal();
    post({ sealed: true });
  };
  const ask = async (): Promise<void> => {
    await bounded?.show(within?.places ?? []);
    post({ question, memoryMiB });
  };
  void gone.then(() => fail('process_lost' satisfies BoundCode));
  signal?.addEventListener('abort', cancel);
  if (signal?.aborted) cancel();
  else ask().catch(() => fail('process_lost' satisfies BoundCode));
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    endWatch();
    signal?.removeEventListener('abort', cancel);
    // Until its first word the program does not die with what began it.
    await bounded?.pid.catch(() => undefined);
    await end(child, gone);
    if (pid !== undefined) ended?.(pid);
  }
}

function begin({ file: program, maxHeapMiB, within }: BoundedProgram) {
  const file = programFile(program);
  const { env, execArgv } = childOptions(maxHeapMiB);
  const serialization = 'advanced';
  if (within !== undefined) {
    const bounded = startBounded({ file, args: [], flags: execArgv, env, serialization }, within.bounds);
    return { child: bounded.process, bounded };
  }
  const stdio = ['ignore', 'ignore', 'inherit', 'ipc'] as const;
  return { child: fork(file, [], { env, execArgv, stdio: [...stdio], serialization }), bounded: undefined };
}

async function end(child: ChildProcess, gone: Promise<void>): Promise<void> {
  child.kill('SIGKILL');
  await gone;
}
