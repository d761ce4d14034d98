import { type Migration, tenantTable } from './migration.ts';

/**
 * Plugins per tenant, the history of third-party plugins, the trace that a run continues, and what the plugin
 * `platform` keeps: the admission switch with its changes, hints of what changed, and the sums of all processes' metrics.
 */
export const s05_platform: Migration = {
  name: 's05_platform',
  after: 's04_sources',
  sql: `
create table kernel.tenant_plugin (
  tenant_id uuid not null references kernel.tenant (tenant_id),
  plugin_id text not null,
  enabled boolean not null,
  changed_by text not null,
  changed_at timestamptz(3) not null default clock_timestamp(),
  primary key (tenant_id, plugin_id)
);
${tenantTable('kernel.tenant_plugin')}

create table kernel.plugin_ledger (
  plugin_id text not null,
  ordinal integer not null,
  name text not null,
  after text,
  sha256 text not null,
  applied_at timestamptz not null default now(),
  release_sha text,
  primary key (plugin_id, ordinal),
  unique (plugin_id, name)
);
grant select on kernel.plugin_ledger to weir_app, weir_system;

alter table kernel.run add column traceparent text;

create schema platform;
grant usage on schema platform to weir_app, weir_system;

create table platform.admission (
  singleton boolean primary key default true check (singleton),
  open boolean not null,
  reason text,
  changed_by text not null,
  changed_at timestamptz(3) not null default clock_timestamp()
);
insert into platform.admission (open, changed_by) values (true, 'migration');
grant select, update on platform.admission to weir_app;
grant select on platform.admission to weir_system;

create table platform.admission_change (
  change_id bigint generated always as identity primary key,
  open boolean not null,
  reason text,
  changed_by text not null,
  changed_at timestamptz(3) not null default clock_timestamp()
);
grant select, insert on platform.admission_change to weir_app;
grant select on platform.admission_change to weir_system;

create table platform.event (
  tenant_id uuid not null references kernel.tenant (tenant_id),
  event_id bigint generated always as identity,
  xid xid8 not null default pg_current_xact_id(),
  topic text not null,
  subject_id text not null,
  version text not null,
  created_at timestamptz(3) not null default clock_timestamp(),
  primary key (tenant_id, event_id)
);
create index event_order on platform.event (tenant_id, xid, event_id);
create index event_age on platform.event (tenant_id, created_at);
${tenantTable('platform.event')}

create table platform.metric (
  name text not null,
  labels text not null,
  value double precision not null,
  primary key (name, labels)
);
grant select, insert, update on platform.metric to weir_app;
grant select on platform.metric to weir_system;
`,
};
