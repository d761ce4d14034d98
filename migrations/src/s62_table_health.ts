import { type Migration, tenantTable } from './migration.ts';

/** What each table needs of maintenance, the runs that carry it out, and their receipts. */
export const s62_table_health: Migration = {
  name: 's62_table_health',
  after: 's38_ontology',
  additiveSince: 's24_webhooks',
  sql: `
create table datasets.table_health (
  tenant_id uuid not null references kernel.tenant (tenant_id),
  namespace text not null,
  table_name text not null,
  table_uuid uuid not null,
  metadata_location text not null,
  data_files bigint not null,
  bytes bigint not null,
  delete_files bigint not null,
  position_deletes bigint not null,
  snapshots integer not null,
  changed_at timestamptz not null default now(),
  checked_at timestamptz,
  next_at timestamptz not null,
  due jsonb not null default '[]',
  blocked jsonb,
  lost_races jsonb not null default '{}',
  orphans_at timestamptz not null default now(),
  paused boolean not null default false,
  target_file_bytes bigint,
  keep_days integer,
  version integer not null default 1,
  primary key (tenant_id, namespace, table_name)
);
create index table_health_uuid on datasets.table_health (tenant_id, table_uuid);
create index table_health_next on datasets.table_health (tenant_id, next_at);
create table datasets.maintenance_run (
  tenant_id uuid not null references kernel.tenant (tenant_id),
  run_id uuid not null,
  namespace text not null,
  table_name text not null,
  actions text[] not null,
  at_once boolean not null default false,
  made_at timestamptz not null default now(),
  primary key (tenant_id, run_id)
);
create index maintenance_run_table on datasets.maintenance_run (tenant_id, namespace, table_name, made_at);
create table datasets.rewrite_receipt (
  tenant_id uuid not null references kernel.tenant (tenant_id),
  run_id uuid not null,
  number integer not null,
  namespace text not null,
  table_name text not null,
  outcome text not null check (outcome in ('committed', 'lost')),
  snapshot_id bigint,
  files_before integer not null,
  files_after integer not null,
  bytes_before bigint not null,
  bytes_after bigint not null,
  deleted_rows bigint not null,
  rows_before bigint not null,
  rows_after bigint not null,
  checksum_before text not null,
  checksum_after text not null,
  made_at timestamptz not null default now(),
  primary key (tenant_id, run_id, number)
);
create index rewrite_receipt_table on datasets.rewrite_receipt (tenant_id, namespace, table_name, made_at);
create index rewrite_receipt_time on datasets.rewrite_receipt (tenant_id, made_at);
${tenantTable('datasets.table_health')}
${tenantTable('datasets.maintenance_run')}
${tenantTable('datasets.rewrite_receipt')}
`,
};
