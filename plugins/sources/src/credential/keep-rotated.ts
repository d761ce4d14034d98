import { faultpoint, type Kernel, type Tenant, type TenantTransaction } from '@weir/kernel';
import { VaultError } from '@weir/vault';
import { checkConfig } from '../config/check-config.ts';
import type { Pattern } from '../pattern/pattern-file.ts';
import { liveSource } from '../source/live-source.ts';
import { RunFailed, sourceFailure } from '../sync/failure.ts';
import { splitConfig, withValues } from './read-values.ts';
import { applyRotation, type Rotation, rotationOf } from './rotated-values.ts';
import { insertRotation } from './rotation-rows.ts';
import { sourcePlace } from './stored-at.ts';
import { requireSealer } from './vault-access.ts';

/** A configuration that a connector reports is no larger than one that it is given may be. */
const MAX_CONFIG_BYTES = 1024 * 1024;

export interface KeeperOptions {
  tenant: Tenant;
  sourceId: string;
  pattern: Pattern;
  /** JSON text of the configuration that the connector was given, with its credentials. */
  config: string;
}

/** How many credential fields were kept, and how many other fields were reported otherwise and left. */
export interface KeptRotation {
  kept: number;
  ignored: number;
}

/**
 * Makes what keeps the credentials that the connector of one attempt renews (CONTROL, `CONNECTOR_CONFIG`): each call resolves
 * once they cannot be lost any more, one after the other. Kept inline they are sealed in the row of the source; where the
 * secret store keeps them this process may only read it, so they wait sealed for the one that writes, and count from now on.
 * Throws `RunFailed` with `rotated_credential_not_kept`, whatever the reason: a renewed token often counts once.
 */
export function rotationKeeper(kernel: Pick<Kernel, 'db' | 'vault' | 'log'>, options: KeeperOptions) {
  let given = JSON.parse(options.config) as Record<string, unknown>;
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
      kernel.log.info({ source_id: options.sourceId, ...told }, 'a connector renewed credentials');
      return told;
    } catch (cause) {
      const code = cause instanceof VaultError ? cause.code : (cause as { code?: string }).code;
      kernel.log.error({ source_id: options.sourceId, code }, 'credentials that a connector renewed could not be kept');
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

async function keepIn(
  { db, vault }: Pick<Kernel, 'db' | 'vault'>,
  { tenant, sourceId, pattern }: KeeperOptions,
  rotation: Rotation,
): Promise<void> {
  await db(tenant).transaction(async (tx) => {
    const source = await liveSource(tx, sourceId, { lock: true });
    if (source.credentialId) {
      await insertRotation(tx, vault, { sourceId, credentialId: source.credentialId, rotation });
    } else {
      await sealIn(tx, vault, { source, pattern, rotation });
    }
    await faultpoint('C5');
  });
  await faultpoint('C6');
}

interface Sealing {
  source: Awaited<ReturnType<typeof liveSource>>;
  pattern: Pattern;
  rotation: Rotation;
}

/** The version of the source counts on, so that whoever is changing it just now begins again with these. */
async function sealIn(
  tx: TenantTransaction,
  vault: Kernel['vault'],
  { source, pattern, rotation }: Sealing,
): Promise<void> {
  const sealer = requireSealer(vault);
  const place = sourcePlace(tx.tenant, source.sourceId);
  const values = applyRotation(source.sealed ? sealer.open(source.sealed, place) : undefined, rotation);
  if (values === undefined) return;
  const { values: all } = splitConfig(withValues(source.sourceConfig, values), pattern);
  const changes = { sealed: sealer.seal(all, place), version: source.version + 1, updatedAt: new Date() };
  await tx.update(source, changes);
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
