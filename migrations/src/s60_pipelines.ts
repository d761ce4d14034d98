import { type Migration, tenantTable } from './migration.ts';

/** Pipelines: their steps, their versions, which transforms they use, and their runs. */
export const s60_pipelines: Migration = {
  name: 's60_pipelines',
  after: 's56_adoption',
  additiveSince: 's24_webhooks',
  sql: `
create schema pipelines;
grant usage on schema pipelines to weir_app, weir_system;

create table pipelines.pipeline (
  tenant_id uuid not null references kernel.tenant (tenant_id),
  pipeline_id uuid not null,
  name text not null,
  description text,
  steps json not null,
  publish text not null check (publish in ('together', 'each')),
  fingerprint text not null,
  status text not null check (status in ('draft', 'validated', 'sandboxed', 'activated', 'paused')),
  draft_state text not null check (draft_state in ('draft', 'validated', 'sandboxed', 'same_as_active')),
  validated json,
  sandboxed json,
  rehearsed text[] not null default '{}',
  active_version integer,
  active_fingerprint text,
  latest_version integer,
  paused json,
  archived_at timestamptz(3),
  version integer not null default 1,
  created_by text not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (tenant_id, pipeline_id)
);
create unique index pipeline_name on pipelines.pipeline (tenant_id, name) where archived_at is null;
${tenantTable('pipelines.pipeline')}

create table pipelines.version (
  tenant_id uuid not null,
  pipeline_id uuid not null,
  version integer not null check (version > 0),
  fingerprint text not null,
  publish text not null check (publish in ('together', 'each')),
  steps json not null,
  note text,
  created_by text not null,
  created_at timestamptz(3) not null,
  primary key (tenant_id, pipeline_id, version),
  foreign key (tenant_id, pipeline_id) references pipelines.pipeline (tenant_id, pipeline_id)
);
${tenantTable('pipelines.version')}
revoke update, delete on pipelines.version from weir_app;

create table pipelines.uses (
  tenant_id uuid not null,
  transform_id uuid not null,
  pipeline_id uuid not null,
  version integer not null,
  primary key (tenant_id, transform_id, pipeline_id, version),
  foreign key (tenant_id, pipeline_id) references pipelines.pipeline (tenant_id, pipeline_id)
);
create index uses_of_pipeline on pipelines.uses (tenant_id, pipeline_id, version);
${tenantTable('pipelines.uses')}

create table pipelines.run (
  tenant_id uuid not null,
  run_id uuid not null,
  pipeline_id uuid not null,
  version integer,
  fingerprint text not null,
  publish text not null check (publish in ('together', 'each', 'none')),
  cause text not null,
  from_run_id uuid,
  status text not null default 'pending',
  created_at timestamptz(3) not null default now(),
  primary key (tenant_id, run_id),
  foreign key (tenant_id, pipeline_id) references pipelines.pipeline (tenant_id, pipeline_id)
);
create index run_of_pipeline on pipelines.run (tenant_id, pipeline_id, created_at desc, run_id);
${tenantTable('pipelines.run')}
`,
};
