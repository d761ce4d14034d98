import type { Migration } from './migration.ts';

/** What a discovery could not describe, and the pattern version of a source whose changed configuration it looks at. */
export const s36_discovery_warnings: Migration = {
  name: 's36_discovery_warnings',
  after: 's35_create_tenant',
  additiveSince: 's24_webhooks',
  sql: `
alter table sources.discovery
  add column warnings jsonb,
  add column pattern_version text;
`,
};
