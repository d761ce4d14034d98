import type { Static } from '@sinclair/typebox';
import { type EngineTlsConfig, engineTls, engineTlsFault } from '@weir/vault';
import type { engineSettings } from '../config/kernel-settings.ts';
import { Refusal } from '../config/refusal.ts';

/** Where the workflow engine is, and how a connection to it is protected. */
export interface EnginePlace {
  address: string;
  namespace: string;
  /** Absent for a connection in the clear. */
  tls?: EngineTlsConfig;
}

/** The place that the settings name. Throws a `Refusal` for certificates that are none. */
export function enginePlace(settings: Static<typeof engineSettings>): EnginePlace {
  const { WORKFLOW_HOST: host, WORKFLOW_PORT: port, WORKFLOW_NAMESPACE: namespace } = settings;
  const { tls, faults } = engineTls(settings, host);
  if (faults.length > 0) throw new Refusal('configuration refused', faults);
  return { address: `${host}:${port}`, namespace, ...(tls !== undefined && { tls }) };
}

/** Throws a `Refusal` when the engine answers, but its certificate or ours is not taken; one that is away may come. */
export async function assertEngineTls({ address, tls }: EnginePlace): Promise<void> {
  const fault = tls && (await engineTlsFault(address, tls));
  if (fault !== undefined) throw new Refusal('workflow engine refused', [fault]);
}
