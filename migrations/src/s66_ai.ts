import { type Migration, tenantTable } from './migration.ts';

/** What tenants asked assistance for, the proposals that came of it, and what a day of it used. */
export const s66_ai: Migration = {
  name: 's66_ai',
  after: 's39_bd_sync_spec_fingerprint',
  additiveSince: 's24_webhooks',
  sql: `
create schema ai;
grant usage on schema ai to weir_app, weir_system;

create table ai.execution (
  tenant_id uuid not null references kernel.tenant (tenant_id),
  execution_id uuid not null,
  task text not null,
  actor text not null,
  provider text not null,
  model text not null,
  external_id text,
  trace_id text not null,
  input_digest text not null,
  request json,
  run_id uuid,
  transform_id uuid,
  status text not null check (status in ('pending', 'running', 'succeeded', 'failed', 'cancelled', 'skipped')),
  phase text,
  proposal text check (proposal in ('drafted', 'accepted', 'refused')),
  result json,
  digest text,
  confidence double precision,
  degraded boolean not null default false,
  warnings json not null default '[]',
  attempts integer not null default 0,
  checks json not null default '[]',
  input_tokens integer not null default 0,
  output_tokens integer not null default 0,
  cost_micros bigint not null default 0,
  latency_ms integer not null default 0,
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  primary key (tenant_id, execution_id)
);
create index execution_time on ai.execution (tenant_id, created_at);
create unique index execution_run on ai.execution (tenant_id, run_id);
create index execution_end on ai.execution (tenant_id, expires_at);
${tenantTable('ai.execution')}

create table ai.budget (
  tenant_id uuid not null references kernel.tenant (tenant_id),
  day date not null,
  calls integer not null,
  tokens bigint not null,
  primary key (tenant_id, day)
);
${tenantTable('ai.budget')}
`,
};
