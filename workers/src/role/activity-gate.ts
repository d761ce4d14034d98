import { ApplicationFailure } from '@temporalio/common';
import type { RunFailureRecord } from '@weir/kernel';
import type { RunningPlatform } from '@weir/kernel/boot';

export interface GateDeps {
  tenants: Pick<RunningPlatform['tenants'], 'byId'>;
  tenantPlugins: Pick<RunningPlatform['tenantPlugins'], 'isEnabledNow'>;
  log: Pick<RunningPlatform['log'], 'warn'>;
}

/** The plugin whose activities are gated. */
export interface GatedPlugin {
  id: string;
  tenancy: 'always' | 'opt-in';
  /** Activities that only end a run. */
  ungated: readonly string[];
  /** Activities that do no I/O, for no tenant. */
  inert: readonly string[];
}

/** Refuses an activity before any of its code runs, by throwing the failure that its workflow ends the run with. */
export type ActivityGate = (activity: string, input: unknown) => Promise<void>;

const REFUSALS = {
  plugin_disabled: {
    retryable: false,
    detail: 'The plugin that carries out this run is not enabled for the tenant.',
    hint: 'Ask a platform admin to enable it, then start the run again.',
  },
  tenant_not_allowed: {
    retryable: false,
    detail: 'The tenant of this run does not exist or is disabled.',
    hint: 'Ask a platform admin for the state of the tenant.',
  },
  dependency_unavailable: {
    retryable: true,
    detail: 'Whether this run may go on could not be looked up.',
    hint: 'Nothing to do: it is tried again.',
  },
} as const;

/**
 * Asks before each activity whether its tenant, which the first argument names, still has the plugin, so that switching a
 * plugin off stops delayed work too. The answer is the database's of this moment. An activity of an opt-in plugin that
 * names no tenant is refused, as nobody could switch it off, unless its door says by name that it does no I/O.
 */
export function activityGate(deps: GateDeps, plugin: GatedPlugin): ActivityGate {
  return async (activity, input) => {
    if (plugin.ungated.includes(activity)) return;
    const tenantId = (input as { tenant_id?: unknown } | null | undefined)?.tenant_id;
    if (tenantId === undefined && (plugin.tenancy === 'always' || plugin.inert.includes(activity))) return;
    const refusal = await refusalOf(deps, plugin.id, tenantId).catch((error: unknown) => {
      deps.log.warn({ err: error, activity }, 'the gate of an activity could not be asked');
      return 'dependency_unavailable' as const;
    });
    if (refusal !== undefined) throw refused(refusal);
  };
}

async function refusalOf(
  { tenants, tenantPlugins }: GateDeps,
  pluginId: string,
  tenantId: unknown,
): Promise<keyof typeof REFUSALS | undefined> {
  const tenant = typeof tenantId === 'string' ? await tenants.byId(tenantId) : undefined;
  if (tenant === undefined) return 'tenant_not_allowed';
  return (await tenantPlugins.isEnabledNow(tenant, pluginId)) ? undefined : 'plugin_disabled';
}

function refused(code: keyof typeof REFUSALS): ApplicationFailure {
  const failure: RunFailureRecord = { code, origin: 'platform', ...REFUSALS[code] };
  return ApplicationFailure.create({
    type: code,
    message: failure.detail,
    nonRetryable: !failure.retryable,
    details: [failure],
  });
}
