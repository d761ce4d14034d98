import type { Exchange } from '../kv/exchange.ts';
import { logIn, type RoleIdentity } from '../kv/login.ts';
import type { Fact } from './fact.ts';
import { fact, unseen } from './fact.ts';
import type { AskAsOperator } from './operator.ts';
import { type StoreRole, wantedRights } from './wanted-rights.ts';

const MAX_TTL_SECONDS = 20 * 60;
const MAX_LIFE_SECONDS = 60 * 60;

/** A token that renews itself for ever, and what would be used up by logins and calls that come for years. */
const NEVER_SPENT = ['token_period', 'token_num_uses', 'secret_id_num_uses'] as const;

export interface RoleUnderCheck {
  readonly role: StoreRole;
  readonly identity: RoleIdentity;
  readonly mount: string;
}

/**
 * Logs in as the role does and has the operator say what that token may: on each path exactly what is wanted, no more and
 * no less. The token is revoked in the end. Also answers the name of the AppRole.
 */
export async function checkRole(
  exchange: Exchange,
  operator: AskAsOperator,
  { role, identity, mount }: RoleUnderCheck,
): Promise<{ facts: Fact[]; name: string | undefined }> {
  const { token, lifeMs } = await logIn(exchange, identity);
  try {
    const facts = [
      fact(
        role,
        'token lives for',
        `at most ${MAX_TTL_SECONDS} s`,
        `${lifeMs / 1000} s`,
        lifeMs / 1000 <= MAX_TTL_SECONDS,
      ),
    ];
    const found = await operator({ method: 'POST', path: 'auth/token/lookup', body: { token } });
    if (found === undefined) return { facts: [...facts, unseen(role, 'token')], name: undefined };
    const name = (found.meta as Record<string, unknown> | null)?.role_name;
    const policies = list(found.policies);
    facts.push(fact(role, 'policies', 'one of its own', policies, !/,|^(default|root)?$/.test(policies)));
    facts.push(...(await roleFacts(operator, role, typeof name === 'string' ? name : undefined)));
    facts.push(...(await rightsFacts(operator, role, { mount, token })));
    return { facts, name: typeof name === 'string' ? name : undefined };
  } finally {
    await operator({ method: 'POST', path: 'auth/token/revoke', body: { token } });
  }
}

async function roleFacts(operator: AskAsOperator, role: StoreRole, name: string | undefined): Promise<Fact[]> {
  const settings = await (name && operator({ method: 'GET', path: `auth/approle/role/${encodeURIComponent(name)}` }));
  if (!settings) return [unseen(role, 'AppRole')];
  const { token_max_ttl: life, token_no_default_policy: bare, bind_secret_id: bound } = settings;
  const bounded = typeof life === 'number' && life > 0 && life <= MAX_LIFE_SECONDS;
  return [
    fact(role, 'token_max_ttl', `1 to ${MAX_LIFE_SECONDS} s`, `${life} s`, bounded),
    fact(role, 'token_no_default_policy', 'true', String(bare), bare === true),
    fact(role, 'bind_secret_id', 'true', String(bound), bound === true),
    ...NEVER_SPENT.map((name) => fact(role, name, '0', String(settings[name]), settings[name] === 0)),
  ];
}

async function rightsFacts(
  operator: AskAsOperator,
  role: StoreRole,
  { mount, token }: { mount: string; token: string },
): Promise<Fact[]> {
  const wanted = wantedRights(mount);
  const paths = wanted.map(({ path }) => path);
  const found = await operator({ method: 'POST', path: 'sys/capabilities', body: { token, paths } });
  if (found === undefined) return [unseen(role, 'rights')];
  return wanted.map(({ path, rights }) => {
    const [may, has] = [list(rights[role] ?? ['deny']), list(found[path])];
    return fact(role, `may on ${path}`, may, has, may === has);
  });
}

/** Names in order, by commas. */
function list(names: unknown): string {
  return Array.isArray(names) ? names.map(String).sort().join(', ') : '';
}
