import { type Migration, tenantTable } from './migration.ts';

/**
 * Connector patterns, which all tenants share: one row says which version is in force, and versions are kept, as sources
 * run on with the one they fit. `webhook_call` remembers signed requests as long as one could be sent again. Credentials
 * that a connector renewed wait in `credential_rotation`, sealed, until the process that may write to the secret store
 * has written them there; `rotation_due` tells it of which tenants, so that it need not ask each.
 */
export const s13_patterns: Migration = {
  name: 's13_patterns',
  after: 's12_logs',
  sql: `
create table sources.pattern (
  pattern_id text primary key check (pattern_id ~ '^[a-z][a-z0-9-]{0,62}$'),
  version text not null,
  sha256 text not null,
  status text not null check (status in ('active', 'retired')),
  changed_by text not null check (changed_by in ('file', 'register', 'reconcile')),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null
);
grant select, insert, update on sources.pattern to weir_app;
grant select on sources.pattern to weir_system;

create table sources.pattern_version (
  pattern_id text not null references sources.pattern (pattern_id),
  version text not null,
  sha256 text not null,
  document json not null,
  registered_at timestamptz(3) not null,
  primary key (pattern_id, version)
);
grant select, insert, update on sources.pattern_version to weir_app;
grant select on sources.pattern_version to weir_system;

create table sources.webhook_call (
  signature text primary key,
  received_at timestamptz(3) not null
);
create index webhook_call_age on sources.webhook_call (received_at);
grant select, insert, delete on sources.webhook_call to weir_app;
grant select on sources.webhook_call to weir_system;

create table sources.credential_rotation (
  tenant_id uuid not null,
  rotation_id uuid not null,
  credential_id uuid not null,
  source_id uuid not null,
  sealed text not null,
  created_at timestamptz(3) not null,
  primary key (tenant_id, rotation_id),
  foreign key (tenant_id, credential_id) references sources.credential (tenant_id, credential_id),
  foreign key (tenant_id, source_id) references sources.source (tenant_id, source_id)
);
create table sources.rotation_due (
  tenant_id uuid primary key,
  rung_at timestamptz not null
);
grant select, insert, update, delete on sources.rotation_due to weir_app;
grant select on sources.rotation_due to weir_system;
create index credential_rotation_credential on sources.credential_rotation (tenant_id, credential_id);
${tenantTable('sources.credential_rotation')}
`,
};
