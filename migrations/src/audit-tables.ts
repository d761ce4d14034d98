import type { Client } from 'pg';

/** Tables that hold no tenant's rows, with the reason; every other table must carry the tenant wall. */
export const SHARED_TABLES: Readonly<Record<string, string>> = {
  'kernel.tenant': 'who the tenants are; the platform role adds by function alone',
  'kernel.schema_ledger': 'the history of the database; read-only to the platform role',
  'kernel.plugin_ledger': 'the history of third-party plugins; read-only to the platform role',
  'platform.admission': 'one switch for the whole platform',
  'platform.admission_change': 'who turned that switch; the platform role can only add',
  'sources.credential_cutover':
    'the one row that says that the secret store is in use for good; the platform role can only add',
  'sources.pattern': 'which version of a connector pattern is in force; nothing is deleted from it',
  'sources.pattern_version': 'what connector patterns say; nothing is deleted from it',
  'sources.inspection': 'looks at connector images, by platform admins, before patterns are made of them',
  'sources.webhook_call': 'signatures of requests that changed patterns, so that none is taken twice',
  'sources.rotation_due':
    'which tenants have credentials waiting to be written to the secret store, and nothing of them',
  'transform_patterns.sync': 'how often transform packages were read again, for all tenants',
  'schemas.library': 'libraries of schemas that come with the release; the same for every tenant',
  'schemas.library_schema': 'the schemas of those libraries',
  'ontology.sync_route':
    'which contract new syncs of all tenants follow, and the proof of that; one row that is changed',
  'platform.metric': 'sums over all tenants, without a tenant in any label',
  'catalog.iceberg_tables': 'the layout other engines read; row security goes by the scope of the tenant',
  'catalog.iceberg_namespace_properties': 'the layout other engines read; row security goes by the scope of the tenant',
};

/** Functions that run with the rights of the owner, with the reason; no other may. */
const OWNER_FUNCTIONS: Readonly<Record<string, string>> = {
  'platform.append_audit_event': 'links events of the audit trail, whose head the platform role can only read',
  'platform.create_tenant': 'adds a tenant to a table that the platform role can only read',
};

/** What is kept as evidence, with all that the platform role may do to it. */
const EVIDENCE: Readonly<Record<string, readonly string[]>> = {
  'platform.admission_change': ['SELECT', 'INSERT'],
  'platform.audit_chain': ['SELECT'],
  'platform.audit_event': ['SELECT'],
  'sources.credential_cutover': ['SELECT', 'INSERT'],
  'sources.pattern_version': ['SELECT', 'INSERT'],
  'sources.receipt': ['SELECT', 'INSERT'],
};

/** Tables of the list above that tenants write to, so that they need forced row security of their own. */
const SCOPED_TABLES = ['catalog.iceberg_tables', 'catalog.iceberg_namespace_properties'];

/**
 * Reads the system catalogue and returns every hole in the tenant wall, as sentences; empty when there is none. Looks
 * at row security, its policies, the tenant column, keys, indexes, foreign keys, grants, views and definer functions.
 */
export async function auditTables(client: Pick<Client, 'query'>): Promise<string[]> {
  const findings: string[] = [];
  const { rows: tables } = await client.query(TABLES);
  for (const table of tables) {
    const name = String(table.name);
    const shared = name in SHARED_TABLES;
    if (!table.rowsecurity || !table.forced) {
      if (!shared || SCOPED_TABLES.includes(name)) findings.push(`${name} has no forced row security`);
    }
    if (shared) continue;
    if (table.tenant_not_null !== true) findings.push(`${name} has no tenant_id not null`);
    if (table.policies !== true) findings.push(`${name} has no tenant policy with using and with check`);
  }
  for (const { rows, sentence } of [
    { rows: await client.query(INDEXES), sentence: (row: Row) => `index ${row.name} does not start with tenant_id` },
    {
      rows: await client.query(FOREIGN_KEYS),
      sentence: (row: Row) => `foreign key ${row.name} does not hold tenant_id`,
    },
    { rows: await client.query(GRANTS), sentence: (row: Row) => `${row.role} holds ${row.privilege} on ${row.name}` },
    { rows: await client.query(VIEWS), sentence: (row: Row) => `view ${row.name} is not security_invoker` },
    {
      rows: await client.query(EVIDENCE_RIGHTS),
      sentence: (row: Row) => `${row.role} holds ${row.privilege} on ${row.name}`,
    },
    { rows: await client.query(DEFINERS), sentence: (row: Row) => `function ${row.name} is security definer` },
    {
      rows: await client.query(OTHER_DATABASES),
      sentence: (row: Row) => `${row.role} may ${row.privilege} in database postgres`,
    },
    { rows: await client.query(MEMBERS), sentence: (row: Row) => `${row.name} is a member of ${row.other}` },
  ]) {
    for (const row of rows.rows) if (!(String(row.table_name ?? '') in SHARED_TABLES)) findings.push(sentence(row));
  }
  return findings;
}

