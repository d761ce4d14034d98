import { canonicalSha256, type Kernel, type PageOrders, requireMatch, type TenantTransaction } from '@weir/kernel';
import { type Input, type KnownPrincipal, kernelProblems, type Principal, type Tenant } from '@weir/kernel/contract';
import { v7 as uuidv7 } from 'uuid';
import {
  type clonePolicy,
  type createPolicy,
  type dryRunPolicy,
  identityProblems,
  type listPolicies,
  type listPolicyVersions,
  type PolicyDryRunView,
  type PolicyKindName,
  type PolicyView,
  type updatePolicy,
} from '../contract.ts';
import { PolicyEntity, type PolicyRow, PolicyVersionEntity } from './entity.ts';
import type { PolicyDocumentBody, PolicyKind } from './policy-kind.ts';
import { livePolicy, policyVersion, policyViews, versionView } from './read-policies.ts';

const ORDERS: PageOrders = { orders: { created_at: 'createdAt', name: 'name' }, first: '-created_at', id: 'policyId' };
/** Policies that a tenant keeps, whatever their status. */
const MAX_POLICIES = 500;
const VERSIONS: PageOrders = { orders: { version: 'version' }, first: '-version', id: 'version' };

export interface PolicyDeps extends Pick<Kernel, 'db'> {
  kinds: ReadonlyMap<PolicyKindName, PolicyKind>;
}

interface By {
  caller: KnownPrincipal;
  allowLockout: boolean;
}

/** What can be done with identity policies, whatever their kind. */
export function policyService({ db, kinds }: PolicyDeps) {
  const kindOf = (kind: PolicyKindName) => kinds.get(kind) as PolicyKind;
  /** Does something in a transaction, and lets the kind know once it holds. */
  const change = async <T>(tenant: Tenant, kind: PolicyKindName, work: (tx: TenantTransaction) => Promise<T>) => {
    const done = await db(tenant).transaction(work);
    kindOf(kind).changed?.(tenant);
    return done;
  };
  const admit = async (tx: TenantTransaction, row: PolicyRow, document: PolicyDocumentBody, by: By) => {
    await kindOf(row.kind).admit?.(tx, { policyId: row.policyId, name: row.name, document }, by);
  };
  return {
    /** Throws `policy_invalid`, `policy_name_taken`, and what putting it in force may throw. */
    async create(tenant: Tenant, principal: Principal, body: Input<typeof createPolicy>['body']): Promise<PolicyView> {
      const by = { caller: known(principal), allowLockout: body.allow_lockout ?? false };
      const document = await kindOf(body.kind).validate(tenant, body.document);
      return change(tenant, body.kind, async (tx) => {
        await lockKind(tx, body.kind);
        const row = await insertPolicy(tx, { ...body, status: 'draft', clonedFrom: null });
        await insertVersion(tx, row, { document, note: body.note, createdBy: by.caller.subject });
        if (body.status === 'active') {
          await admit(tx, row, document, by);
          await tx.update(row, { status: 'active' });
        }
        return view(tx, row);
      });
    },

    list(tenant: Tenant, query: Input<typeof listPolicies>['query']) {
      const { kind, status, name, ...request } = query;
      const filters = Object.entries({ kind, status, name }).filter(([, value]) => value !== undefined);
      return db(tenant).transaction(async (tx) => {
        const where = { deletedAt: null, ...Object.fromEntries(filters) };
        const { items, next_page_token } = await tx.page(PolicyEntity, where, request, ORDERS);
        return { items: await policyViews(tx, items), next_page_token, total: null };
      });
    },

    get: (tenant: Tenant, policyId: string): Promise<PolicyView> =>
      db(tenant).transaction(async (tx) => view(tx, await livePolicy(tx, policyId))),

    /** The next version, another status, or both; the same document under the same status changes nothing. */
    async update(
      tenant: Tenant,
      principal: Principal,
      {
        policyId,
        ifMatch,
        body,
      }: { policyId: string; ifMatch: string | undefined; body: Input<typeof updatePolicy>['body'] },
    ): Promise<PolicyView> {
      const by = { caller: known(principal), allowLockout: body.allow_lockout ?? false };
      const { kind } = await db(tenant).transaction((tx) => livePolicy(tx, policyId));
      const document = await kindOf(kind).validate(tenant, body.document);
      return change(tenant, kind, async (tx) => {
        await lockKind(tx, kind);
        const row = await livePolicy(tx, policyId, { lock: true });
        requireMatch(ifMatch, String(row.revision));
        if (row.version !== body.expected_version) throw kernelProblems.conflict();
        const newest = await policyVersion(tx, policyId, row.version);
        const status = body.status ?? row.status;
        const same = newest.digest === canonicalSha256(document);
        if (same && status === row.status) return view(tx, row);
        if (status === 'active') await admit(tx, row, document, by);
        const version = same ? row.version : row.version + 1;
        await tx.update(row, { status, version, revision: row.revision + 1, updatedAt: new Date() });
        if (!same) await insertVersion(tx, row, { document, note: body.note, createdBy: by.caller.subject });
        return view(tx, row);
      });
    },

    /** Throws `policy_in_use` when its kind needs a successor in force and there is none. */
    async remove(tenant: Tenant, policyId: string, ifMatch: string | undefined): Promise<undefined> {
      const { kind } = await db(tenant).transaction((tx) => livePolicy(tx, policyId));
      await change(tenant, kind, async (tx) => {
        await lockKind(tx, kind);
        const row = await livePolicy(tx, policyId, { lock: true });
        requireMatch(ifMatch, String(row.revision));
        if (row.status === 'active' && kindOf(kind).needsSuccessor && !(await hasSuccessor(tx, row)))
          throw identityProblems.policyInUse();
        await tx.update(row, { deletedAt: new Date(), status: 'archived', revision: row.revision + 1 });
      });
      return undefined;
    },

    versions(tenant: Tenant, policyId: string, query: Input<typeof listPolicyVersions>['query']) {
      return db(tenant).transaction(async (tx) => {
        await livePolicy(tx, policyId);
        const { items, next_page_token } = await tx.page(PolicyVersionEntity, { policyId }, query, VERSIONS);
        return { items: items.map(versionView), next_page_token, total: null };
      });
    },

    version: (tenant: Tenant, policyId: string, version: number) =>
      db(tenant).transaction(async (tx) => {
        await livePolicy(tx, policyId);
        return versionView(await policyVersion(tx, policyId, version));
      }),

    /** Copies a version into a draft of the same tenant; a body never chooses another tenant. */
    async clone(tenant: Tenant, principal: Principal, policyId: string, body: Input<typeof clonePolicy>['body']) {
      if (body.tenant !== undefined && body.tenant !== tenant.alias) throw kernelProblems.tenantNotAllowed();
      return db(tenant).transaction(async (tx) => {
        const from = await livePolicy(tx, policyId);
        const { document, version } = await policyVersion(tx, policyId, body.version ?? from.version);
        const clonedFrom = { policy_id: policyId, version };
        const row = await insertPolicy(tx, { name: body.name, kind: from.kind, status: 'draft', clonedFrom });
        await insertVersion(tx, row, { document, note: body.note, createdBy: known(principal).subject });
        return view(tx, row);
      });
    },

    /** What a version or a document would change, without changing anything. */
    async dryRun(
      tenant: Tenant,
      policyId: string,
      { body, signal }: { body: Input<typeof dryRunPolicy>['body']; signal: AbortSignal },
    ): Promise<PolicyDryRunView> {
      if (body.version !== undefined && body.document !== undefined)
        throw kernelProblems.validationFailed({
          errors: [{ pointer: '/version', code: 'version_or_document', message: 'cannot be given with a document' }],
        });
      const { row, tried, newest } = await db(tenant).transaction(async (tx) => {
        const found = await livePolicy(tx, policyId);
        const current = await policyVersion(tx, policyId, found.version);
        const wanted = body.version === undefined ? current : await policyVersion(tx, policyId, body.version);
        return { row: found, tried: wanted.document, newest: current.document };
      });
      const kind = kindOf(row.kind);
      const document = body.document === undefined ? tried : await kind.validate(tenant, body.document);
      const candidate = { policyId, name: row.name, document };
      return kind.dryRun(tenant, { candidate, standing: { document: newest, status: row.status }, body, signal });
    },
  };
}

