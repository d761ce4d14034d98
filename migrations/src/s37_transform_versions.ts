import { type Migration, tenantTable } from './migration.ts';

/** Definitions that were in force, and drafts beside the one that is. What is hydrated becomes version 1. */
export const s37_transform_versions: Migration = {
  name: 's37_transform_versions',
  after: 's36_discovery_warnings',
  additiveSince: 's24_webhooks',
  sql: `
alter table transforms.transform
  add column current_version integer,
  add column draft json,
  add column draft_revision integer,
  add column drafted_by text,
  add column drafted_at timestamptz(3);

create table transforms.transform_version (
  tenant_id uuid not null,
  transform_id uuid not null,
  version integer not null check (version > 0),
  artifact_id text not null,
  definition json not null,
  changes text[] not null default '{}',
  restored_from integer,
  created_by text not null,
  created_at timestamptz(3) not null default now(),
  primary key (tenant_id, transform_id, version),
  foreign key (tenant_id, transform_id) references transforms.transform (tenant_id, transform_id) on delete cascade,
  foreign key (tenant_id, artifact_id) references transforms.artifact (tenant_id, artifact_id)
);
create index transform_version_artifact on transforms.transform_version (tenant_id, artifact_id);
${tenantTable('transforms.transform_version')}
revoke update, delete on transforms.transform_version from weir_app;

alter table transforms.transform no force row level security;
alter table transforms.transform_version no force row level security;
alter table transforms.hydration no force row level security;
alter table transforms.artifact no force row level security;

insert into transforms.transform_version (tenant_id, transform_id, version, artifact_id, definition, created_by, created_at)
select tenant_id, transform_id, 1, artifact_id,
  json_build_object('sql', sql, 'output', output, 'materialization', materialization, 'key', to_json(key),
    'partition_by', to_json(partition_by), 'incremental', incremental, 'checks', checks, 'origin', origin),
  created_by, coalesce(hydrated_at, updated_at)
from transforms.transform where artifact_id is not null;

-- A definition that was changed and not hydrated is a draft; what ran before it can be restored.
insert into transforms.transform_version (tenant_id, transform_id, version, artifact_id, definition, created_by, created_at)
select distinct on (h.tenant_id, h.transform_id) h.tenant_id, h.transform_id, 1, h.artifact_id,
  json_build_object('sql', a.content ->> 'sql', 'output', a.content ->> 'output',
    'materialization', a.content ->> 'materialization', 'key', coalesce(a.content -> 'key', '[]'),
    'partition_by', coalesce(a.content -> 'partition_by', '[]'), 'incremental', a.content ->> 'incremental',
    'checks', coalesce(a.content -> 'checks', '[]'), 'origin', null),
  t.created_by, h.hydrated_at
from transforms.hydration h
join transforms.transform t using (tenant_id, transform_id)
join transforms.artifact a on a.tenant_id = h.tenant_id and a.artifact_id = h.artifact_id
where t.artifact_id is null
order by h.tenant_id, h.transform_id, h.hydrated_at desc;

update transforms.transform set current_version = 1 where artifact_id is not null;

alter table transforms.transform force row level security;
alter table transforms.transform_version force row level security;
alter table transforms.hydration force row level security;
alter table transforms.artifact force row level security;
`,
};
