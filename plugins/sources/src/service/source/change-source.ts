import { type Kernel, mergePatch, requireMatch, type Tenant, type TenantTransaction } from '@weir/kernel';
import { type Input, kernelProblems, Problem } from '@weir/kernel/contract';
import { type SecretValues, sameValues } from '@weir/vault';
import { credentialProblems, sourceProblems, type startDiscovery, type updateSource } from '../../contract.ts';
import { changedPlaces, placeDigest } from '../../model/config/config-places.ts';
import { pointerMatcher } from '../../model/config/walk-config.ts';
import type { CredentialRow } from '../../model/credential/entity.ts';
import { keepValues, type SplitConfig, splitConfig, withValues } from '../../model/credential/read-values.ts';
import { checkConfig } from '../../model/pattern/check-config.ts';
import type { Pattern } from '../../model/pattern/pattern-file.ts';
import type { SourceRow } from '../../model/source/entity.ts';
import { type GivenCredential, givenCredential, refuseCredentialsIn } from '../credential/given-credential.ts';
import { storeNew, storeNext, type Use, useExisting } from '../credential/store-credential.ts';
import type { ConfigAfter } from '../discovery/service.ts';
import type { PatternCatalog } from '../pattern/catalog.ts';
import { liveSource } from '../row/live-source.ts';
import { allowSealing } from '../vault/cutover.ts';
import { attach, credentialOf, detach, referenceCount } from '../vault/rows.ts';
import { sourcePlace } from '../vault/stored-at.ts';
import { storedValues } from '../vault/vault-access.ts';
import { sealedFor } from './create-source.ts';

export type SourcePatch = Input<typeof updateSource>['body'];

export interface ChangeRequest {
  sourceId: string;
  patch: SourcePatch;
  ifMatch: string | undefined;
}

interface Deps {
  kernel: Kernel;
  patterns: Pick<PatternCatalog, 'find' | 'ofKnown'>;
}

type Config = Record<string, unknown>;
type Done<R> = (tx: TenantTransaction, row: SourceRow) => Promise<R>;

/** How often a change begins again when the source was changed while it was worked out. */
const MAX_ATTEMPTS = 5;

/**
 * Changes a source by a merge patch. Credentials stay through it, unless it names them, or moves the source to a version of
 * its pattern in which they are none. The change is worked out without a lock, as the secret store may be asked, and made
 * only to the source that it was worked out for. Whatever is changed is held to one version from then on.
 */
export async function changeSource<R>(deps: Deps, tenant: Tenant, request: ChangeRequest, done: Done<R>): Promise<R> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await changeOnce(deps, tenant, request, done);
    } catch (error) {
      const isRace = error instanceof Problem && error.code === kernelProblems.conflict.entry.code;
      if (!isRace || attempt >= MAX_ATTEMPTS || request.ifMatch !== undefined) throw error;
    }
  }
}

/** A source as the change of it was worked out for. */
interface Found {
  row: SourceRow;
  credential: CredentialRow | undefined;
}

async function changeOnce<R>(deps: Deps, tenant: Tenant, request: ChangeRequest, done: Done<R>): Promise<R> {
  const { kernel } = deps;
  const { sourceId, ifMatch } = request;
  const { name, source_config: config, pattern_version: version, ...input } = request.patch;
  const named = name === undefined ? {} : { name };
  if (config === undefined && version === undefined && Object.keys(input).length === 0) {
    return kernel.db(tenant).transaction(async (tx) => {
      const row = await liveSource(tx, sourceId, { lock: true });
      requireMatch(ifMatch, String(row.version));
      return done(tx, name === undefined ? row : await changed(tx, row, named));
    });
  }
  const found = await kernel.db(tenant).transaction(async (tx): Promise<Found> => {
    const row = await liveSource(tx, sourceId);
    return { row, credential: await credentialOf(tx, row) };
  });
  requireMatch(ifMatch, String(found.row.version));
  const lock = async (tx: TenantTransaction) => {
    const row = await liveSource(tx, sourceId, { lock: true });
    if (row.version !== found.row.version || (row.credentialId ?? null) !== (found.row.credentialId ?? null)) {
      throw kernelProblems.conflict();
    }
    return row;
  };
  const pattern = await wantedPattern(deps, found.row, version);
  const given = await givenCredential(kernel, tenant, { input, pattern });
  const work = { ...found, pattern, given, config, lock, named: { ...named, patternVersion: pattern.version } };
  const { mode } = kernel.vault;
  return mode === 'legacy_inline' || found.row.sealed
    ? changeInline(kernel, tenant, work, done)
    : changeStored(kernel, tenant, work, done);
}

