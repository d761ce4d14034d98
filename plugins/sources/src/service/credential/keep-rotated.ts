import { faultpoint, type Kernel, type Tenant, type TenantTransaction } from '@weir/kernel';
import { type SealPlace, VaultError } from '@weir/vault';
import { RunFailed } from '@weir/work';
import { splitConfig, withValues } from '../../model/credential/read-values.ts';
import { applyRotation, type Rotation, rotationOf } from '../../model/credential/rotated-values.ts';
import { DiscoveryEntity } from '../../model/discovery/entity.ts';
import { credentialTag } from '../../model/discovery/seen.ts';
import { sourceFailure } from '../../model/failure/failure.ts';
import { checkConfig } from '../../model/pattern/check-config.ts';
import type { Pattern } from '../../model/pattern/pattern-file.ts';
import { carrySeenCredential } from '../row/last-seen.ts';
import { liveSource } from '../row/live-source.ts';
import { insertRotation } from '../vault/rotation-rows.ts';
import { discoveryPlace, sourcePlace } from '../vault/stored-at.ts';
import { requireSealer } from '../vault/vault-access.ts';

/** A configuration that a connector reports is no larger than one that it is given may be. */
const MAX_CONFIG_BYTES = 1024 * 1024;

/** Whose credentials they are: those of a source, or of a configuration that is none yet, in the row of its discovery. */
export type RotationOwner = { sourceId: string } | { discoveryRunId: string };

export type KeeperOptions = RotationOwner & {
  tenant: Tenant;
  pattern: Pattern;
  /** The configuration that the connector was given, with its credentials and without the manifest of its pattern. */
  config: Readonly<Record<string, unknown>>;
};

/** How many credential fields were kept, and how many other fields were reported otherwise and left. */
export interface KeptRotation {
  kept: number;
  ignored: number;
}

/**
 * Makes what keeps the credentials that the connector of one attempt renews (CONTROL, `CONNECTOR_CONFIG`): each call resolves
 * once they cannot be lost any more, one after the other. Kept inline they are sealed in the row of the source, or of the
 * discovery of what is no source yet; where the secret store keeps them this process may only read it, so they wait sealed for the one that writes, and count from now on.
 * Throws `RunFailed` with `rotated_credential_not_kept`, whatever the reason: a renewed token often counts once.
 */
export function rotationKeeper(kernel: Pick<Kernel, 'db' | 'vault' | 'log'>, options: KeeperOptions) {
  let given = options.config;
  let last: Promise<unknown> = Promise.resolve();

  const keep = async (reported: unknown): Promise<KeptRotation> => {
    try {
      const config = asConfig(reported);
      const rotation = rotationOf(given, config, options.pattern);
      if (rotation.next.size > 0) {
        const full = withValues(given, rotation.next);
        checkConfig(options.pattern, full);
        await keepIn(kernel, options, rotation);
        given = full;
      }
      const told = { kept: rotation.next.size, ignored: rotation.ignored };
      kernel.log.info({ ...named(options), ...told }, 'a connector renewed credentials');
      return told;
    } catch (cause) {
      const code = cause instanceof VaultError ? cause.code : (cause as { code?: string }).code;
      kernel.log.error({ ...named(options), code }, 'credentials that a connector renewed could not be kept');
      throw new RunFailed(sourceFailure('rotated_credential_not_kept'), { cause });
    }
  };
  return (reported: unknown): Promise<KeptRotation> => {
    const kept = last.then(() => keep(reported));
    last = kept.catch(() => undefined);
    return kept;
  };
}

function asConfig(reported: unknown): Record<string, unknown> {
  const isObject = typeof reported === 'object' && reported !== null && !Array.isArray(reported);
  if (!isObject || JSON.stringify(reported).length > MAX_CONFIG_BYTES) throw new Error('no configuration');
  return reported as Record<string, unknown>;
}

function named(owner: RotationOwner): { source_id: string } | { run_id: string } {
  return 'sourceId' in owner ? { source_id: owner.sourceId } : { run_id: owner.discoveryRunId };
}

async function keepIn(
  { db, vault }: Pick<Kernel, 'db' | 'vault'>,
  options: KeeperOptions,
  rotation: Rotation,
): Promise<void> {
  const { tenant, pattern } = options;
  await db(tenant).transaction(async (tx) => {
    const holder = await holderOf(tx, options);
    if (holder.credentialId) {
      await insertRotation(tx, vault, { sourceId: holder.sourceId, credentialId: holder.credentialId, rotation });
    } else {
      await sealIn(vault, { holder, pattern, rotation });
    }
    await faultpoint('C5');
  });
  await faultpoint('C6');
}

/** The row that holds credentials, locked. */
interface Holder {
  sourceId: string | null;
  credentialId: string | null | undefined;
  sealed: string | null | undefined;
  config: Readonly<Record<string, unknown>>;
  place: SealPlace;
  write(sealed: string): Promise<unknown>;
}

/** Throws when it holds none any more: whoever took them from it has them as they were. */
async function holderOf(tx: TenantTransaction, owner: RotationOwner): Promise<Holder> {
  if ('sourceId' in owner) {
    const source = await liveSource(tx, owner.sourceId, { lock: true });
    // The version of the source counts on, so that whoever is changing it just now begins again with these.
    const write = async (sealed: string) => {
      const { tenantId } = tx.tenant;
      await carrySeenCredential(tx, { tenantId, before: credentialTag(source), after: credentialTag({ sealed }) });
      await tx.update(source, { sealed, version: source.version + 1, updatedAt: new Date() });
    };
    return { ...source, config: source.sourceConfig, place: sourcePlace(tx.tenant, source.sourceId), write };
  }
  const row = await tx.findOne(DiscoveryEntity, { runId: owner.discoveryRunId }, { lock: true });
  if (!row?.sourceConfig || !(row.sealed || row.credentialId)) throw new Error('the discovery holds no credentials');
  const { sourceConfig: config, discoveryId, sealed, credentialId } = row;
  const write = (text: string) => tx.update(row, { sealed: text });
  return { sourceId: null, credentialId, sealed, config, place: discoveryPlace(tx.tenant, discoveryId), write };
}

interface Sealing {
  holder: Holder;
  pattern: Pattern;
  rotation: Rotation;
}

async function sealIn(vault: Kernel['vault'], { holder, pattern, rotation }: Sealing): Promise<void> {
  const { sealed, config, place } = holder;
  const sealer = requireSealer(vault);
  const values = applyRotation(sealed ? sealer.open(sealed, place) : undefined, rotation);
  if (values === undefined) return;
  const { values: all } = splitConfig(withValues(config, values), pattern);
  await holder.write(sealer.seal(all, place));
}

/**
 * Keeps what the connector of one attempt renews while the attempt goes on; `kept` resolves once all of it is, and throws what
 * the first throws that was not.
 */
export function keepRotations(kernel: Pick<Kernel, 'db' | 'vault' | 'log'>, options: KeeperOptions) {
  const keep = rotationKeeper(kernel, options);
  let failure: unknown;
  let last: Promise<unknown> = Promise.resolve();
  return {
    take(config: unknown): void {
      last = keep(config).catch((error: unknown) => {
        failure ??= error;
      });
    },
    async kept(): Promise<void> {
      await last;
      if (failure !== undefined) throw failure;
    },
  };
}
