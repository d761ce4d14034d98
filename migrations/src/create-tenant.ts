import { createHash } from 'node:crypto';
import type { ClientConfig } from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { connect } from './connect.ts';

const MAX_SCOPE_LENGTH = 48;
const HASH_LENGTH = 8;
const ALIAS = /^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/;

/**
 * The scope of an alias, `^[a-z][a-z0-9_]{0,47}$`: the alias in lower case with other characters as `_`; when that is
 * taken or loses too much, a hash of the exact alias is appended. Distinct aliases never get one scope. Pure.
 */
export function tenantScope(alias: string, taken: ReadonlySet<string>): string {
  const plain = alias
    .toLowerCase()
    .replace(/[^a-z0-9_]/g, '_')
    .replace(/^[^a-z]/, (first) => `t${first}`);
  if (plain.length <= MAX_SCOPE_LENGTH && !taken.has(plain)) return plain;
  const hash = createHash('sha256').update(alias).digest('hex');
  for (let length = HASH_LENGTH; length < MAX_SCOPE_LENGTH - 1; length += 1) {
    const scope = `${plain.slice(0, MAX_SCOPE_LENGTH - length - 1)}_${hash.slice(0, length)}`;
    if (!taken.has(scope)) return scope;
  }
  throw new Error('no free scope is left for this alias');
}

/** Makes a tenant as the owner, or returns the one that has the alias. */
export async function createTenant(
  connection: ClientConfig,
  alias: string,
): Promise<{ tenantId: string; alias: string; scope: string; created: boolean }> {
  if (!ALIAS.test(alias))
    throw new Error(
      'an alias has letters, digits, - and _, starts with a letter or digit, and has at most 63 characters',
    );
  const client = await connect(connection);
  try {
    await client.query('begin');
    await client.query('lock table kernel.tenant in share row exclusive mode');
    const { rows } = await client.query('select tenant_id, alias, scope from kernel.tenant');
    const found = rows.find((row) => row.alias === alias);
    const tenant = found
      ? { tenantId: String(found.tenant_id), alias, scope: String(found.scope), created: false }
      : {
          tenantId: uuidv7(),
          alias,
          scope: tenantScope(alias, new Set(rows.map((row) => String(row.scope)))),
          created: true,
        };
    if (tenant.created) {
      await client.query('insert into kernel.tenant (tenant_id, alias, scope) values ($1, $2, $3)', [
        tenant.tenantId,
        tenant.alias,
        tenant.scope,
      ]);
    }
    await client.query('commit');
    return tenant;
  } finally {
    await client.end();
  }
}
