import { type Migration, partitionedTenantTable, tenantTable } from './migration.ts';

/** Which tables fill which entity types, their runs, and which run brought which entity. */
export const s38_backing_datasets: Migration = {
  name: 's38_backing_datasets',
  after: 's62_table_health',
  additiveSince: 's24_webhooks',
  sql: `
create table ontology.backing_dataset (
  tenant_id uuid not null references kernel.tenant (tenant_id),
  backing_dataset_id uuid not null,
  name text not null,
  dataset_id text not null,
  entity_type_code text not null,
  entity_type_version integer not null check (entity_type_version > 0),
  spec jsonb not null,
  max_rejected_rows integer not null,
  sync text not null check (sync in ('on_snapshot', 'manual')),
  pending_since timestamptz(3),
  pending_snapshot_id numeric(20),
  pending_reason text,
  created_by text not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  etag integer not null,
  primary key (tenant_id, backing_dataset_id),
  foreign key (tenant_id, entity_type_code) references ontology.entity_type (tenant_id, code)
);
create unique index backing_dataset_name on ontology.backing_dataset (tenant_id, lower(name));
create index backing_dataset_table on ontology.backing_dataset (tenant_id, dataset_id);
create index backing_dataset_type on ontology.backing_dataset (tenant_id, entity_type_code);
create index backing_dataset_pending on ontology.backing_dataset (tenant_id, pending_since)
  where pending_since is not null;
${tenantTable('ontology.backing_dataset')}

create table ontology.sync_run (
  tenant_id uuid not null references kernel.tenant (tenant_id),
  run_id uuid not null,
  backing_dataset_id uuid not null,
  contract integer not null check (contract in (1, 2)),
  force boolean not null,
  spec jsonb not null,
  mode text check (mode in ('skip', 'append', 'diff', 'full')),
  snapshot_id numeric(20),
  previous_snapshot_id numeric(20),
  pending_snapshot_id numeric(20),
  counts jsonb not null,
  lineage jsonb,
  created_at timestamptz(3) not null,
  primary key (tenant_id, run_id)
);
create index sync_run_newest on ontology.sync_run (tenant_id, backing_dataset_id, created_at);
${tenantTable('ontology.sync_run')}

create table ontology.claim (
  tenant_id uuid not null,
  backing_dataset_id uuid not null,
  entity_key text collate "C" not null,
  type_code text not null,
  row_hash bytea not null,
  run_id uuid not null,
  unseen_run_id uuid,
  primary key (tenant_id, backing_dataset_id, entity_key)
) partition by hash (tenant_id, backing_dataset_id);
create index claim_entity on ontology.claim (tenant_id, type_code, entity_key);
create index claim_unseen on ontology.claim (tenant_id, backing_dataset_id, unseen_run_id, entity_key)
  where unseen_run_id is not null;
${partitionedTenantTable('ontology.claim', 16)}

create table ontology.sync_route (
  is_only boolean primary key default true check (is_only),
  contract integer not null check (contract in (1, 2)),
  proven_at timestamptz(3) not null,
  evidence jsonb not null,
  changed_by text not null
);
insert into ontology.sync_route (contract, proven_at, evidence, changed_by)
values (2, now(), '{}', 's38_backing_datasets');
grant select on ontology.sync_route to weir_app, weir_system;
`,
};
