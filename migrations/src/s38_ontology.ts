import { type Migration, partitionedTenantTable, tenantTable } from './migration.ts';

/** Entity types with their versions, and the entities of the embedded store with their indexed values and links. */
export const s38_ontology: Migration = {
  name: 's38_ontology',
  after: 's61_schemas',
  additiveSince: 's24_webhooks',
  sql: `
create schema ontology;
grant usage on schema ontology to weir_app, weir_system;

create table ontology.entity_type (
  tenant_id uuid not null references kernel.tenant (tenant_id),
  code text not null,
  name text not null,
  description text,
  icon text,
  status text not null check (status in ('draft', 'active', 'deprecated', 'retired')),
  version integer not null check (version > 0),
  fingerprint text not null,
  labels jsonb not null,
  properties_count integer not null,
  relationships jsonb not null,
  created_by text not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  etag integer not null,
  primary key (tenant_id, code)
);
create unique index entity_type_code on ontology.entity_type (tenant_id, lower(code));
${tenantTable('ontology.entity_type')}

create table ontology.entity_type_version (
  tenant_id uuid not null,
  code text not null,
  version integer not null check (version > 0),
  fingerprint text not null,
  document json not null,
  verdict text check (verdict in ('compatible', 'breaking')),
  changes jsonb not null,
  note text,
  created_by text not null,
  created_at timestamptz(3) not null,
  primary key (tenant_id, code, version),
  foreign key (tenant_id, code) references ontology.entity_type (tenant_id, code)
);
${tenantTable('ontology.entity_type_version')}

create table ontology.entity (
  tenant_id uuid not null,
  type_code text not null,
  entity_key text collate "C" not null,
  properties jsonb not null,
  row_hash bytea not null,
  type_version integer not null,
  run_id uuid not null,
  updated_at timestamptz(3) not null,
  revision integer not null default 1,
  primary key (tenant_id, type_code, entity_key)
) partition by hash (tenant_id, type_code);
${partitionedTenantTable('ontology.entity', 16)}

create table ontology.entity_value (
  tenant_id uuid not null,
  type_code text not null,
  property text not null,
  value text collate "C" not null,
  entity_key text collate "C" not null,
  primary key (tenant_id, type_code, entity_key, property, value)
);
create index entity_value_found on ontology.entity_value (tenant_id, type_code, property, value, entity_key);
${tenantTable('ontology.entity_value')}

create table ontology.link (
  tenant_id uuid not null,
  type_code text not null,
  entity_key text collate "C" not null,
  relationship text not null,
  target_type text not null,
  target_key text collate "C" not null,
  primary key (tenant_id, type_code, entity_key, relationship, target_type, target_key)
);
create index link_reverse on ontology.link (tenant_id, target_type, target_key, relationship, type_code, entity_key);
${tenantTable('ontology.link')}

create table ontology.bulk_job (
  tenant_id uuid not null,
  run_id uuid not null,
  operation text not null check (operation in ('upsert', 'delete')),
  seq integer not null check (seq >= 0),
  digest text not null,
  submitted integer not null,
  completed integer not null,
  written integer not null,
  errors jsonb not null,
  created_at timestamptz(3) not null,
  primary key (tenant_id, run_id, operation, seq)
);
create index bulk_job_age on ontology.bulk_job (tenant_id, created_at);
${tenantTable('ontology.bulk_job')}
`,
};
