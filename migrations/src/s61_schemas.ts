import { type Migration, tenantTable } from './migration.ts';

/** Subjects of tenants with the versions of their schemas, and the libraries of schemas that all tenants share. */
export const s61_schemas: Migration = {
  name: 's61_schemas',
  after: 's60_pipelines',
  additiveSince: 's24_webhooks',
  sql: `
create schema schemas;
grant usage on schema schemas to weir_app, weir_system;

create table schemas.subject (
  tenant_id uuid not null references kernel.tenant (tenant_id),
  subject text not null,
  compatibility text not null,
  policy text not null,
  metadata jsonb not null,
  latest integer not null,
  digest text not null,
  dialect text not null,
  title text not null,
  words text not null,
  status text not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  etag integer not null,
  primary key (tenant_id, subject)
);
${tenantTable('schemas.subject')}

create table schemas.schema_version (
  tenant_id uuid not null,
  subject text not null,
  version integer not null check (version > 0),
  digest text not null,
  dialect text not null,
  json_schema json not null,
  title text not null,
  status text not null check (status in ('draft', 'active', 'deprecated')),
  verdict jsonb not null,
  registered_by text not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  etag integer not null,
  primary key (tenant_id, subject, version),
  unique (tenant_id, subject, digest),
  foreign key (tenant_id, subject) references schemas.subject (tenant_id, subject)
);
${tenantTable('schemas.schema_version')}

create table schemas.library (
  library_id text primary key,
  name text not null,
  version text not null,
  license text not null,
  source text not null,
  attribution text not null,
  digest text not null,
  synced_at timestamptz(3) not null
);
create table schemas.library_schema (
  library_id text not null references schemas.library (library_id) on delete cascade,
  domain text not null,
  schema_id text not null,
  version text not null,
  title text not null,
  description text not null,
  license text not null,
  attribution text not null,
  dialect text not null,
  digest text not null,
  properties integer not null,
  words text not null,
  json_schema json not null,
  primary key (library_id, domain, schema_id)
);
grant select, insert, update, delete on schemas.library, schemas.library_schema to weir_app;
grant select on schemas.library, schemas.library_schema to weir_system;
`,
};
