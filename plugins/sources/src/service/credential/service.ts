import { type Kernel, type PageOrders, requireMatch, type Tenant, type TenantTransaction } from '@weir/kernel';
import { type Input, kernelProblems } from '@weir/kernel/contract';
import {
  type CredentialView,
  credentialProblems,
  type listCredentials,
  type migrateCredentials as migrateCredentialsRoute,
  type rotateCredentials,
  type setCredentials,
} from '../../contract.ts';
import { placeDigest } from '../../model/config/config-places.ts';
import { CredentialEntity, type CredentialRow } from '../../model/credential/entity.ts';
import { applyValues, splitConfig, withValues } from '../../model/credential/read-values.ts';
import { credentialView } from '../../model/credential/view.ts';
import { checkConfig } from '../../model/pattern/check-config.ts';
import type { Pattern } from '../../model/pattern/pattern-file.ts';
import type { SourceRow } from '../../model/source/entity.ts';
import type { PatternUser, Sql } from '../pattern/catalog.ts';
import { liveSource } from '../row/live-source.ts';
import { attach, credentialOf, detach, referenceCount, referenceCounts, refuseTakenName } from '../vault/rows.ts';
import { requireStore } from '../vault/vault-access.ts';
import { givenCredential } from './given-credential.ts';
import { holdsCredentials, migrateCredentials } from './migrate-credentials.ts';
import { onlyUse, storeNew, storeNext, type Use, useExisting } from './store-credential.ts';

const ORDERS: PageOrders = { orders: { name: 'name', rotated_at: 'rotatedAt' }, first: 'name', id: 'credentialId' };

export interface CredentialDeps {
  kernel: Kernel;
  /** The pattern of a source; throws when it is not known here. */
  patternOf(row: PatternUser, sql?: Sql): Promise<Pattern>;
}

const view = async (tx: TenantTransaction, row: CredentialRow): Promise<CredentialView> =>
  credentialView(row, await referenceCount(tx, row.credentialId));

