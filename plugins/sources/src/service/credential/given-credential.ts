import type { Kernel, Tenant, TenantTransaction } from '@weir/kernel';
import { credentialProblems, sourceProblems } from '../../contract.ts';
import { placeDigest } from '../../model/config/config-places.ts';
import type { CredentialRow } from '../../model/credential/entity.ts';
import { applyValues, credentialsIn, withValues } from '../../model/credential/read-values.ts';
import { DiscoveryEntity } from '../../model/discovery/entity.ts';
import type { Pattern } from '../../model/pattern/pattern-file.ts';
import { DISCOVERY_KIND } from '../../model/run-kinds.ts';
import { usableCredential, type Wanted } from '../vault/rows.ts';
import { discoveryPlace } from '../vault/stored-at.ts';
import { storedValues } from '../vault/vault-access.ts';

/** How a request gives credentials. */
export interface CredentialInput {
  credential_values?: Record<string, unknown>;
  credential_name?: string;
  credential_ref?: string;
  /** A discovery whose credentials are taken over. */
  workflow_id?: string;
}

/** What a request gives, once it is known to be one thing. */
export type GivenCredential =
  | { kind: 'none' }
  /** New values, to be put into a configuration. */
  | { kind: 'values'; name: string | undefined; apply(config: Record<string, unknown>): Record<string, unknown> }
  /** A credential that is there; `find` throws when a source of this configuration cannot use it. */
  | { kind: 'existing'; find: FindCredential };

type FindCredential = (
  tx: TenantTransaction,
  config: Record<string, unknown>,
  options?: { lock?: boolean },
) => Promise<CredentialRow>;

/**
 * Reads how a request gives credentials. Throws `credential_input_conflict` for two ways at once or a name without values,
 * `credential_mode_unsupported` for what credentials that are kept inline do not have, and `discovery_not_usable`.
 */
export async function givenCredential(
  kernel: Kernel,
  tenant: Tenant,
  { input, pattern }: { input: CredentialInput; pattern: Pattern },
): Promise<GivenCredential> {
  const { credential_values: values, credential_name: name, credential_ref: ref, workflow_id: workflow } = input;
  const ways = [values, ref, workflow].filter((way) => way !== undefined).length;
  if (ways > 1 || (name !== undefined && (ref !== undefined || ways === 0))) {
    throw credentialProblems.credentialInputConflict();
  }
  if (kernel.vault.mode === 'legacy_inline' && (ref !== undefined || name !== undefined)) {
    throw credentialProblems.credentialModeUnsupported();
  }
  if (workflow !== undefined) return ofDiscovery(kernel, tenant, { workflow, name, pattern });
  if (ref !== undefined) {
    return existing({ credentialRef: ref }, pattern);
  }
  if (values === undefined) return { kind: 'none' };
  return { kind: 'values', name, apply: (config) => applyValues(config, values, pattern) };
}

/** Throws `source_config_invalid` for credentials in a configuration that are to be given as `credential_values`. */
export function refuseCredentialsIn(config: Record<string, unknown> | undefined, pattern: Pattern): void {
  const found = config === undefined ? [] : credentialsIn(config, pattern);
  if (found.length === 0) return;
  const errors = found.map((pointer) => ({ pointer: `/source_config${pointer}`, code: 'credential_field' }));
  throw sourceProblems.sourceConfigInvalid({ errors });
}

interface OfDiscovery {
  workflow: string;
  name: string | undefined;
  pattern: Pattern;
}

/** What a discovery of a configuration that was no source yet was given, as long as it is kept. */
async function ofDiscovery(
  kernel: Kernel,
  tenant: Tenant,
  { workflow, name, pattern }: OfDiscovery,
): Promise<GivenCredential> {
  const run = await kernel.runs.find(tenant, workflow, DISCOVERY_KIND.kind);
  const row = run && (await kernel.db(tenant).transaction((tx) => tx.findOne(DiscoveryEntity, { runId: run.runId })));
  const { discoveryId = '', sealed, credentialId } = row ?? {};
  const isKept = row?.expiresAt !== undefined && row.expiresAt !== null && row.expiresAt > new Date();
  if (row === undefined || !isKept || row.patternId !== pattern.id || !(sealed || credentialId)) {
    throw sourceProblems.discoveryCredentialsGone();
  }
  if (credentialId) {
    if (name !== undefined) throw credentialProblems.credentialInputConflict();
    return existing({ credentialId }, pattern);
  }
  const place = discoveryPlace(tenant, discoveryId);
  const values = await storedValues(kernel, tenant, { place, sealed: sealed ?? undefined, credential: undefined });
  const apply = (config: Record<string, unknown>) => {
    if (placeDigest(config, pattern) !== row.place) throw credentialProblems.credentialsRequired();
    return withValues(config, values);
  };
  return { kind: 'values', name, apply };
}

function existing(key: Wanted['key'], pattern: Pattern): GivenCredential {
  const find: FindCredential = (tx, config, options) =>
    usableCredential(tx, { key, pattern, place: placeDigest(config, pattern) }, options);
  return { kind: 'existing', find };
}