/** What a source runs with, or the version that it is to move to: that is the one in force, and no other. */
async function wantedPattern({ patterns }: Deps, row: SourceRow, version: string | undefined): Promise<Pattern> {
  if (version === undefined) return patterns.ofKnown(row);
  const standing = await patterns.find(row.patternId);
  if (standing?.pattern.version !== version)
    throw sourceProblems.patternVersionNotInForce({ values: { pattern_id: row.patternId } });
  return standing.pattern;
}

type Tried = 'source_config' | 'credential_values';

/** Works out a change without making it. Throws as the change does. */
export async function configAfter(
  { kernel, patterns }: Deps,
  tenant: Tenant,
  { sourceId, patch }: { sourceId: string; patch: Pick<Input<typeof startDiscovery>['body'], Tried> },
): Promise<ConfigAfter> {
  const found = await kernel.db(tenant).transaction(async (tx): Promise<Found> => {
    const row = await liveSource(tx, sourceId);
    return { row, credential: await credentialOf(tx, row) };
  });
  const { source_config: config, credential_values: typed } = patch;
  const input = typed === undefined ? {} : { credential_values: typed };
  const pattern = await patterns.ofKnown(found.row);
  const given = await givenCredential(kernel, tenant, { input, pattern });
  if (kernel.vault.mode === 'secret_store') {
    if (found.row.sealed && given.kind !== 'none') throw credentialProblems.credentialAttached();
    if (!found.row.sealed) refuseCredentialsIn(config, pattern);
  }
  const work = { ...found, pattern, given, config };
  const { stored, patched } = await patchedConfig(kernel, tenant, work);
  const full = given.kind === 'values' ? given.apply(patched) : patched;
  refuseMoved(work, stored, full);
  checkConfig(pattern, full);
  const split = splitConfig(full, pattern);
  const isKept = found.credential !== undefined && isSame(stored, split);
  return {
    pattern,
    visible: split.visible,
    values: isKept ? new Map() : split.values,
    credential: isKept ? found.credential : undefined,
  };
}

type Planned = Omit<Work, 'lock' | 'named'>;

interface Work extends Found {
  pattern: Pattern;
  given: GivenCredential;
  /** The merge patch of the configuration. */
  config: Record<string, unknown> | undefined;
  lock(tx: TenantTransaction): Promise<SourceRow>;
  named: { name?: string; patternVersion: string };
}

/** The configuration with its credentials as the patch leaves it, before new values are put in. */
async function patchedConfig(kernel: Kernel, tenant: Tenant, { row, credential, config, pattern }: Planned) {
  const place = sourcePlace(tenant, row.sourceId);
  const stored = await storedValues(kernel, tenant, { place, sealed: row.sealed ?? undefined, credential });
  // A value that was a credential does not come to light in a version where its field is none: it is given again.
  const isCredential = row.patternVersion === pattern.version ? () => true : pointerMatcher(pattern.credentialFields);
  const kept = new Map(Array.from(stored ?? []).filter(([pointer]) => isCredential(pointer)));
  const before = withValues(row.sourceConfig, kept);
  const isLess = kept.size < (stored?.size ?? 0);
  if (config === undefined) return { stored, isLess, patched: before };
  return {
    stored,
    isLess,
    patched: keepValues(before, mergePatch(before, config) as Record<string, unknown>, pattern),
  };
}

async function changeInline<R>(kernel: Kernel, tenant: Tenant, work: Work, done: Done<R>): Promise<R> {
  const { row, pattern, given, lock, named } = work;
  if (kernel.vault.mode === 'secret_store' && given.kind !== 'none') throw credentialProblems.credentialAttached();
  const { stored, patched } = await patchedConfig(kernel, tenant, work);
  const full = given.kind === 'values' ? given.apply(patched) : patched;
  refuseMoved(work, stored, full);
  checkConfig(pattern, full);
  const split = splitConfig(full, pattern);
  const sealed = isSame(stored, split) ? row.sealed : sealedFor(kernel, tenant, row.sourceId, split);
  return kernel.db(tenant).transaction(async (tx) => {
    if (sealed && sealed !== row.sealed) await allowSealing(kernel, tx);
    const changes = { ...named, sourceConfig: split.visible, sealed: sealed ?? null };
    return done(tx, await changed(tx, await lock(tx), changes));
  });
}

