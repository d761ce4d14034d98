import type { Migration } from './migration.ts';

/** What a step of a history says of the releases before it. */
export const s25_additive_steps: Migration = {
  name: 's25_additive_steps',
  after: 's24_webhooks',
  additiveSince: 's24_webhooks',
  sql: `
alter table kernel.schema_ledger add column additive_since text;
alter table kernel.plugin_ledger add column additive_since text;
`,
};
