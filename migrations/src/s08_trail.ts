import { type Migration, tenantTable } from './migration.ts';

/**
 * The audit trail and what tenants are held to. Calls that belong to no tenant have a chain too, under the nil UUID, so
 * `tenant_id` of the trail is no foreign key. The events can be added by the platform role, never changed or deleted.
 */
export const s08_trail: Migration = {
  name: 's08_trail',
  after: 's07_engine',
  sql: `
create table platform.audit_chain (
  tenant_id uuid primary key,
  seq bigint not null,
  hash text not null
);
${tenantTable('platform.audit_chain')}
revoke delete on platform.audit_chain from weir_app;

create table platform.audit_event (
  tenant_id uuid not null,
  seq bigint not null,
  event jsonb not null,
  previous_hash text not null,
  hash text not null,
  primary key (tenant_id, seq)
);
create index audit_event_action on platform.audit_event (tenant_id, (event->>'action'), seq);
create index audit_event_subject on platform.audit_event (tenant_id, (event->>'subject'), seq);
create index audit_event_at on platform.audit_event (tenant_id, (event->>'at'), seq);
${tenantTable('platform.audit_event')}
revoke update, delete on platform.audit_event from weir_app;

create table platform.audit_intent (
  tenant_id uuid not null,
  intent_id uuid not null,
  call jsonb not null,
  begun_at timestamptz(3) not null default clock_timestamp(),
  primary key (tenant_id, intent_id)
);
create index audit_intent_age on platform.audit_intent (tenant_id, begun_at);
${tenantTable('platform.audit_intent')}
revoke update on platform.audit_intent from weir_app;

create table platform.tenant_limit (
  tenant_id uuid primary key references kernel.tenant (tenant_id),
  runs_per_day integer,
  concurrent_runs integer,
  storage_bytes bigint,
  changed_by text not null,
  changed_at timestamptz(3) not null default clock_timestamp()
);
${tenantTable('platform.tenant_limit')}
create index run_made on kernel.run (tenant_id, created_at);
`,
};