type Row = Record<string, unknown>;

const OURS = `n.nspname !~ '^pg_' and n.nspname not in ('information_schema', 'public')`;

const TABLES = `
select n.nspname || '.' || c.relname as name, c.relrowsecurity as rowsecurity, c.relforcerowsecurity as forced,
  exists (select 1 from pg_attribute a where a.attrelid = c.oid and a.attname = 'tenant_id' and a.attnotnull) as tenant_not_null,
  exists (select 1 from pg_policy p where p.polrelid = c.oid and p.polcmd = '*'
    and pg_get_expr(p.polqual, c.oid) like '%app.tenant%' and pg_get_expr(p.polwithcheck, c.oid) like '%app.tenant%') as policies
from pg_class c join pg_namespace n on n.oid = c.relnamespace where c.relkind in ('r', 'p') and ${OURS}`;

const INDEXES = `
select i.indexrelid::regclass::text as name, n.nspname || '.' || c.relname as table_name
from pg_index i join pg_class c on c.oid = i.indrelid join pg_namespace n on n.oid = c.relnamespace
where ${OURS} and coalesce((select attname from pg_attribute where attrelid = c.oid and attnum = i.indkey[0]), '') <> 'tenant_id'`;

const FOREIGN_KEYS = `
select k.conname as name, n.nspname || '.' || c.relname as table_name
from pg_constraint k join pg_class c on c.oid = k.conrelid join pg_namespace n on n.oid = c.relnamespace
where k.contype = 'f' and ${OURS}
  and not exists (select 1 from pg_attribute a where a.attrelid = c.oid and a.attnum = any (k.conkey) and a.attname = 'tenant_id')`;

const GRANTS = `
select g.grantee as role, g.privilege_type as privilege, g.table_schema || '.' || g.table_name as name
from information_schema.role_table_grants g
where (g.grantee = 'weir_app' and g.privilege_type in ('TRUNCATE', 'REFERENCES', 'TRIGGER'))
  or (g.grantee = 'weir_system' and g.privilege_type <> 'SELECT')
  or (g.grantee = 'PUBLIC' and g.table_schema !~ '^pg_' and g.table_schema <> 'information_schema')
  or (g.grantee = 'weir_app' and g.privilege_type <> 'SELECT' and g.table_schema || '.' || g.table_name in ('kernel.tenant', 'kernel.schema_ledger', 'kernel.plugin_ledger'))
  or (g.grantee = 'weir_app' and g.privilege_type = 'DELETE' and g.table_schema || '.' || g.table_name = 'sources.pattern')`;

const FORBIDDEN = Object.entries(EVIDENCE).flatMap(([name, allowed]) =>
  ['INSERT', 'UPDATE', 'DELETE'].filter((right) => !allowed.includes(right)).map((right) => `('${name}', '${right}')`),
);

const EVIDENCE_RIGHTS = `
select 'weir_app' as role, privilege, name from (values ${FORBIDDEN.join(', ')}) as forbidden (name, privilege)
where case when privilege = 'DELETE' then has_table_privilege('weir_app', to_regclass(name), privilege)
  else has_any_column_privilege('weir_app', to_regclass(name), privilege) end`;

const OTHER_DATABASES = `
select role, privilege from pg_database d, unnest(array['weir_app', 'weir_system']) as role,
  unnest(array['CONNECT', 'TEMPORARY']) as privilege
where d.datname = 'postgres' and d.datname <> current_database() and has_database_privilege(role, d.oid, privilege)`;

const VIEWS = `
select n.nspname || '.' || c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
where c.relkind in ('v', 'm') and ${OURS} and not coalesce(c.reloptions, '{}') @> array['security_invoker=true']`;

const DEFINERS = `
select n.nspname || '.' || p.proname as name from pg_proc p join pg_namespace n on n.oid = p.pronamespace
where p.prosecdef and ${OURS} and not (n.nspname || '.' || p.proname = any (array[${Object.keys(OWNER_FUNCTIONS)
  .map((name) => `'${name}'`)
  .join(', ')}])
  and p.proconfig is not null and not has_function_privilege('public', p.oid, 'EXECUTE'))`;

const MEMBERS = `
select m.rolname as name, r.rolname as other from pg_auth_members x
join pg_roles m on m.oid = x.member join pg_roles r on r.oid = x.roleid where m.rolname like 'weir\\_%'`;
