import type { ChildRegistry, Kernel } from '@weir/kernel';
import { Audits, Producers, Tables } from '@weir/plugin-datasets/contract';
import type { FaultFolder } from '../../../test/crash/fault-folder.ts';
import { discoveryDeps } from '../src/discovery/activities.ts';
import { roleEngine } from '../src/runtime/role-engine.ts';
import { copyTokens } from '../src/sync/copy-tokens.ts';
import { type AttemptDeps, runAttempt } from '../src/sync/run-attempt.ts';
import { beginChild } from '../src/sync/run-child.ts';
import { spareChild } from '../src/sync/spare-child.ts';
import { settingsOf } from '../src/worker-deps.ts';
import type { TestPlatform } from './platform.ts';

/** What an attempt of a sync needs that no worker carries out. */
export function attemptDeps(
  kernel: Kernel,
  { children, workDir }: { children: ChildRegistry; workDir: string },
): AttemptDeps {
  const services = { tables: kernel.use(Tables), producers: kernel.use(Producers), audits: kernel.use(Audits) };
  const engine = roleEngine(kernel, 'source');
  const inContainers = settingsOf(kernel).SOURCE_SOCKET_DIR !== undefined;
  const spare = spareChild(() => beginChild(children, { inContainers }));
  return { ...discoveryDeps({ kernel, children, workDir }), ...services, tokens: copyTokens(1), engine, spare };
}

/** Longer than the process of an attempt takes to load its code on a busy machine, and to be heard for the first time. */
const SILENCE_MS = 15_000;

/**
 * Carries out one attempt of a waiting sync of tenant `demo` in this process: how it ended, and the processes that it had. With
 * `faults` these may be held there, and are taken to hang sooner than others.
 */
export async function ownAttempt(
  platform: TestPlatform,
  { runId, sourceId, faults }: { runId: string; sourceId: string; faults?: FaultFolder },
): Promise<{ end: unknown; pids: readonly number[] }> {
  const kernel = platform.kernel.plugins.find(({ manifest }) => manifest.id === 'sources')?.kernel;
  if (kernel === undefined) throw new Error('the plugin is not there');
  const tenant = await platform.tenant('demo');
  const pids: number[] = [];
  const children = { started: ({ pid }: { pid: number }) => void pids.push(pid), ended: () => undefined };
  const deps = attemptDeps(kernel, { children, workDir: platform.environment.WEIR_WORK_DIR ?? '' });
  if (faults !== undefined) process.env.WEIR_FAULTPOINTS = faults.path;
  // It takes over the variable as it begins, before anything is waited for.
  deps.spare.refill();
  delete process.env.WEIR_FAULTPOINTS;
  const request = { tenant, runId, sourceId, signal: new AbortController().signal, onProgress: () => undefined };
  const end = await runAttempt({ ...deps, ...(faults && { maxSilenceMs: SILENCE_MS }) }, request).catch(
    (error: unknown) => error,
  );
  await deps.spare.drop();
  return { end, pids };
}
