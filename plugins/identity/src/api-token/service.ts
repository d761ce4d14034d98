import type { Kernel, PageOrders, PageRequest, TenantTransaction } from '@weir/kernel';
import { type Input, kernelProblems, type Principal, rolesIn, subjectOf, type Tenant } from '@weir/kernel/contract';
import { v7 as uuidv7 } from 'uuid';
import {
  type ApiTokenView,
  type createApiToken,
  DEFAULT_TOKEN_DAYS,
  identityProblems,
  type listApiTokens,
} from '../contract.ts';
import { PersonEntity } from '../person/entity.ts';
import type { People } from '../person/record-people.ts';
import { effectiveRole } from './effective-role.ts';
import { ApiTokenEntity, type ApiTokenRow } from './entity.ts';
import { isUnseen, type TokenReading } from './read-tokens.ts';
import { newSecret, tokenText } from './token-text.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const ORDERS: PageOrders = {
  orders: { created_at: 'createdAt', name: 'name', expires_at: 'expiresAt' },
  first: '-created_at',
  id: 'apiTokenId',
};
/** Live tokens: the list of a tenant's is read whole. */
const MAX_LIVE = { person: 100, tenant: 1_000 } as const;
const INSERT = `
insert into identity.api_token (tenant_id, api_token_id, name, role, secret_sha256, created_by, created_at, expires_at)
values ($1, $2, $3, $4, $5, $6, $7, $8)
on conflict (tenant_id, created_by, name) where revoked_at is null do nothing`;
const COUNT = `
select count(*) as tenant, count(*) filter (where created_by = $2) as person
from identity.api_token where tenant_id = $1 and revoked_at is null and expires_at > clock_timestamp()`;

export interface TokenServiceDeps extends Pick<Kernel, 'db'> {
  people: People;
  reading: TokenReading;
  /** Days for which the tokens of a person who is not seen go on. */
  makerDays: number;
}

/** What people can do with API tokens; admins see and revoke those of everybody in the tenant. */
export function tokenService({ db, people, reading, makerDays }: TokenServiceDeps) {
  const views = async (tx: TenantTransaction, rows: readonly ApiTokenRow[]): Promise<ApiTokenView[]> => {
    const makers = await tx.find(PersonEntity, { sub: { $in: rows.map(({ createdBy }) => createdBy) } });
    const seen = makers.filter(({ lastSeen }) => !isUnseen(lastSeen, makerDays, Date.now()));
    const rolesOf = new Map(seen.map(({ sub, roles }) => [sub, roles]));
    return rows.map((row) => viewOf(row, rolesOf.get(row.createdBy) ?? []));
  };
  const view = async (tx: TenantTransaction, row: ApiTokenRow) => (await views(tx, [row]))[0] as ApiTokenView;
  return {
    /**
     * Makes a token and tells its text, which is nowhere else. Throws `token_needs_person`, `token_role_too_high` and
     * `token_name_taken` and `token_limit`.
     */
    async create(tenant: Tenant, principal: Principal, body: Input<typeof createApiToken>['body']) {
      if (principal.kind !== 'user') throw identityProblems.tokenNeedsPerson();
      if (effectiveRole(body.role, rolesIn(principal, tenant)) !== body.role) throw identityProblems.tokenRoleTooHigh();
      const { secret, digest } = newSecret();
      const apiTokenId = uuidv7();
      const createdAt = new Date();
      const expiresAt = new Date(createdAt.getTime() + (body.expires_in_days ?? DEFAULT_TOKEN_DAYS) * DAY_MS);
      const row = [tenant.tenantId, apiTokenId, body.name, body.role, digest, principal.subject, createdAt, expiresAt];
      const made = await db(tenant).transaction(async (tx) => {
        await people.note(tx, principal);
        await refuseMore(tx, principal.subject);
        if ((await tx.sql(INSERT, row)).rowCount === 0) throw identityProblems.tokenNameTaken();
        return view(tx, await own(tx, apiTokenId, principal));
      });
      reading.forget(tenant);
      return { ...made, token: tokenText(tenant.tenantId, apiTokenId, secret) };
    },

    list(tenant: Tenant, principal: Principal, query: Input<typeof listApiTokens>['query'] & PageRequest) {
      const { name, ...request } = query;
      const named = name === undefined ? {} : { name };
      return db(tenant).transaction(async (tx) => {
        const where = { revokedAt: null, ...named, ...mine(principal, tenant) };
        const { items, next_page_token } = await tx.page(ApiTokenEntity, where, request, ORDERS);
        return { items: await views(tx, items), next_page_token, total: null };
      });
    },

    get: (tenant: Tenant, principal: Principal, apiTokenId: string): Promise<ApiTokenView> =>
      db(tenant).transaction(async (tx) => view(tx, await own(tx, apiTokenId, principal))),

    /** Once this has answered this process refuses the token; others within five seconds. */
    async revoke(tenant: Tenant, principal: Principal, apiTokenId: string): Promise<undefined> {
      await db(tenant).transaction(async (tx) => {
        const row = await own(tx, apiTokenId, principal, { lock: true });
        await tx.update(row, { revokedAt: new Date(), revokedBy: subjectOf(principal) });
      });
      reading.forget(tenant);
      return undefined;
    },
  };
}

/** A token that is not revoked and that the caller may see; throws `not_found` for any other. */
async function own(
  tx: TenantTransaction,
  apiTokenId: string,
  principal: Principal,
  options: { lock?: boolean } = {},
): Promise<ApiTokenRow> {
  const row = await tx.findOne(ApiTokenEntity, { apiTokenId, revokedAt: null, ...mine(principal, tx.tenant) }, options);
  if (row === undefined) throw kernelProblems.notFound();
  return row;
}

function mine(principal: Principal, tenant: Tenant): { createdBy?: string } {
  return rolesIn(principal, tenant).includes('admin') ? {} : { createdBy: subjectOf(principal) };
}

/** Throws `token_limit`; those of a tenant are counted one after the other. */
async function refuseMore(tx: TenantTransaction, subject: string): Promise<void> {
  const { tenantId } = tx.tenant;
  await tx.sql('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`identity:${tenantId}:api_token`]);
  const { rows } = await tx.sql(COUNT, [tenantId, subject]);
  for (const [name, holder] of [
    ['person', 'You have'],
    ['tenant', 'The tenant has'],
  ] as const) {
    if (Number(rows[0]?.[name]) < MAX_LIVE[name]) continue;
    throw identityProblems.tokenLimit({ values: { holder, limit: MAX_LIVE[name] } });
  }
}

function viewOf(row: ApiTokenRow, makersRoles: readonly string[]): ApiTokenView {
  return {
    api_token_id: row.apiTokenId,
    name: row.name,
    role: row.role,
    effective_role: effectiveRole(row.role, makersRoles) ?? null,
    created_by: row.createdBy,
    created_at: row.createdAt.toISOString(),
    expires_at: row.expiresAt.toISOString(),
    last_used_at: row.lastUsedAt?.toISOString() ?? null,
  };
}
