import {
  CONNECTOR_ERRORS,
  ConnectorError,
  type ContainerRuntime,
  containerRuntime,
  type IsLive,
} from '@weir/connector-runtime';
import type { Kernel } from '@weir/kernel';
import { repeat } from '@weir/turns';
import { type RuntimeChoice, type RuntimeRole, runtimeChoice } from '../../model/runtime/runtime-choice.ts';
import { settingsOf } from '../../settings.ts';

const REAP_EVERY_MS = 60_000;
const NOT_READY = 'the connector engine is not ready: every run ends so until it is';
/** Folders that a line of the log names. */
const MAX_NAMED = 10;

/** What runs the connectors of one role in this worker. */
export interface RoleEngine {
  /** Resolves with the choice once it may be used; rejects with the `ConnectorError` of what does not hold else. */
  prepare(): Promise<RuntimeChoice>;
  /** Removes what an attempt that is over has left in the engine; one that cannot be asked now is looked at again later. */
  endAttempt(run: { execution: string; attempt: string }): Promise<void>;
}

/**
 * The engine of a role: proves that it holds what it must before anything runs in it, and every minute, from the start on,
 * removes what attempts that are over have left there. Throws a `Refusal` for a role that is given none and needs one.
 */
export function roleEngine(kernel: Kernel, role: RuntimeRole): RoleEngine {
  const choice = runtimeChoice(settingsOf(kernel), role, kernel.mode);
  const runtime = choice.kind === 'container' ? containerRuntime({ ...choice, mode: kernel.mode }) : undefined;
  if (runtime !== undefined) {
    startReaping(kernel, runtime);
    void runtime.ready().catch((err: unknown) => kernel.log.error({ err, role, hint: hintOf(err) }, NOT_READY));
  }
  return {
    async prepare() {
      await runtime?.ready();
      return choice;
    },
    async endAttempt(run) {
      await runtime?.endAttempt(run).catch(() => undefined);
    },
  };
}

const hintOf = (err: unknown) => (err instanceof ConnectorError ? CONNECTOR_ERRORS[err.code].hint : undefined);

/** Ends with the process: nothing waits for it. */
function startReaping(kernel: Kernel, runtime: ContainerRuntime): void {
  const isLive = liveRuns(kernel);
  const reap = async () => {
    const { containers, workspaces, left } = await runtime.reap(isLive);
    if (left.length > 0)
      kernel.log.warn({ folders: left.slice(0, MAX_NAMED) }, 'folders of connectors could not be removed');
    if (containers + workspaces > 0)
      kernel.log.warn({ containers, workspaces }, 'what ended attempts left was removed');
  };
  const failed = (err: unknown) => kernel.log.warn({ err }, 'what ended attempts left could not be looked for');
  void repeat(REAP_EVERY_MS, reap, failed).now();
}

/** Whether a run goes on in that attempt: it has not ended, and no later attempt has taken its lease. */
export function liveRuns(kernel: Pick<Kernel, 'tenants' | 'runs'>): IsLive {
  return async ({ tenant: tenantId, execution, attempt }) => {
    const tenant = await kernel.tenants.byId(tenantId);
    const run = tenant && (await kernel.runs.find(tenant, execution));
    return run !== undefined && run.endedAt === undefined && String(run.leaseEpoch) === attempt;
  };
}
