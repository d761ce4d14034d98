import { type Migration, tenantTable } from './migration.ts';

/**
 * Sources, their streams, discoveries, and what each sync did. What a connector wrote is kept as `json`, not `jsonb`: the
 * order of members is the order of columns.
 */
export const s04_sources: Migration = {
  name: 's04_sources',
  after: 's03_datasets',
  sql: `
create schema sources;
grant usage on schema sources to weir_app, weir_system;

create table sources.source (
  tenant_id uuid not null references kernel.tenant (tenant_id),
  source_id uuid not null,
  name text not null,
  pattern_id text not null,
  pattern_version text not null,
  source_config json not null,
  status text not null check (status in ('draft', 'discovering', 'ready', 'active', 'retired')),
  version integer not null default 1,
  last_run_id uuid,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (tenant_id, source_id)
);
create unique index source_name on sources.source (tenant_id, name) where status <> 'retired';
create index source_created on sources.source (tenant_id, created_at, source_id);
${tenantTable('sources.source')}

create table sources.stream (
  tenant_id uuid not null,
  stream_id uuid not null,
  source_id uuid not null,
  name text not null,
  namespace text,
  json_schema json not null,
  supported_sync_modes jsonb not null,
  source_defined_cursor boolean not null,
  default_cursor_field jsonb,
  source_defined_primary_key jsonb,
  discovered json not null,
  enabled boolean not null,
  sync_mode text not null check (sync_mode in ('full_refresh', 'incremental')),
  write_mode text not null check (write_mode in ('append', 'overwrite', 'merge', 'soft_delete')),
  cursor_field jsonb,
  primary_key jsonb,
  destination_table text not null,
  generation integer not null default 1,
  version integer not null default 1,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (tenant_id, stream_id),
  foreign key (tenant_id, source_id) references sources.source (tenant_id, source_id)
);
create unique index stream_name on sources.stream (tenant_id, source_id, name);
create unique index stream_destination on sources.stream (tenant_id, destination_table);
${tenantTable('sources.stream')}

create table sources.discovery (
  tenant_id uuid not null,
  run_id uuid not null,
  discovery_id uuid not null,
  source_id uuid,
  pattern_id text not null,
  source_config json,
  streams json,
  expires_at timestamptz,
  created_at timestamptz(3) not null,
  primary key (tenant_id, run_id),
  foreign key (tenant_id, run_id) references kernel.run (tenant_id, run_id),
  foreign key (tenant_id, source_id) references sources.source (tenant_id, source_id)
);
create index discovery_expiry on sources.discovery (tenant_id, expires_at) where expires_at is not null;
${tenantTable('sources.discovery')}

create table sources.sync_run (
  tenant_id uuid not null,
  run_id uuid not null,
  source_id uuid not null,
  phase text not null check (phase in ('waiting', 'preparing', 'reading', 'committing', 'ended')),
  verdict text check (verdict in ('clean', 'with_rejects')),
  attempt integer not null default 0,
  rows_read bigint not null default 0,
  rows_written bigint not null default 0,
  rows_with_errors bigint not null default 0,
  rows_rejected bigint not null default 0,
  bytes_read bigint not null default 0,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (tenant_id, run_id),
  foreign key (tenant_id, run_id) references kernel.run (tenant_id, run_id),
  foreign key (tenant_id, source_id) references sources.source (tenant_id, source_id)
);
create index sync_run_source on sources.sync_run (tenant_id, source_id, created_at desc);
${tenantTable('sources.sync_run')}

create table sources.stream_run (
  tenant_id uuid not null,
  run_id uuid not null,
  stream_id uuid not null,
  name text not null,
  namespace text,
  dataset_id text not null,
  status text not null check (status in ('pending', 'running', 'succeeded', 'failed', 'cancelled', 'skipped')),
  rows_read bigint not null default 0,
  rows_written bigint not null default 0,
  rows_with_errors bigint not null default 0,
  rows_rejected bigint not null default 0,
  bytes_read bigint not null default 0,
  commits integer not null default 0,
  snapshot_id text,
  failure jsonb,
  primary key (tenant_id, run_id, stream_id),
  foreign key (tenant_id, run_id) references sources.sync_run (tenant_id, run_id)
);
${tenantTable('sources.stream_run')}
`,
};