/** Whoever passed the access rule of a route of ours is known. */
function known(principal: Principal): KnownPrincipal {
  if (principal.kind === 'anonymous' || principal.kind === 'webhook') throw kernelProblems.unauthenticated();
  return principal;
}

const view = async (tx: TenantTransaction, row: PolicyRow) => (await policyViews(tx, [row]))[0] as PolicyView;

/** Only one transaction of a tenant at a time decides which policies of a kind are in force. */
async function lockKind(tx: TenantTransaction, kind: PolicyKindName): Promise<void> {
  await tx.sql('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`identity:${tx.tenant.tenantId}:${kind}`]);
}

async function hasSuccessor(tx: TenantTransaction, { kind, policyId }: PolicyRow): Promise<boolean> {
  const others = { kind, status: 'active' as const, deletedAt: null, policyId: { $ne: policyId } };
  return (await tx.findOne(PolicyEntity, others)) !== undefined;
}

const COUNT = 'select count(*) as kept from identity.policy where tenant_id = $1 and deleted_at is null';
const INSERT = `
insert into identity.policy (tenant_id, policy_id, name, kind, status, version, cloned_from)
values ($1, $2, $3, $4, $5, 1, $6::jsonb)
on conflict (tenant_id, name) where deleted_at is null do nothing`;

/** Throws `too_many_policies` and `policy_name_taken`. */
async function insertPolicy(
  tx: TenantTransaction,
  { name, kind, status, clonedFrom }: Pick<PolicyRow, 'name' | 'kind' | 'status' | 'clonedFrom'>,
): Promise<PolicyRow> {
  const { tenantId } = tx.tenant;
  await tx.sql('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`identity:${tenantId}:policy`]);
  const { rows } = await tx.sql(COUNT, [tenantId]);
  if (Number(rows[0]?.kept) >= MAX_POLICIES)
    throw identityProblems.tooManyPolicies({ values: { limit: MAX_POLICIES } });
  const policyId = uuidv7();
  const row = [tenantId, policyId, name, kind, status, clonedFrom ? JSON.stringify(clonedFrom) : null];
  if ((await tx.sql(INSERT, row)).rowCount === 0) throw identityProblems.policyNameTaken();
  return livePolicy(tx, policyId);
}

async function insertVersion(
  tx: TenantTransaction,
  { policyId, version }: PolicyRow,
  { document, note, createdBy }: { document: PolicyDocumentBody; note: string | undefined; createdBy: string },
): Promise<void> {
  const digest = canonicalSha256(document);
  const createdAt = new Date();
  await tx.insert(PolicyVersionEntity, {
    policyId,
    version,
    document,
    digest,
    note: note ?? null,
    createdBy,
    createdAt,
  });
}
