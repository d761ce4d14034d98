import type { Migration } from './migration.ts';

/** Fields that an image calls credentials and its pattern does not, by the pattern's id: pointers, in every version of it. */
export const s41_told_credentials: Migration = {
  name: 's41_told_credentials',
  after: 's40_uploads',
  additiveSince: 's24_webhooks',
  sql: `
alter table sources.pattern add column told_credentials jsonb not null default '[]'
  check (jsonb_typeof(told_credentials) = 'array');
`,
};