async function changeStored<R>(kernel: Kernel, tenant: Tenant, work: Work, done: Done<R>): Promise<R> {
  const { credential, pattern, given, config, lock, named } = work;
  refuseCredentialsIn(config, pattern);
  const { stored, isLess, patched } = await patchedConfig(kernel, tenant, work);
  const own = splitConfig(patched, pattern);
  const replacing = (visible: Record<string, unknown>): Use<SourceRow, R> => ({
    lock,
    use: async (tx, next, row) => done(tx, await attach(tx, row, next, { ...named, sourceConfig: visible })),
  });
  if (given.kind === 'existing') {
    const check = (values: SecretValues) => checkConfig(pattern, withValues(own.visible, values));
    return useExisting(kernel, tenant, { find: (tx) => given.find(tx, own.visible), check }, replacing(own.visible));
  }
  const full = given.kind === 'values' ? given.apply(patched) : patched;
  const isMoved = refuseMoved(work, stored, full);
  checkConfig(pattern, full, { withoutCredentials: given.kind === 'none' && credential === undefined });
  const split = splitConfig(full, pattern);
  const { values, visible } = split;
  const changes = { ...named, sourceConfig: visible };
  // What stood in the open until now can be a credential of this version.
  const isMore = Array.from(values.keys()).some((pointer) => !stored?.has(pointer));
  if (!isLess && ((given.kind === 'none' && !isMore) || (!isMoved && isSame(stored, split)))) {
    return kernel.db(tenant).transaction(async (tx) => done(tx, await changed(tx, await lock(tx), changes)));
  }
  if (isLess && values.size === 0) {
    return kernel.db(tenant).transaction(async (tx) => done(tx, await detach(tx, await lock(tx), changes)));
  }
  const name = given.kind === 'values' ? given.name : undefined;
  const place = placeDigest(visible, pattern);
  // Others that share the credential may need what this source needs no more, and stay where they are.
  const isNamed = credential !== undefined && (name === undefined || name === credential.name);
  const isNext = isNamed && !isLess && !(isMoved && (await isShared(kernel, tenant, credential)));
  if (isNext) return storeNext(kernel, tenant, { credential, values, pattern, place }, replacing(visible));
  return storeNew(kernel, tenant, { values, name, pattern, place }, replacing(visible));
}

/** Whether a change leads to another place. Throws `credentials_required` when stored credentials would follow it there. */
function refuseMoved(
  { row, pattern, config, given }: Planned,
  stored: SecretValues | undefined,
  full: Config,
): boolean {
  const after = splitConfig(full, pattern);
  const moved = changedPlaces(row.sourceConfig, after.visible, pattern);
  if (moved.length === 0) return false;
  const patched = config === undefined ? row.sourceConfig : (mergePatch(row.sourceConfig, config) as Config);
  const anew = splitConfig(given.kind === 'values' ? given.apply(patched) : patched, pattern);
  if ((stored?.size ?? 0) > 0 && !sameValues(anew.values, after.values)) {
    const errors = moved.map((pointer) => ({ pointer: `/source_config${pointer}`, code: 'place_changed' }));
    throw credentialProblems.credentialsRequired({ errors });
  }
  return true;
}

function isShared(kernel: Kernel, tenant: Tenant, { credentialId }: CredentialRow): Promise<boolean> {
  return kernel.db(tenant).transaction(async (tx) => (await referenceCount(tx, credentialId)) > 1);
}

function isSame(stored: SecretValues | undefined, { values }: SplitConfig): boolean {
  return sameValues(stored ?? new Map(), values);
}

function changed(tx: TenantTransaction, row: SourceRow, changes: Partial<SourceRow>): Promise<SourceRow> {
  return tx.update(row, { ...changes, version: row.version + 1, updatedAt: new Date() });
}
