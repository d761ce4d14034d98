import type { Migration } from './migration.ts';

/** Digest of the place that credentials were given for; null of those that were written before it was kept. */
export const s18_credential_place: Migration = {
  name: 's18_credential_place',
  after: 's17_deduplicated_rows',
  sql: `
alter table sources.credential add column place text;
alter table sources.discovery add column place text;
`,
};
