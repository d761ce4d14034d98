import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ChildRegistry } from '@weir/kernel';
import type { ChildWatch } from '@weir/processes';
import { beginChild, RunFailed, sendTo } from '@weir/work';
import { sourceFailure } from '../../model/failure/failure.ts';
import type { FromReplay, Replayed, ReplayPlan } from '../../model/process/replay-messages.ts';

const MAX_HEAP_MIB = 256;

/**
 * Runs the staging of a replay in a process of its own, which knows nothing of our environment. Rejects with `RunFailed`
 * when it fails, is lost or aborted; it has ended by then.
 */
export async function runReplayChild(
  plan: ReplayPlan,
  { children, signal, watch }: { children: ChildRegistry; signal: AbortSignal; watch?: ChildWatch },
): Promise<Replayed> {
  const begun = beginChild(children, { file: childProgram(), name: 'replay', maxHeapMiB: MAX_HEAP_MIB, watch });
  const stop = () => void begun.discard();
  signal.addEventListener('abort', stop, { once: true });
  let last: Exclude<FromReplay, { type: 'pulse' }> | undefined;
  const endWatch = begun.watch(() => {
    last = { type: 'failed', failure: sourceFailure('sync_process_hung') };
  });
  begun.process.on('message', (message: FromReplay) => {
    if (message.type !== 'pulse') last = message;
  });
  sendTo(begun.process, plan);
  if (signal.aborted) stop();
  try {
    await begun.gone;
  } finally {
    signal.removeEventListener('abort', stop);
    endWatch();
  }
  if (last?.type === 'done') return last.replayed;
  throw new RunFailed(last?.failure ?? sourceFailure('sync_process_lost'));
}

function childProgram(): string {
  return fileURLToPath(new URL(`../../child/replay-child${extname(import.meta.url)}`, import.meta.url));
}
