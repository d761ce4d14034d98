import { type ChildProcess, fork } from 'node:child_process';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { childOptions, programFile, watchChild } from '@weir/processes';
import { LakehouseError } from '../error/error.ts';
import type { ChildLimits, Query, QueryMessage, QueryWord } from './protocol.ts';

const CHILD = fileURLToPath(new URL(`./child${extname(import.meta.url)}`, import.meta.url));
const CHILD_HEAP_MIB = 256;
/** How long a child that was told to stop may take to do so before it is killed. */
const STOP_GRACE_MS = 5_000;

let asked = 0;

/** Starts a query child. */
export function startChild(limits: ChildLimits): ChildProcess {
  const child = fork(programFile(CHILD), [JSON.stringify(limits)], {
    ...childOptions(CHILD_HEAP_MIB),
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    // Bytes go over as bytes.
    serialization: 'advanced',
  });
  child.on('error', () => child.kill('SIGKILL'));
  return child;
}

/** Kills a child; resolves when it is gone. */
export function endChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    child.once('exit', () => resolve());
    child.kill('SIGKILL');
  });
}

/** How long a child may take, and who says that nobody waits for it any more. */
export type AskUntil = {
  readonly deadlineMs: number;
  readonly signal: AbortSignal | undefined;
};

/**
 * The answer of a child to one query. At the deadline, or when the signal says that nobody waits any more, the child is
 * told to stop, and killed unless it does; one that gives no sign of life is killed: either way it is `query_deadline`.
 */
export function askChild(
  child: ChildProcess,
  query: Query,
  { deadlineMs, signal }: AskUntil,
  watch = watchChild,
): Promise<unknown> {
  const id = ++asked;
  return new Promise((resolve, reject) => {
    let killer: NodeJS.Timeout | undefined;
    const settle = (action: () => void): void => {
      clearTimeout(timer);
      clearTimeout(killer);
      endWatch();
      signal?.removeEventListener('abort', stop);
      child.off('message', onMessage).off('exit', onExit).off('error', onExit);
      action();
    };
    const onExit = (): void =>
      settle(() => reject(new LakehouseError('query_failed', 'The query process ended early')));
    const onMessage = (answer: QueryWord): void => {
      if ('pulse' in answer) return;
      // The memory bound may be met while the child is between two queries.
      if (answer.id !== id && answer.id !== 0) return;
      settle(() =>
        'result' in answer
          ? resolve(answer.result)
          : reject(new LakehouseError(answer.error.code, answer.error.message)),
      );
    };
    const send = (message: QueryMessage): void => {
      child.send(message, (error) => error && onExit());
    };
    const late = (): void => settle(() => reject(new LakehouseError('query_deadline', 'The query took too long')));
    const kill = (): void => {
      child.kill('SIGKILL');
      late();
    };
    const stop = (): void => {
      if (killer !== undefined) return;
      killer = setTimeout(kill, STOP_GRACE_MS);
      if (child.connected) send({ id, stop: true });
    };
    const endWatch = watch(child, late);
    const timer = setTimeout(stop, deadlineMs);
    signal?.addEventListener('abort', stop);
    child.on('message', onMessage).on('exit', onExit).on('error', onExit);
    send({ id, query });
    if (signal?.aborted) stop();
  });
}
