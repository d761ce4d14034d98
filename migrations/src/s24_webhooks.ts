import { type Migration, tenantTable } from './migration.ts';

/** Webhooks of tenants, and what is to be sent to each, in order. */
export const s24_webhooks: Migration = {
  name: 's24_webhooks',
  after: 's23_runs',
  sql: `
create schema webhooks;
grant usage on schema webhooks to weir_app, weir_system;

create table webhooks.webhook (
  tenant_id uuid not null references kernel.tenant (tenant_id),
  webhook_id uuid not null,
  name text not null,
  host text not null,
  sealed text not null,
  events text[] not null,
  status text not null default 'active' check (status in ('active', 'paused')),
  pause_code text,
  pause_detail text,
  attempt integer not null default 0,
  version integer not null default 1,
  created_by text not null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (tenant_id, webhook_id),
  unique (tenant_id, name)
);
${tenantTable('webhooks.webhook')}

create table webhooks.delivery (
  tenant_id uuid not null,
  webhook_id uuid not null,
  event_id uuid not null,
  sequence bigint generated always as identity,
  event text not null,
  subject text not null,
  facts jsonb not null,
  status text not null default 'pending' check (status in ('pending', 'delivered', 'failed')),
  attempts integer not null default 0,
  response_status integer,
  failure_code text,
  next_attempt_at timestamptz(3) not null default now(),
  retry_until timestamptz(3) not null,
  created_at timestamptz(3) not null default now(),
  delivered_at timestamptz(3),
  primary key (tenant_id, webhook_id, event_id),
  foreign key (tenant_id, webhook_id) references webhooks.webhook (tenant_id, webhook_id) on delete cascade
);
create index delivery_pending on webhooks.delivery (tenant_id, webhook_id, subject, sequence) where status = 'pending';
create index delivery_listed on webhooks.delivery (tenant_id, webhook_id, created_at desc, event_id desc);
create index delivery_age on webhooks.delivery (tenant_id, created_at) where status <> 'pending';
${tenantTable('webhooks.delivery')}
`,
};
