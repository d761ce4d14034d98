import type { Migration } from './migration.ts';

/** A sync says how many files of a stream are gone whose rows stay. */
export const s42_files_gone: Migration = {
  name: 's42_files_gone',
  after: 's41_told_credentials',
  additiveSince: 's24_webhooks',
  sql: `
alter table sources.stream_run add column files_gone bigint not null default 0;
`,
};
