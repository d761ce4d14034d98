import type { Migration } from './migration.ts';

/** A discovery of what is no source yet keeps for a day what its connector shows of the streams. */
export const s45_discovery_looks: Migration = {
  name: 's45_discovery_looks',
  after: 's44_read_notes',
  additiveSince: 's24_webhooks',
  sql: `
alter table sources.discovery add column looks jsonb;
create index discovery_looks on sources.discovery (tenant_id, created_at) where looks is not null;
`,
};
