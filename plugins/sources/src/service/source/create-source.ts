import type { Kernel, Tenant, TenantTransaction } from '@weir/kernel';
import type { Input } from '@weir/kernel/contract';
import { v7 as uuidv7 } from 'uuid';
import type { createSource } from '../../contract.ts';
import { placeDigest } from '../../model/config/config-places.ts';
import type { CredentialRow } from '../../model/credential/entity.ts';
import { type SplitConfig, splitConfig, withValues } from '../../model/credential/read-values.ts';
import { checkConfig } from '../../model/pattern/check-config.ts';
import type { Pattern } from '../../model/pattern/pattern-file.ts';
import { SourceEntity, type SourceRow } from '../../model/source/entity.ts';
import { givenCredential, refuseCredentialsIn } from '../credential/given-credential.ts';
import { onlyUse, storeNew, useExisting } from '../credential/store-credential.ts';
import { shredDiscovery } from '../discovery/shred-discovery.ts';
import { allowSealing } from '../vault/cutover.ts';
import { activate } from '../vault/rows.ts';
import { sourcePlace } from '../vault/stored-at.ts';
import { requireSealer } from '../vault/vault-access.ts';

export type NewSource = Input<typeof createSource>['body'];

/** Seals the credentials of a source that are kept inline; undefined when it has none. */
export function sealedFor(kernel: Kernel, tenant: Tenant, sourceId: string, { values }: SplitConfig) {
  return values.size === 0 ? undefined : requireSealer(kernel.vault).seal(values, sourcePlace(tenant, sourceId));
}

/**
 * Makes a source in `draft`, its configuration and its credentials apart: sealed in its row, or in the secret store. There a
 * source may be made first and get its credential later. `done` ends the transaction that makes it.
 */
export async function makeSource<R>(
  { kernel, pattern }: { kernel: Kernel; pattern: Pattern },
  tenant: Tenant,
  body: NewSource,
  done: (tx: TenantTransaction, row: SourceRow) => Promise<R>,
): Promise<R> {
  const { name, source_config: config, workflow_id: workflowId, ...rest } = body;
  const sourceId = uuidv7();
  const input = { ...rest, ...(workflowId === undefined ? {} : { workflow_id: workflowId }) };
  const given = await givenCredential(kernel, tenant, { input, pattern });
  const insert = async (tx: TenantTransaction, visible: Record<string, unknown>, kept: Kept = {}): Promise<R> => {
    if (workflowId !== undefined) await shredDiscovery(tx, workflowId);
    if (kept.credential !== undefined) await activate(tx, kept.credential);
    const given = name ?? (await freeName(tx, pattern.id));
    return done(tx, await insertSource(tx, { sourceId, name: given, pattern, visible, kept }));
  };
  if (kernel.vault.mode === 'legacy_inline') {
    const full = given.kind === 'values' ? given.apply(config) : config;
    checkConfig(pattern, full);
    const split = splitConfig(full, pattern);
    const sealed = sealedFor(kernel, tenant, sourceId, split);
    return kernel.db(tenant).transaction(async (tx) => {
      if (sealed !== undefined) await allowSealing(kernel, tx);
      return insert(tx, split.visible, { sealed });
    });
  }
  refuseCredentialsIn(config, pattern);
  if (given.kind === 'existing') {
    const check = (values: SplitConfig['values']) => checkConfig(pattern, withValues(config, values));
    const use = onlyUse((tx, credential) => insert(tx, config, { credential }));
    return useExisting(kernel, tenant, { find: (tx) => given.find(tx, config), check }, use);
  }
  if (given.kind === 'none') {
    checkConfig(pattern, config, { withoutCredentials: true });
    return kernel.db(tenant).transaction((tx) => insert(tx, config));
  }
  const full = given.apply(config);
  checkConfig(pattern, full);
  const { visible, values } = splitConfig(full, pattern);
  const use = onlyUse((tx, credential) => insert(tx, visible, { credential }));
  return storeNew(kernel, tenant, { values, name: given.name, pattern, place: placeDigest(config, pattern) }, use);
}

const MAX_NAME = 63;
/** Room for a dash and a number. */
const MAX_NUMBER = 11;

/** A name that no source of the tenant has: that of the pattern with the lowest number. Others that ask for one wait. */
async function freeName(tx: TenantTransaction, patternId: string): Promise<string> {
  const base = patternId.slice(0, MAX_NAME - MAX_NUMBER);
  const { tenantId } = tx.tenant;
  await tx.sql('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`sources.names/${tenantId}`]);
  const names = 'select name from sources.source where tenant_id = $1 and name like $2';
  const { rows } = await tx.sql(names, [tenantId, `${base}-%`]);
  const taken = new Set(rows.map(({ name }) => name));
  let number = 1;
  while (taken.has(`${base}-${number}`)) number += 1;
  return `${base}-${number}`;
}

/** Where the credentials of a new source lie, if it has any. */
interface Kept {
  sealed?: string | undefined;
  credential?: CredentialRow;
}

interface SourceParts {
  sourceId: string;
  name: string;
  pattern: Pattern;
  visible: Record<string, unknown>;
  kept: Kept;
}

function insertSource(
  tx: TenantTransaction,
  { sourceId, name, pattern, visible, kept }: SourceParts,
): Promise<SourceRow> {
  const now = new Date();
  return tx.insert(SourceEntity, {
    sourceId,
    name,
    patternId: pattern.id,
    patternVersion: pattern.version,
    sourceConfig: visible,
    sealed: kept.sealed ?? null,
    credentialId: kept.credential?.credentialId ?? null,
    image: null,
    status: 'draft',
    version: 1,
    createdAt: now,
    updatedAt: now,
  });
}
