import { timingSafeEqual } from 'node:crypto';
import type { Kernel } from '@weir/kernel';
import type { KnownPrincipal, Tenant, TenantRole, TokenReader } from '@weir/kernel/contract';
import { identityProblems, TOKEN_PREFIX } from '../contract.ts';
import { effectiveRole } from './effective-role.ts';
import { recentLists } from './recent-lists.ts';
import { readTokenText } from './token-text.ts';

/** A token that was revoked, and a person whose roles have changed, are noticed after this long at the latest. */
const REMEMBERED_MS = 5_000;
/** Tokens and tenants that nobody knows are looked for this often at most. */
const GAP_MS = 250;
const MAX_USED = 10_000;
/** `last_used_at` is this exact. */
const USED_MS = 60_000;
const DAY_MS = 24 * 60 * 60 * 1000;
const ALL_TENANTS = '';

interface StoredToken {
  digest: Buffer;
  role: TenantRole;
  maker: { sub: string; roles: readonly string[]; lastSeen: Date };
  expiresAt: Date;
}

/** Reads API tokens as the kernel asks for it, and forgets at once what this process has made or revoked. */
export interface TokenReading extends TokenReader {
  forget(tenant: Tenant): void;
  /** Resolves when nothing is being written. */
  settled(): Promise<void>;
}

export interface TokenReadingDeps extends Pick<Kernel, 'db' | 'log' | 'tenants'> {
  /** Days for which the tokens of a person who is not seen go on. */
  makerDays: number;
  now?: () => number;
}

const READ = `
select t.api_token_id, t.secret_sha256, t.role, t.created_by, t.expires_at, p.roles, p.last_seen
from identity.api_token t join identity.person p on p.tenant_id = t.tenant_id and p.sub = t.created_by
where t.tenant_id = $1 and t.revoked_at is null and t.expires_at > clock_timestamp()`;
const USED = `
update identity.api_token set last_used_at = clock_timestamp() where tenant_id = $1 and api_token_id = $2
  and (last_used_at is null or last_used_at < clock_timestamp() - interval '1 minute')`;

/**
 * A token is good while it is stored, not revoked, not expired, and its maker has a role in its tenant; it never has a
 * higher one. What its maker has is known from the maker's own sign-ins: when these have stopped for too long, the
 * reading of it throws `token_maker_unseen`. Secrets are compared by their hashes in constant time.
 */
export function readTokens({ db, log, tenants, makerDays, now = Date.now }: TokenReadingDeps): TokenReading {
  const used = new Map<string, number>();
  const writing = new Set<Promise<unknown>>();
  const lookup = { rememberedMs: REMEMBERED_MS, gapMs: GAP_MS, now };
  const tenantList = recentLists({
    ...lookup,
    read: async () => new Map((await tenants.list()).map((tenant) => [tenant.tenantId, tenant])),
  });
  const tokens = recentLists({
    ...lookup,
    read: async (tenantId) => {
      const tenant = await tenantList.find(ALL_TENANTS, tenantId);
      return tenant === undefined ? new Map<string, StoredToken>() : load(db, tenant);
    },
  });
  const noteUse = (tenant: Tenant, apiTokenId: string) => {
    if (now() - (used.get(apiTokenId) ?? Number.NEGATIVE_INFINITY) < USED_MS) return;
    if (used.size >= MAX_USED) used.clear();
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
      const tenant = read && (await tenantList.find(ALL_TENANTS, read.tenantId));
      if (read === undefined || tenant === undefined) return undefined;
      const found = await tokens.find(read.tenantId, read.apiTokenId);
      if (found === undefined || !timingSafeEqual(found.digest, read.digest)) return undefined;
      const { role: given, maker, expiresAt } = found;
      if (expiresAt.getTime() <= now()) return undefined;
      if (isUnseen(maker.lastSeen, makerDays, now())) {
        throw identityProblems.tokenMakerUnseen({ values: { days: makerDays } });
      }
      const role = effectiveRole(given, maker.roles);
      if (role === undefined) return undefined;
      noteUse(tenant, read.apiTokenId);
      return { principal: principalOf(tenant, read.apiTokenId, maker.sub, role), expiresAt };
    },
    forget: ({ tenantId }) => tokens.forget(tenantId),
    async settled() {
      while (writing.size > 0) await Promise.all(writing);
    },
  };
}

/** Whether a person was last seen longer ago than that. */
export function isUnseen(lastSeen: Date, days: number, now: number): boolean {
  return lastSeen.getTime() + days * DAY_MS < now;
}

function principalOf(tenant: Tenant, apiTokenId: string, subject: string, role: TenantRole): KnownPrincipal {
  return { kind: 'api_token', subject, client: `api-token:${apiTokenId}`, organizations: [tenant.alias], role };
}

async function load(db: Kernel['db'], tenant: Tenant): Promise<Map<string, StoredToken>> {
  const { rows } = await db(tenant).transaction((tx) => tx.sql(READ, [tenant.tenantId]));
  return new Map(
    rows.map((row) => [
      String(row.api_token_id),
      {
        digest: row.secret_sha256 as Buffer,
        role: row.role as TenantRole,
        maker: {
          sub: String(row.created_by),
          roles: row.roles as string[],
          lastSeen: new Date(row.last_seen as string | Date),
        },
        expiresAt: new Date(row.expires_at as string | Date),
      },
    ]),
  );
}
