import { type Migration, tenantTable } from './migration.ts';

/** Who produces which table, how far each stream has been committed, and which staged files a sweep may meet. */
export const s03_datasets: Migration = {
  name: 's03_datasets',
  after: 's02_catalog',
  sql: `
create schema datasets;
grant usage on schema datasets to weir_app, weir_system;

create table datasets.producer (
  tenant_id uuid not null references kernel.tenant (tenant_id),
  namespace text not null,
  table_name text not null,
  kind text not null,
  producer_id uuid not null,
  created_at timestamptz not null default now(),
  primary key (tenant_id, namespace, table_name)
);
create unique index producer_any_case on datasets.producer (tenant_id, namespace, lower(table_name));
create index producer_by on datasets.producer (tenant_id, kind, producer_id);
${tenantTable('datasets.producer')}

create table datasets.checkpoint (
  tenant_id uuid not null references kernel.tenant (tenant_id),
  key text not null,
  state text,
  counters jsonb not null default '{}',
  run_id uuid not null,
  updated_at timestamptz not null default now(),
  primary key (tenant_id, key)
);
${tenantTable('datasets.checkpoint')}

create table datasets.staged_file (
  tenant_id uuid not null references kernel.tenant (tenant_id),
  location text not null,
  run_id uuid not null,
  staged_at timestamptz not null default now(),
  primary key (tenant_id, location)
);
create index staged_file_run on datasets.staged_file (tenant_id, run_id);
${tenantTable('datasets.staged_file')}
`,
};
