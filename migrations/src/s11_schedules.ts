import { type Migration, tenantTable } from './migration.ts';

/**
 * Schedules of sources, and what became of each of their times. The row is what is wanted; `applied_version`,
 * `applied_digest` and `engine_mark` say what the workflow engine was last given. One that is deleted stays until the
 * engine has let go of it.
 */
export const s11_schedules: Migration = {
  name: 's11_schedules',
  after: 's10_credentials',
  sql: `
create table sources.schedule (
  tenant_id uuid not null,
  source_id uuid not null,
  times jsonb not null,
  overlap text not null check (overlap in ('skip', 'buffer_one')),
  paused_at timestamptz(3),
  paused_by text,
  pause_reason text,
  version integer not null default 1,
  next_run_at timestamptz(3),
  applied_version integer,
  applied_digest text,
  engine_mark text,
  deleted_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  updated_by text not null,
  primary key (tenant_id, source_id),
  foreign key (tenant_id, source_id) references sources.source (tenant_id, source_id),
  constraint schedule_pause check ((paused_at is null) = (paused_by is null))
);
create index schedule_created on sources.schedule (tenant_id, created_at, source_id);
create index schedule_next_run on sources.schedule (tenant_id, next_run_at, source_id);
${tenantTable('sources.schedule')}

create table sources.schedule_firing (
  tenant_id uuid not null,
  firing_id uuid not null,
  source_id uuid not null,
  origin text not null check (origin in ('schedule', 'trigger')),
  scheduled_at timestamptz(3) not null,
  fired_at timestamptz(3) not null,
  looked_at timestamptz(3) not null,
  outcome text not null check (outcome in ('started', 'waiting', 'skipped')),
  run_id uuid,
  reason jsonb,
  requested_by text not null,
  primary key (tenant_id, firing_id),
  foreign key (tenant_id, source_id) references sources.source (tenant_id, source_id)
);
create index schedule_firing_of on sources.schedule_firing (tenant_id, source_id, fired_at desc, firing_id);
create unique index schedule_firing_waits on sources.schedule_firing (tenant_id, source_id) where outcome = 'waiting';
${tenantTable('sources.schedule_firing')}
`,
};
