import type { Kernel, TenantTransaction } from '@weir/kernel';
import type { Tenant } from '@weir/kernel/contract';
import type { AccessDocumentBody } from '../contract.ts';
import type { CheckedText } from './cedar/check-text.ts';
import type { Evaluator } from './cedar/evaluator.ts';
import { type AccessPolicy, type Decider, decider } from './decide.ts';

/** What another process has put in force is noticed after this long at the latest. */
const REMEMBERED_MS = 5_000;
/** Policies of as many tenants are kept parsed, and as many others are known to have none. */
const MAX_TENANTS = { parsed: 200, without: 10_000 } as const;

/** A policy in force as it is stored. */
export interface StoredPolicy {
  policyId: string;
  name: string;
  document: AccessDocumentBody;
}

/** The access policies of tenants, read at use. */
export interface PoliciesInForce {
  of(tenant: Tenant): Promise<Decider>;
  /** What was read is not what holds any more. */
  forget(tenant: Tenant): void;
}

interface Deps extends Pick<Kernel, 'db'> {
  evaluator: Evaluator;
  readText(text: string): CheckedText;
}

interface Remembered {
  at: number;
  stamp: string;
  decider: Decider;
}

const READ = `
select p.policy_id, p.name, v.digest, v.document from identity.policy p
join identity.policy_version v on v.tenant_id = p.tenant_id and v.policy_id = p.policy_id and v.version = p.version
where p.tenant_id = $1 and p.kind = 'access' and p.status = 'active' and p.deleted_at is null order by p.name`;

/** The access policies in force as a transaction sees them, by name. */
export async function readPolicies(tx: TenantTransaction): Promise<(StoredPolicy & { digest: string })[]> {
  const { rows } = await tx.sql(READ, [tx.tenant.tenantId]);
  return rows.map((row) => ({
    policyId: String(row.policy_id),
    name: String(row.name),
    digest: String(row.digest),
    document: row.document as AccessDocumentBody,
  }));
}

/** A stored policy with its statements, or without them when its text cannot be read any more. */
export function readyPolicy({ name, document }: StoredPolicy, readText: Deps['readText']): AccessPolicy {
  if (!document.cedar) return { name, document, statements: [] };
  const read = readText(document.cedar);
  return { name, document, statements: read.ok ? read.statements : undefined };
}

/**
 * Reads the policies of a tenant when a call comes and what is remembered is older than five seconds; texts that are as
 * before are not parsed again. Tenants without policies cost one look into memory.
 */
export function policiesInForce({ db, evaluator, readText }: Deps, now: () => number = Date.now): PoliciesInForce {
  const remembered = new Map<string, Remembered>();
  const reading = new Map<string, Promise<Decider>>();
  let changes = 0;
  const drop = (tenantId: string) => {
    remembered.get(tenantId)?.decider.release();
    remembered.delete(tenantId);
  };
  const read = async (tenant: Tenant): Promise<Decider> => {
    const { tenantId } = tenant;
    const [asked, before] = [now(), changes];
    const stored = await db(tenant).transaction(readPolicies);
    const stamp = JSON.stringify(stored.map(({ policyId, name, digest }) => [policyId, name, digest]));
    // What was read while something changed may be what was before.
    const at = changes === before ? asked : Number.NEGATIVE_INFINITY;
    const last = remembered.get(tenantId);
    if (last?.stamp === stamp) {
      last.at = at;
      return last.decider;
    }
    const made = decider(
      stored.map((policy) => readyPolicy(policy, readText)),
      evaluator,
    );
    drop(tenantId);
    const kind = kindOf(made);
    const alike =
      remembered.size < MAX_TENANTS.parsed ? [] : [...remembered].filter((one) => kindOf(one[1].decider) === kind);
    const [oldest] = alike;
    if (oldest !== undefined && alike.length >= MAX_TENANTS[kind]) drop(oldest[0]);
    remembered.set(tenantId, { at, stamp, decider: made });
    return made;
  };
  return {
    of(tenant) {
      const { tenantId } = tenant;
      const hit = remembered.get(tenantId);
      if (hit !== undefined && now() - hit.at < REMEMBERED_MS) return Promise.resolve(hit.decider);
      const open = reading.get(tenantId);
      if (open !== undefined) return open;
      const work = read(tenant).finally(() => {
        if (reading.get(tenantId) === work) reading.delete(tenantId);
      });
      reading.set(tenantId, work);
      return work;
    },
    forget({ tenantId }) {
      changes += 1;
      reading.delete(tenantId);
      const hit = remembered.get(tenantId);
      if (hit !== undefined) hit.at = Number.NEGATIVE_INFINITY;
    },
  };
}

const kindOf = ({ policies }: Decider) => (policies.length > 0 ? 'parsed' : 'without');
