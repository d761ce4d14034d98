import { type Migration, tenantTable } from './migration.ts';

/**
 * Credentials of sources. Their values are never in a configuration: they are sealed beside it (`sealed`, bound to its
 * row), or in the secret store, of which the database knows an opaque reference, an exact version and the names of fields.
 * A write to the store begins with an intent; a version that was written and is not used is quarantined, as nobody here can
 * delete it. The one row of the cutover says that the secret store is in use for good.
 */
export const s10_credentials: Migration = {
  name: 's10_credentials',
  after: 's09_identity',
  sql: `
create table sources.credential (
  tenant_id uuid not null references kernel.tenant (tenant_id),
  credential_id uuid not null,
  credential_ref text not null check (credential_ref ~ '^cred_[a-z2-7]{26}$'),
  name text not null,
  kind text not null,
  declared_fields jsonb not null,
  fields jsonb not null,
  version integer not null check (version > 0),
  latest_version integer not null check (latest_version >= version),
  status text not null check (status in ('active', 'detached', 'revoked')),
  rotated_at timestamptz(3) not null,
  created_at timestamptz(3) not null,
  primary key (tenant_id, credential_id)
);
create unique index credential_ref on sources.credential (tenant_id, credential_ref);
create unique index credential_name on sources.credential (tenant_id, name) where status <> 'revoked';
${tenantTable('sources.credential')}

create table sources.credential_version (
  tenant_id uuid not null,
  credential_id uuid not null,
  version integer not null check (version > 0),
  fields jsonb not null,
  written_at timestamptz(3) not null,
  primary key (tenant_id, credential_id, version),
  foreign key (tenant_id, credential_id) references sources.credential (tenant_id, credential_id)
);
${tenantTable('sources.credential_version')}

create table sources.credential_intent (
  tenant_id uuid not null references kernel.tenant (tenant_id),
  credential_id uuid not null,
  batch_id uuid not null,
  version integer not null check (version > 0),
  renewed_at timestamptz(3) not null,
  primary key (tenant_id, credential_id)
);
create index credential_intent_batch on sources.credential_intent (tenant_id, batch_id);
${tenantTable('sources.credential_intent')}

create table sources.credential_quarantine (
  tenant_id uuid not null references kernel.tenant (tenant_id),
  credential_id uuid not null,
  version integer not null check (version > 0),
  reason text not null check (reason in ('not_committed', 'abandoned', 'unverified', 'unexpected')),
  created_at timestamptz(3) not null,
  primary key (tenant_id, credential_id, version)
);
${tenantTable('sources.credential_quarantine')}

create table sources.credential_cutover (
  committed boolean primary key check (committed),
  committed_at timestamptz(3) not null
);
grant select, insert on sources.credential_cutover to weir_app;
grant select on sources.credential_cutover to weir_system;

alter table sources.source
  add column sealed text,
  add column credential_id uuid,
  add constraint source_credential foreign key (tenant_id, credential_id)
    references sources.credential (tenant_id, credential_id),
  add constraint source_credential_once check (sealed is null or credential_id is null);
create index source_credential on sources.source (tenant_id, credential_id) where credential_id is not null;

alter table sources.discovery
  add column sealed text,
  add column credential_id uuid,
  add constraint discovery_credential foreign key (tenant_id, credential_id)
    references sources.credential (tenant_id, credential_id);
`,
};
