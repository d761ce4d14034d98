import type { Migration } from './migration.ts';

/** What a discovery of a source has run with, and which streams it has found. */
export const s26_seen_by_discovery: Migration = {
  name: 's26_seen_by_discovery',
  after: 's25_additive_steps',
  additiveSince: 's24_webhooks',
  sql: `
alter table sources.discovery
  add column seen_config text,
  add column seen_credential text,
  add column found_streams json;
create index discovery_of_source on sources.discovery (tenant_id, source_id, created_at desc) where source_id is not null;
create index discovery_seen_credential on sources.discovery (tenant_id, seen_credential) where seen_credential is not null;
`,
};
