import { type Migration, tenantTable } from './migration.ts';

/** What the uploads of a tenant hold, so that one more is counted against them by one statement. */
export const s40_uploads: Migration = {
  name: 's40_uploads',
  after: 's38_run_reasons',
  additiveSince: 's24_webhooks',
  sql: `
create table sources.upload (
  tenant_id uuid not null,
  upload_id uuid not null,
  files jsonb not null,
  bytes bigint not null check (bytes >= 0),
  used_at timestamptz(3) not null default now(),
  primary key (tenant_id, upload_id)
);
create index upload_used on sources.upload (tenant_id, used_at);
${tenantTable('sources.upload')}
`,
};