/** The life of credentials in the secret store. Where credentials are kept inline every call is refused before it looks. */
export function credentialService({ kernel, patternOf }: CredentialDeps) {
  /** A source that has a credential in the store. */
  const attached = async (tx: TenantTransaction, sourceId: string) => {
    const source = await liveSource(tx, sourceId);
    const credential = await credentialOf(tx, source);
    if (credential === undefined) throw credentialProblems.credentialNotAttached();
    return { source, credential };
  };
  return {
    /** What may be known of the credentials of the tenant, by keyset page. */
    async list(tenant: Tenant, query: Input<typeof listCredentials>['query']) {
      requireStore(kernel.vault);
      const { status, ...request } = query;
      return kernel.db(tenant).transaction(async (tx) => {
        const where = status === undefined ? {} : { status };
        const { items, next_page_token } = await tx.page(CredentialEntity, where, request, ORDERS);
        const ids = items.map(({ credentialId }) => credentialId);
        const counts = await referenceCounts(tx, ids);
        const views = items.map((row) => credentialView(row, counts.get(row.credentialId) ?? 0));
        return { items: views, next_page_token, total: null };
      });
    },

    /** What may be known of the credential of a source. */
    async get(tenant: Tenant, sourceId: string): Promise<CredentialView> {
      requireStore(kernel.vault);
      return kernel.db(tenant).transaction(async (tx) => view(tx, (await attached(tx, sourceId)).credential));
    },

    /** Gives a source that has none a new credential, or one that is there. */
    async set(tenant: Tenant, sourceId: string, body: Input<typeof setCredentials>['body']): Promise<CredentialView> {
      requireStore(kernel.vault);
      const source = await kernel
        .db(tenant)
        .transaction(async (tx) => withoutCredential(await liveSource(tx, sourceId)));
      const pattern = await patternOf(source);
      const given = await givenCredential(kernel, tenant, { input: body, pattern });
      const use: Use<SourceRow, CredentialView> = {
        lock: async (tx) => unchanged(withoutCredential(await liveSource(tx, sourceId, { lock: true })), source),
        async use(tx, credential, row) {
          await attach(tx, row, credential, { patternVersion: pattern.version });
          return view(tx, credential);
        },
      };
      if (given.kind === 'existing') {
        const check = (values: Parameters<typeof withValues>[1]) =>
          checkConfig(pattern, withValues(source.sourceConfig, values));
        return useExisting(kernel, tenant, { find: (tx) => given.find(tx, source.sourceConfig), check }, use);
      }
      if (given.kind === 'none') throw credentialProblems.credentialInputConflict();
      const full = given.apply(source.sourceConfig);
      checkConfig(pattern, full);
      const { values } = splitConfig(full, pattern);
      const place = placeDigest(source.sourceConfig, pattern);
      return storeNew(kernel, tenant, { values, name: given.name, pattern, place }, use);
    },

    /** Writes the next version of the credential of a source. No row changes but the credential's own. */
    async rotate(
      tenant: Tenant,
      sourceId: string,
      { body, ifMatch }: { body: Input<typeof rotateCredentials>['body']; ifMatch: string | undefined },
    ): Promise<CredentialView> {
      requireStore(kernel.vault);
      const found = await kernel.db(tenant).transaction((tx) => attached(tx, sourceId));
      const { source, credential } = found;
      requireMatch(ifMatch, String(credential.version));
      const pattern = await patternOf(source);
      const full = applyValues(source.sourceConfig, body.credential_values, pattern);
      const place = placeDigest(source.sourceConfig, pattern);
      checkConfig(pattern, full);
      const { values } = splitConfig(full, pattern);
      return storeNext(kernel, tenant, { credential, values, pattern, place }, onlyUse(view));
    },

    /** Takes the credential of a source away; neither it nor what the store holds is deleted. */
    async detach(tenant: Tenant, sourceId: string): Promise<undefined> {
      requireStore(kernel.vault);
      await kernel.db(tenant).transaction(async (tx) => {
        const source = await liveSource(tx, sourceId, { lock: true });
        if (!source.credentialId) throw credentialProblems.credentialNotAttached();
        await detach(tx, source);
      });
      return undefined;
    },

    /** Moves the credential of one source from the database into the secret store. */
    async migrate(
      tenant: Tenant,
      sourceId: string,
      { credential_name: name }: Input<typeof migrateCredentialsRoute>['body'],
    ): Promise<CredentialView> {
      requireStore(kernel.vault);
      const source = await kernel.db(tenant).transaction((tx) => liveSource(tx, sourceId));
      if (source.credentialId) throw credentialProblems.credentialAttached();
      if (!(await holdsCredentials(source, patternOf))) throw credentialProblems.credentialNotAttached();
      const moving = { tenant, source, name: name ?? source.name };
      await kernel.db(tenant).transaction((tx) => refuseTakenName(tx, moving.name));
      await migrateCredentials({ kernel, patternOf }, [moving]);
      return kernel.db(tenant).transaction(async (tx) => view(tx, (await attached(tx, sourceId)).credential));
    },

    /** Refuses a credential for ever, once nothing refers to it; revoking it again changes nothing. */
    async revoke(tenant: Tenant, credentialRef: string): Promise<CredentialView> {
      requireStore(kernel.vault);
      return kernel.db(tenant).transaction(async (tx) => {
        const row = await tx.findOne(CredentialEntity, { credentialRef }, { lock: true });
        if (row === undefined) throw kernelProblems.notFound();
        const count = await referenceCount(tx, row.credentialId);
        if (count > 0) {
          throw credentialProblems.credentialInUse({
            values: { reference_count: count },
            members: { reference_count: count },
          });
        }
        return view(tx, row.status === 'revoked' ? row : await tx.update(row, { status: 'revoked' }));
      });
    },
  };
}

function withoutCredential(source: SourceRow): SourceRow {
  if (source.credentialId || source.sealed) throw credentialProblems.credentialAttached();
  return source;
}

/** A source as it was when its credential was checked against its configuration. */
function unchanged(row: SourceRow, { version }: SourceRow): SourceRow {
  if (row.version !== version) throw kernelProblems.conflict();
  return row;
}
