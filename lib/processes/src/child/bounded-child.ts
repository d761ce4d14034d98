import { type ChildProcess, fork } from 'node:child_process';
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
  const { file, maxHeapMiB, memoryMiB, deadlineMs, signal, started, ended } = program;
  const child = fork(programFile(file), [], {
    ...childOptions(maxHeapMiB),
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    serialization: 'advanced',
  });
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
  });
  void gone.then(() => fail('process_lost' satisfies BoundCode));
  signal?.addEventListener('abort', cancel);
  if (signal?.aborted) cancel();
  else child.send({ question, memoryMiB } satisfies ToChild, () => undefined);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    endWatch();
    signal?.removeEventListener('abort', cancel);
    await end(child, gone);
    if (pid !== undefined) ended?.(pid);
  }
}

async function end(child: ChildProcess, gone: Promise<void>): Promise<void> {
  child.kill('SIGKILL');
  await gone;
}
