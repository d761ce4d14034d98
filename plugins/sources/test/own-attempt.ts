import { armFaultpoints, type ChildRegistry, type Kernel } from '@weir/kernel';
import { type ChildWatch, watchFor } from '@weir/processes';
import { copyTokens, spareChild } from '@weir/work';
import type { FaultFolder } from '../../../test/crash/fault-folder.ts';
import { HASTY_MS } from '../../../test/until.ts';
import { settingsOf } from '../src/settings.ts';
import { sourceKit } from '../src/work/kits.ts';
import { type AttemptDeps, syncing } from '../src/work/sync/run-attempt.ts';
import { beginSyncChild } from '../src/work/sync/run-child.ts';
import type { TestPlatform } from './platform.ts';

/** What an attempt of a sync needs that no worker carries out. */
export function attemptDeps(
  kernel: Kernel,
  { children, workDir, watch }: { children: ChildRegistry; workDir: string; watch?: ChildWatch | undefined },
): AttemptDeps {
  const inContainers = settingsOf(kernel).SOURCE_SOCKET_DIR !== undefined;
  const spare = spareChild(() => beginSyncChild(children, { inContainers, watch }));
  return { ...sourceKit({ kernel, children, workDir, slotMiB: 512 }), tokens: copyTokens(1), spare };
}

/** Where a process of an attempt is held and made to stand still. */
export interface Standstill {
  readonly faults: FaultFolder;
  /** Waits until one is held there; its pid. */
  held(): Promise<number>;
}

/** A process that an attempt has begun. */
export interface OwnChild {
  readonly name: string;
  readonly pid: number;
}

/**
 * Carries out one attempt of a waiting sync of tenant `demo` in this process: how it ended, and the processes that it had. With
 * `standstill` one of these stands still where it is held, and is soon taken to hang.
 */
export async function ownAttempt(
  platform: TestPlatform,
  { runId, standstill }: { runId: string; standstill?: Standstill },
): Promise<{ end: unknown; begun: readonly OwnChild[] }> {
  const kernel = platform.kernel.plugins.find(({ manifest }) => manifest.id === 'sources')?.kernel;
  if (kernel === undefined) throw new Error('the plugin is not there');
  const tenant = await platform.tenant('demo');
  const begun: OwnChild[] = [];
  const children = { started: (child: OwnChild) => void begun.push(child), ended: () => undefined };
  const stopped = standstill?.held().then((pid) => process.kill(pid, 'SIGSTOP'));
  const watch = stopped && watchOnce(stopped);
  const deps = attemptDeps(kernel, { children, workDir: platform.environment.WEIR_WORK_DIR ?? '', watch });
  armFaultpoints(standstill?.faults.path);
  // It takes over the folder as it begins, before anything is waited for.
  deps.spare.refill();
  armFaultpoints(undefined);
  const ended = syncing.attempt(deps, { tenant_id: tenant.tenantId, run_id: runId });
  const [end] = await Promise.all([ended.catch((error: unknown) => error), stopped]);
  await deps.spare.drop();
  return { end, begun };
}

/** A watch that begins when a process was made to stand still: one that was not may be as slow as the machine is. */
function watchOnce(stopped: Promise<unknown>): ChildWatch {
  return (child, onHung) => {
    const begun = stopped.then(
      () => watchFor(HASTY_MS)(child, onHung),
      () => undefined,
    );
    return () => void begun.then((end) => end?.());
  };
}
