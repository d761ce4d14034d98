import { type Migration, tenantTable } from './migration.ts';

/** Tenants, runs, remembered answers. */
export const s01_kernel: Migration = {
  name: 's01_kernel',
  after: undefined,
  sql: `
create schema kernel;
grant usage on schema kernel to weir_app, weir_system;

create table kernel.schema_ledger (
  ordinal integer primary key,
  name text not null unique,
  after text unique,
  sha256 text not null,
  applied_at timestamptz not null default now(),
  release_sha text
);
grant select on kernel.schema_ledger to weir_app, weir_system;

create table kernel.tenant (
  tenant_id uuid primary key,
  alias text not null unique,
  scope text not null unique check (scope ~ '^[a-z][a-z0-9_]{0,47}$'),
  created_at timestamptz not null default now(),
  disabled_at timestamptz
);
grant select on kernel.tenant to weir_app, weir_system;

create table kernel.run (
  tenant_id uuid not null references kernel.tenant (tenant_id),
  run_id uuid not null,
  kind text not null,
  subject_id uuid not null,
  exclusive boolean not null,
  status text not null check (status in ('pending', 'running', 'succeeded', 'failed', 'cancelled', 'skipped')),
  workflow_id text not null,
  requested_by text not null,
  lease_epoch integer not null default 0,
  failure jsonb,
  created_at timestamptz(3) not null default clock_timestamp(),
  workflow_started_at timestamptz,
  started_at timestamptz,
  ended_at timestamptz,
  primary key (tenant_id, run_id)
);
create unique index run_one_active on kernel.run (tenant_id, kind, subject_id)
  where exclusive and status in ('pending', 'running');
create unique index run_workflow on kernel.run (tenant_id, workflow_id);
create index run_subject on kernel.run (tenant_id, subject_id, created_at desc, run_id desc);
create index run_open on kernel.run (tenant_id, status) where status in ('pending', 'running');
${tenantTable('kernel.run')}

create table kernel.idempotency_key (
  tenant_id uuid not null references kernel.tenant (tenant_id),
  caller text not null,
  key text not null,
  fingerprint text not null,
  answer jsonb,
  created_at timestamptz not null default now(),
  primary key (tenant_id, caller, key)
);
${tenantTable('kernel.idempotency_key')}
`,
};
