import { type ContainerRuntime, containerRuntime, type IsLive } from '@weir/connector-runtime';
import type { Kernel } from '@weir/kernel';
import { settingsOf } from '../worker-deps.ts';
import { type RuntimeChoice, type RuntimeRole, runtimeChoice } from './runtime-choice.ts';

const REAP_EVERY_MS = 60_000;

/** What runs the connectors of one role in this worker. */
export interface RoleEngine {
  /** Resolves with the choice once it may be used; rejects with `connector_runtime_unavailable` else. */
  prepare(): Promise<RuntimeChoice>;
  /** Removes what an attempt that is over has left in the engine; one that cannot be asked now is looked at again later. */
  endAttempt(run: { execution: string; attempt: string }): Promise<void>;
}

/**
 * The engine of a role: proves that it holds what it must before anything runs in it, and every minute removes what
 * attempts that are over have left there.
 */
export function roleEngine(kernel: Kernel, role: RuntimeRole): RoleEngine {
  const choice = () => runtimeChoice(settingsOf(kernel), role);
  const made = new Map<RuntimeRole, ContainerRuntime>();
  const runtimeOf = (chosen: Extract<RuntimeChoice, { kind: 'container' }>): ContainerRuntime => {
    const runtime = made.get(role) ?? containerRuntime({ ...chosen, mode: kernel.mode });
    if (!made.has(role)) {
      made.set(role, runtime);
      startReaping(kernel, runtime);
    }
    return runtime;
  };
  return {
    async prepare() {
      const chosen = choice();
      if (chosen.kind === 'container') await runtimeOf(chosen).ready();
      return chosen;
    },
    async endAttempt(run) {
      await made
        .get(role)
        ?.endAttempt(run)
        .catch(() => undefined);
    },
  };
}

/** Ends with the process: nothing waits for it. */
function startReaping(kernel: Kernel, runtime: ContainerRuntime): void {
  const isLive = liveRuns(kernel);
  let busy = false;
  const reap = async () => {
    if (busy) return;
    busy = true;
    try {
      const { containers, workspaces } = await runtime.reap(isLive);
      if (containers + workspaces > 0)
        kernel.log.warn({ containers, workspaces }, 'what ended attempts left was removed');
    } catch (error) {
      kernel.log.warn({ err: error }, 'what ended attempts left could not be looked for');
    } finally {
      busy = false;
    }
  };
  setInterval(reap, REAP_EVERY_MS).unref();
  void reap();
}

/** Whether a run goes on in that attempt: it has not ended, and no later attempt has taken its lease. */
export function liveRuns(kernel: Pick<Kernel, 'tenants' | 'runs'>): IsLive {
  return async ({ tenant: tenantId, execution, attempt }) => {
    const tenant = await kernel.tenants.byId(tenantId);
    const run = tenant && (await kernel.runs.find(tenant, execution));
    return run !== undefined && run.endedAt === undefined && String(run.leaseEpoch) === attempt;
  };
}
