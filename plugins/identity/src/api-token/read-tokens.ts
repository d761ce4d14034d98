import { timingSafeEqual } from 'node:crypto';
import type { Kernel } from '@weir/kernel';
import type { KnownPrincipal, Tenant, TenantRole, TokenReader } from '@weir/kernel/contract';
import { TOKEN_PREFIX } from '../contract.ts';
import { effectiveRole } from './effective-role.ts';
import { readTokenText } from './token-text.ts';

/** A token that was revoked, and a person whose roles have changed, are noticed after this long at the latest. */
const REMEMBERED_MS = 5_000;
const MAX_REMEMBERED = 10_000;
/** `last_used_at` is this exact. */
const USED_MS = 60_000;

interface StoredToken {
  digest: Buffer;
  role: TenantRole;
  makersRoles: readonly string[];
  createdBy: string;
  expiresAt: Date;
}

interface Remembered {
  at: number;
  tenant: Tenant;
  stored: Promise<StoredToken | undefined>;
}

/** Reads API tokens as the kernel asks for it, and forgets at once what this process has revoked. */
export interface TokenReading extends TokenReader {
  forget(apiTokenId: string): void;
  /** Resolves when nothing is being written. */
  settled(): Promise<void>;
}

const READ = `
select t.secret_sha256, t.role, t.created_by, t.expires_at, p.roles
from identity.api_token t join identity.person p on p.tenant_id = t.tenant_id and p.sub = t.created_by
where t.tenant_id = $1 and t.api_token_id = $2 and t.revoked_at is null`;
const USED = `
update identity.api_token set last_used_at = clock_timestamp() where tenant_id = $1 and api_token_id = $2
  and (last_used_at is null or last_used_at < clock_timestamp() - interval '1 minute')`;

/**
 * A token is good while it is stored, not revoked, not expired, and its maker has a role in its tenant; it never has a
 * higher one. Secrets are compared by their hashes in constant time.
 */
export function readTokens(
  { db, log, tenants }: Pick<Kernel, 'db' | 'log' | 'tenants'>,
  now: () => number = Date.now,
): TokenReading {
  const remembered = new Map<string, Remembered>();
  const used = new Map<string, number>();
  const writing = new Set<Promise<unknown>>();
  const stored = async (tenantId: string, apiTokenId: string): Promise<Remembered | undefined> => {
    const hit = remembered.get(apiTokenId);
    if (hit !== undefined && hit.tenant.tenantId === tenantId && now() - hit.at < REMEMBERED_MS) return hit;
    const tenant = await tenants.byId(tenantId);
    if (tenant === undefined) return undefined;
    const entry = { at: now(), tenant, stored: load(db, tenant, apiTokenId) };
    if (remembered.size >= MAX_REMEMBERED) remembered.clear();
    remembered.set(apiTokenId, entry);
    entry.stored.catch(() => remembered.delete(apiTokenId));
    return entry;
  };
  const noteUse = (tenant: Tenant, apiTokenId: string) => {
    if (now() - (used.get(apiTokenId) ?? Number.NEGATIVE_INFINITY) < USED_MS) return;
    if (used.size >= MAX_REMEMBERED) used.clear();
    used.set(apiTokenId, now());
    const work = db(tenant)
      .transaction((tx) => tx.sql(USED, [tenant.tenantId, apiTokenId]))
      .catch((error: unknown) => log.warn({ err: error }, 'the use of an API token could not be noted'))
      .finally(() => writing.delete(work));
    writing.add(work);
  };
  return {
    prefix: TOKEN_PREFIX,
    async read(text) {
      const read = readTokenText(text);
      if (read === undefined) return undefined;
      const entry = await stored(read.tenantId, read.apiTokenId);
      const found = await entry?.stored;
      if (entry === undefined || found === undefined || !timingSafeEqual(found.digest, read.digest)) return undefined;
      const role = effectiveRole(found.role, found.makersRoles);
      if (role === undefined || found.expiresAt.getTime() <= now()) return undefined;
      noteUse(entry.tenant, read.apiTokenId);
      return {
        principal: principalOf(entry.tenant, read.apiTokenId, found.createdBy, role),
        expiresAt: found.expiresAt,
      };
    },
    forget: (apiTokenId) => void remembered.delete(apiTokenId),
    async settled() {
      while (writing.size > 0) await Promise.all(writing);
    },
  };
}

function principalOf(tenant: Tenant, apiTokenId: string, subject: string, role: TenantRole): KnownPrincipal {
  return { kind: 'api_token', subject, client: `api-token:${apiTokenId}`, organizations: [tenant.alias], role };
}

async function load(db: Kernel['db'], tenant: Tenant, apiTokenId: string): Promise<StoredToken | undefined> {
  const { rows } = await db(tenant).transaction((tx) => tx.sql(READ, [tenant.tenantId, apiTokenId]));
  const [row] = rows;
  if (row === undefined) return undefined;
  return {
    digest: row.secret_sha256 as Buffer,
    role: row.role as TenantRole,
    makersRoles: row.roles as string[],
    createdBy: String(row.created_by),
    expiresAt: new Date(String(row.expires_at)),
  };
}
