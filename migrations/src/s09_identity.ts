import { type Migration, tenantTable } from './migration.ts';

/** API tokens, identity policies and the people who were seen. */
export const s09_identity: Migration = {
  name: 's09_identity',
  after: 's08_trail',
  sql: `
create schema identity;
grant usage on schema identity to weir_app, weir_system;

create table identity.person (
  tenant_id uuid not null references kernel.tenant (tenant_id),
  sub text not null,
  name text,
  email text,
  roles jsonb not null default '[]',
  client text not null,
  told_at timestamptz(3) not null,
  first_seen timestamptz(3) not null default clock_timestamp(),
  last_seen timestamptz(3) not null default clock_timestamp(),
  primary key (tenant_id, sub)
);
${tenantTable('identity.person')}

create table identity.api_token (
  tenant_id uuid not null references kernel.tenant (tenant_id),
  api_token_id uuid not null,
  name text not null,
  role text not null check (role in ('viewer', 'pipeline_editor', 'admin')),
  secret_sha256 bytea not null check (length(secret_sha256) = 32),
  created_by text not null,
  created_at timestamptz(3) not null default clock_timestamp(),
  expires_at timestamptz(3) not null,
  last_used_at timestamptz(3),
  revoked_at timestamptz(3),
  revoked_by text,
  primary key (tenant_id, api_token_id),
  foreign key (tenant_id, created_by) references identity.person (tenant_id, sub),
  check (expires_at <= created_at + interval '366 days')
);
create unique index api_token_name on identity.api_token (tenant_id, created_by, name) where revoked_at is null;
${tenantTable('identity.api_token')}

create table identity.policy (
  tenant_id uuid not null references kernel.tenant (tenant_id),
  policy_id uuid not null,
  name text not null,
  kind text not null check (kind in ('access', 'entity_resolution')),
  status text not null check (status in ('draft', 'active', 'archived')),
  version integer not null check (version >= 1),
  revision integer not null default 1,
  cloned_from jsonb,
  created_at timestamptz(3) not null default clock_timestamp(),
  updated_at timestamptz(3) not null default clock_timestamp(),
  deleted_at timestamptz(3),
  primary key (tenant_id, policy_id)
);
create unique index policy_name on identity.policy (tenant_id, name) where deleted_at is null;
create index policy_active on identity.policy (tenant_id, kind) where status = 'active' and deleted_at is null;
${tenantTable('identity.policy')}

create table identity.policy_version (
  tenant_id uuid not null,
  policy_id uuid not null,
  version integer not null,
  document jsonb not null,
  digest text not null,
  note text,
  created_by text not null,
  created_at timestamptz(3) not null default clock_timestamp(),
  primary key (tenant_id, policy_id, version),
  foreign key (tenant_id, policy_id) references identity.policy (tenant_id, policy_id)
);
${tenantTable('identity.policy_version')}
revoke update, delete on identity.policy_version from weir_app;
`,
};
