import { fork } from 'node:child_process';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ChildWatch, watchChild } from '@weir/plugin-datasets/stage';
import { RunFailed, sourceFailure } from '../sync/failure.ts';
import type { ChildRegistry } from '../worker-deps.ts';
import type { FromReplay, Replayed, ReplayPlan } from './replay-messages.ts';

const MAX_HEAP_MIB = 256;

/**
 * Runs the staging of a replay in a process of its own, which knows nothing of our environment. Rejects with `RunFailed`
 * when it fails, is lost or aborted; it has ended by then.
 */
export async function runReplayChild(
  plan: ReplayPlan,
  { children, signal, watch = watchChild }: { children: ChildRegistry; signal: AbortSignal; watch?: ChildWatch },
): Promise<Replayed> {
  const { PATH, TMPDIR, NODE_COMPILE_CACHE } = process.env;
  const child = fork(childProgram(), [], {
    env: { PATH, TMPDIR, NODE_COMPILE_CACHE },
    execArgv: [
      '--conditions=@weir/source',
      '--disable-warning=ExperimentalWarning',
      `--max-old-space-size=${MAX_HEAP_MIB}`,
    ],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const { pid } = child;
  if (pid !== undefined) children.started({ name: 'replay', pid, parent: process.pid });
  const stop = () => child.kill('SIGKILL');
  signal.addEventListener('abort', stop, { once: true });
  let last: Exclude<FromReplay, { type: 'pulse' }> | undefined;
  const endWatch = watch(child, () => {
    last = { type: 'failed', failure: sourceFailure('sync_process_hung') };
  });
  child.on('message', (message: FromReplay) => {
    if (message.type !== 'pulse') last = message;
  });
  child.send(plan, () => undefined);
  if (signal.aborted) stop();
  try {
    await new Promise<void>((resolve) => {
      child.once('exit', () => resolve());
      child.once('error', () => resolve());
    });
  } finally {
    signal.removeEventListener('abort', stop);
    endWatch();
    if (pid !== undefined) children.ended(pid);
  }
  if (last?.type === 'done') return last.replayed;
  throw new RunFailed(last?.failure ?? sourceFailure('sync_process_lost'));
}

function childProgram(): string {
  return fileURLToPath(new URL(`./child${extname(import.meta.url)}`, import.meta.url));
}
