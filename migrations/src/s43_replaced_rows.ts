import type { Migration } from './migration.ts';

/** A sync says how many rows of a stream went with the files that were replaced. */
export const s43_replaced_rows: Migration = {
  name: 's43_replaced_rows',
  after: 's42_files_gone',
  additiveSince: 's24_webhooks',
  sql: `
alter table sources.stream_run add column rows_replaced bigint not null default 0;
`,
};
