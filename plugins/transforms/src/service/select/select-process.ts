import { readdir } from 'node:fs/promises';
import { constants, setPriority } from 'node:os';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ChildRegistry } from '@weir/kernel';
import type { Bounds } from '@weir/processes';
import { type BegunChild, beginChild, sendTo } from '@weir/work';
import type { FromSelect, SelectPlan, ToSelect } from '../../model/select/messages.ts';
import { type BoundsMet, SelectFailed, SqlRefused } from '../../model/select/select-errors.ts';

const PROGRAM = fileURLToPath(new URL(`../../child/select-child${extname(import.meta.url)}`, import.meta.url));
const MAX_HEAP_MIB = 256;
const MS_PER_SECOND = 1_000;
/** How long a statement may take to stop at its deadline before its process is killed. */
const STOP_GRACE_MS = 1_000;
/** A statement that runs for longer lets shorter ones go first. */
const YIELDS_AFTER_MS = 1_000;
const ABORTS = ['SIGABRT', 'SIGTRAP', 'SIGILL'] as const;
/** What a shell adds to the number of a signal. */
const SIGNALLED = 128;

const UNKNOWN: ChildRegistry = { started: () => undefined, ended: () => undefined };

/** Begins a process that loads DuckDB and waits for statements, within bounds of the system where they hold. */
export function beginSelect(bounds?: Bounds, children: ChildRegistry = UNKNOWN): BegunChild {
  const program = { file: PROGRAM, name: 'select', maxHeapMiB: MAX_HEAP_MIB, serialization: 'advanced' } as const;
  return beginChild(children, { ...program, bounds });
}

export interface AskOptions {
  signal?: AbortSignal | undefined;
  /** Keeps a file of the result; the path is one of the process. */
  upload(path: string, location: string): Promise<void>;
  /** The code of what an upload throws. */
  codeOf(error: unknown): string;
  /** After how long, in milliseconds, a statement lets shorter ones go first. */
  yieldsAfterMs?: number | undefined;
}

export interface SelectAnswer {
  result: unknown;
  /** Whether the process is as one that has just begun: small, and of usual priority. */
  isFresh: boolean;
}

/**
 * Has a process answer about its statement. Throws `SqlRefused`, and `SelectFailed` for a bound that was met, a signal
 * (`cancelled`) and a process that ended early: then it may still be at work.
 */
export async function askSelect(begun: BegunChild, plan: SelectPlan, options: AskOptions): Promise<SelectAnswer> {
  const { signal, yieldsAfterMs = YIELDS_AFTER_MS } = options;
  const { promise, resolve, reject } = Promise.withResolvers<SelectAnswer>();
  let yielding: Promise<boolean> | undefined;
  const fail = (code: string) => reject(new SelectFailed(code, boundsMet(plan.bounds)));
  const cancel = () => fail('cancelled');
  const timer = setTimeout(() => fail('query_deadline'), plan.bounds.deadlineMs + STOP_GRACE_MS);
  const yields = setTimeout(() => {
    yielding = withPriority(begun, constants.priority.PRIORITY_BELOW_NORMAL);
  }, yieldsAfterMs);
  const endWatch = begun.watch(() => fail('select_process_lost'));
  const hear = (message: FromSelect) => {
    if (message.type === 'pulse') return;
    if (message.type === 'seal') return void seal(begun, fail);
    if (message.type === 'upload') {
      // The statement has ended: what is left is our own work.
      clearTimeout(timer);
      void keep(begun, message, options);
    } else if (message.type === 'done') resolve({ result: message.result, isFresh: message.isFresh });
    else if (message.type === 'refused') reject(new SqlRefused(message.faults));
    else fail(message.code);
  };
  begun.process.on('message', hear);
  void begun.gone.then(() => fail(hasAborted(begun) ? 'out_of_memory' : 'select_process_lost'));
  signal?.addEventListener('abort', cancel);
  if (signal?.aborted) cancel();
  else sendTo(begun.process, { type: 'plan', plan } satisfies ToSelect);
  try {
    const answer = await promise;
    clearTimeout(yields);
    const isUsual = (await yielding) === undefined || (await withPriority(begun, constants.priority.PRIORITY_NORMAL));
    return { ...answer, isFresh: answer.isFresh && isUsual };
  } finally {
    clearTimeout(timer);
    clearTimeout(yields);
    endWatch();
    signal?.removeEventListener('abort', cancel);
    begun.process.off('message', hear);
  }
}

const boundsMet = ({ memoryMiB, spillMiB, deadlineMs }: SelectPlan['bounds']): BoundsMet => ({
  memory_mib: memoryMiB,
  spill_mib: spillMiB,
  deadline_seconds: deadlineMs / MS_PER_SECOND,
});

/** Whether a process has ended itself as Node does where it gets no memory, before its watch has seen how much it holds. */
function hasAborted({ process: { exitCode, signalCode } }: BegunChild): boolean {
  return ABORTS.some((signal) => signal === signalCode || SIGNALLED + constants.signals[signal] === exitCode);
}

/** Keeps a process from starting others, before it runs what a user wrote. */
async function seal({ process: child, bounded }: BegunChild, fail: (code: string) => void): Promise<void> {
  try {
    await bounded?.seal();
    sendTo(child, { type: 'sealed' } satisfies ToSelect);
  } catch {
    fail('select_process_lost');
  }
}

/** Has a process run beside those that have just begun, not before them, or as they do. Answers whether it could be done for all of its threads. */
async function withPriority({ process: child, bounded }: BegunChild, priority: number): Promise<boolean> {
  const pid = bounded === undefined ? child.pid : await bounded.pid.catch(() => undefined);
  const threads = await readdir(`/proc/${pid}/task`).catch(() => []);
  let isDone = threads.length > 0;
  for (const thread of threads) {
    try {
      setPriority(Number(thread), priority);
    } catch {
      // It has ended, or the system has no priorities of threads, or does not let us raise them.
      isDone = false;
    }
  }
  return isDone;
}

async function keep(
  { process: child }: BegunChild,
  { id, path, location }: Extract<FromSelect, { type: 'upload' }>,
  { upload, codeOf }: AskOptions,
): Promise<void> {
  const failure = await upload(path, location).then(() => undefined, codeOf);
  sendTo(child, { type: 'uploaded', id, ...(failure === undefined ? {} : { failure }) } satisfies ToSelect);
}
