import { type Migration, tenantTable } from './migration.ts';

/**
 * What the lakehouse engine keeps: how a stream takes new fields and is partitioned, what every sync says at its end and
 * what was found when that was checked, commits that wait for their outcome, and what a sweep needs to
 * know of a staged file.
 */
export const s07_engine: Migration = {
  name: 's07_engine',
  after: 's06_streams',
  sql: `
alter table sources.stream
  add column schema_change_policy text not null default 'capture',
  add column partition_by jsonb,
  add constraint stream_schema_change_policy check (schema_change_policy in ('evolve', 'freeze', 'capture'));

alter table sources.sync_run
  add column rows_with_extra bigint not null default 0,
  add column spec_fingerprint text;

alter table sources.stream_run
  add column rows_with_extra bigint not null default 0,
  add column rows_in_table bigint,
  add column checksum text,
  add column schema_id integer,
  add column state_sha256 text,
  add column schema_changes jsonb not null default '[]',
  add column snapshot_ids jsonb not null default '[]';

create table sources.receipt (
  tenant_id uuid not null references kernel.tenant (tenant_id),
  run_id uuid not null,
  document jsonb not null,
  created_at timestamptz(3) not null default now(),
  primary key (tenant_id, run_id)
);
${tenantTable('sources.receipt')}

create table sources.verification (
  tenant_id uuid not null references kernel.tenant (tenant_id),
  verification_run_id uuid not null,
  run_id uuid not null,
  outcome jsonb,
  created_at timestamptz(3) not null default now(),
  primary key (tenant_id, verification_run_id)
);
create index verification_of on sources.verification (tenant_id, run_id, created_at desc);
${tenantTable('sources.verification')}

create table sources.quarantine_replay (
  tenant_id uuid not null references kernel.tenant (tenant_id),
  run_id uuid not null,
  stream_id uuid not null,
  request jsonb not null,
  outcome jsonb,
  created_at timestamptz(3) not null default now(),
  primary key (tenant_id, run_id)
);
${tenantTable('sources.quarantine_replay')}

create table datasets.pending_checkpoint (
  tenant_id uuid not null references kernel.tenant (tenant_id),
  commit_id text not null,
  key text not null,
  request jsonb not null,
  run_id uuid not null,
  created_at timestamptz not null default now(),
  primary key (tenant_id, commit_id, key)
);
${tenantTable('datasets.pending_checkpoint')}

alter table datasets.staged_file
  add column namespace text,
  add column table_name text,
  add column is_folder boolean not null default false,
  add column marked_at timestamptz;
create index staged_file_age on datasets.staged_file (tenant_id, staged_at);
`,
};
