import type { Kernel, TenantTransaction } from '@weir/kernel';
import { type Principal, rolesIn, type Tenant } from '@weir/kernel/contract';

/** What is as it was is written this often at most. */
const SAME_MS = 60 * 60 * 1000;
const MAX_REMEMBERED = 20_000;
const MAX_TEXT = 255;
const SUBJECT = /^[!-~]{1,255}$/;

type User = Extract<Principal, { kind: 'user' }>;

/** Notes people as their tokens come by. */
export interface People {
  /** Notes a caller without holding up the call; anybody but a person who is signed in is passed over. */
  seen(tenant: Tenant, principal: Principal): void;
  /** Notes a person within a transaction, so that what is written there can name them. */
  note(tx: TenantTransaction, user: User): Promise<void>;
  /** Resolves when nothing is being written. */
  settled(): Promise<void>;
}

/**
 * Writes each person at most once an hour, and when name, address or roles are others than before, as the newest token
 * that was seen has them: an older one is good for its own calls and tells nothing any more. No token is kept.
 * A delegation does not count: it may carry fewer roles than the person has.
 */
export function recordPeople({ db, log }: Pick<Kernel, 'db' | 'log'>, now: () => number = Date.now): People {
  const written = new Map<string, { at: number; issued: Date; facts: string; work: Promise<void> }>();
  const writing = new Set<Promise<void>>();
  return {
    seen(tenant, principal) {
      if (principal.kind !== 'user' || !SUBJECT.test(principal.subject)) return;
      const facts = JSON.stringify(factsOf(principal, tenant));
      const key = `${tenant.tenantId}:${principal.subject}`;
      const last = written.get(key);
      const issued = issuedAtOf(principal);
      if (last !== undefined && (issued < last.issued || (last.facts === facts && now() - last.at < SAME_MS))) return;
      if (written.size >= MAX_REMEMBERED) written.clear();
      // One after the other, so that what was seen last is what stands in the end.
      const work = (last?.work ?? Promise.resolve())
        .then(() => db(tenant).transaction((tx) => write(tx, principal)))
        .catch((error: unknown) => {
          written.delete(key);
          log.warn({ err: error }, 'a person who was seen could not be noted');
        })
        .finally(() => writing.delete(work));
      written.set(key, { at: now(), issued, facts, work });
      writing.add(work);
    },
    note: write,
    async settled() {
      while (writing.size > 0) await Promise.all(writing);
    },
  };
}

function factsOf(user: User, tenant: Tenant): [string | null, string | null, string[]] {
  const roles = rolesIn(user, tenant).filter((role) => role !== 'platform_admin');
  return [textOf(user.name), textOf(user.email), roles];
}

/** Claims are anything: what the database cannot hold is left out, what is long is cut. */
function textOf(claim: string | undefined): string | null {
  return claim?.replaceAll('\0', '').toWellFormed().slice(0, MAX_TEXT) || null;
}

const issuedAtOf = ({ issuedAt = new Date(0) }: User): Date => issuedAt;

const WRITE = `
insert into identity.person as known (tenant_id, sub, name, email, roles, client, issued_at)
values ($1, $2, $3, $4, $5::jsonb, $6, $7)
on conflict (tenant_id, sub) do update
  set name = excluded.name, email = excluded.email, roles = excluded.roles, client = excluded.client,
    issued_at = excluded.issued_at, last_seen = clock_timestamp()
  where excluded.issued_at >= known.issued_at and (known.last_seen < clock_timestamp() - interval '1 hour'
    or (known.name, known.email, known.roles) is distinct from (excluded.name, excluded.email, excluded.roles))`;

async function write(tx: TenantTransaction, user: User): Promise<void> {
  const [name, email, roles] = factsOf(user, tx.tenant);
  const client = textOf(user.client) ?? '';
  await tx.sql(WRITE, [tx.tenant.tenantId, user.subject, name, email, JSON.stringify(roles), client, issuedAtOf(user)]);
}
