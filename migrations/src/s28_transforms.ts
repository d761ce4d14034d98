import { type Migration, tenantTable } from './migration.ts';

/** Transforms, their artifacts and their runs. Status and times of a run are those of `kernel.run`. */
export const s28_transforms: Migration = {
  name: 's28_transforms',
  after: 's27_input_holds',
  additiveSince: 's24_webhooks',
  sql: `
create schema transforms;
grant usage on schema transforms to weir_app, weir_system;

create table transforms.artifact (
  tenant_id uuid not null references kernel.tenant (tenant_id),
  artifact_id text not null check (artifact_id ~ '^[0-9a-f]{64}$'),
  runtime text not null,
  content json not null,
  created_at timestamptz(3) not null default now(),
  primary key (tenant_id, artifact_id)
);
create index artifact_listed on transforms.artifact (tenant_id, created_at desc, artifact_id desc);
${tenantTable('transforms.artifact')}

create table transforms.transform (
  tenant_id uuid not null references kernel.tenant (tenant_id),
  transform_id uuid not null,
  name text not null,
  description text,
  tags text[] not null default '{}',
  dialect text not null,
  sql text not null,
  output text not null,
  materialization text not null check (materialization in ('full', 'append')),
  artifact_id text,
  hydrated_at timestamptz(3),
  archived_at timestamptz(3),
  version integer not null default 1,
  created_by text not null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (tenant_id, transform_id),
  constraint transform_name unique (tenant_id, name),
  foreign key (tenant_id, artifact_id) references transforms.artifact (tenant_id, artifact_id)
);
create unique index transform_output on transforms.transform (tenant_id, lower(output));
create index transform_artifact on transforms.transform (tenant_id, artifact_id) where artifact_id is not null;
${tenantTable('transforms.transform')}

create table transforms.hydration (
  tenant_id uuid not null,
  transform_id uuid not null,
  artifact_id text not null,
  hydrated_at timestamptz(3) not null default now(),
  primary key (tenant_id, transform_id, artifact_id),
  foreign key (tenant_id, transform_id) references transforms.transform (tenant_id, transform_id) on delete cascade,
  foreign key (tenant_id, artifact_id) references transforms.artifact (tenant_id, artifact_id)
);
create index hydration_artifact on transforms.hydration (tenant_id, artifact_id);
${tenantTable('transforms.hydration')}

create table transforms.transform_run (
  tenant_id uuid not null references kernel.tenant (tenant_id),
  run_id uuid not null,
  transform_id uuid not null,
  triggering_transform_id uuid,
  orchestrator_run_id text,
  artifact_id text,
  status text not null default 'pending',
  reason text check (reason in ('first', 'input_moved', 'definition_changed', 'forced')),
  moved_inputs text[] not null default '{}',
  inputs json not null default '[]',
  output text not null,
  output_snapshot_id bigint,
  row_count bigint,
  created_at timestamptz(3) not null default now(),
  primary key (tenant_id, run_id),
  foreign key (tenant_id, transform_id) references transforms.transform (tenant_id, transform_id) on delete cascade,
  foreign key (tenant_id, artifact_id) references transforms.artifact (tenant_id, artifact_id)
);
create index transform_run_of on transforms.transform_run (tenant_id, transform_id, created_at desc, run_id desc);
create index transform_run_listed on transforms.transform_run (tenant_id, created_at desc, run_id desc);
create index transform_run_triggered on transforms.transform_run (tenant_id, triggering_transform_id);
create index transform_run_artifact on transforms.transform_run (tenant_id, artifact_id) where artifact_id is not null;
create unique index transform_run_orchestrated
  on transforms.transform_run (tenant_id, transform_id, orchestrator_run_id) where orchestrator_run_id is not null;
${tenantTable('transforms.transform_run')}
`,
};
