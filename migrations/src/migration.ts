import { createHash } from 'node:crypto';

/** One step of the linear history. `after` names the step before it; the first has none. Never edited once released. */
export interface Migration {
  /** `sNN_words`; numbers rise but need not be dense. */
  name: string;
  after: string | undefined;
  /** Additive statements, run as the owner inside the one transaction of `migrate`. */
  sql: string;
  /** The oldest head whose release works on the schema after this step too; none when the step breaks the one before it. */
  additiveSince?: string;
}

/** The hash that the ledger remembers and every start compares. */
export function migrationHash({ sql }: Pick<Migration, 'sql'>): string {
  return createHash('sha256').update(sql).digest('hex');
}

const wall = (table: string): string => `
alter table ${table} enable row level security;
alter table ${table} force row level security;
create policy tenant on ${table} to weir_app
  using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)
  with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);
create policy system on ${table} for select to weir_system using (true);
`;

/**
 * The row security that every tenant table has: forced on the owner too, one policy for all commands, closed when no
 * tenant is set; `weir_system` may read across tenants.
 */
export function tenantTable(table: string): string {
  const [schema, name] = table.split('.');
  return `${wall(table)}grant select, insert, update, delete on ${schema}.${name} to weir_app;
grant select on ${schema}.${name} to weir_system;
`;
}

/**
 * The wall of a table that is partitioned by hash, with its partitions: each has a wall of its own, and no role reaches
 * one but through the table.
 */
export function partitionedTenantTable(table: string, modulus: number): string {
  const partitions = Array.from({ length: modulus }, (_, remainder) => {
    const name = `${table}_p${String(remainder).padStart(2, '0')}`;
    const values = `with (modulus ${modulus}, remainder ${remainder})`;
    return `\ncreate table ${name} partition of ${table} for values ${values};${wall(name)}`;
  });
  return `${tenantTable(table)}${partitions.join('')}`;
}
