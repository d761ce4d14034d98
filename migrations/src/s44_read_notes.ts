import type { Migration } from './migration.ts';

/** A sync says what its read did with files, and what it left out. */
export const s44_read_notes: Migration = {
  name: 's44_read_notes',
  after: 's43_replaced_rows',
  additiveSince: 's24_webhooks',
  sql: `
alter table sources.stream_run
  add column files_read bigint not null default 0,
  add column files_unchanged bigint not null default 0,
  add column files_left_out bigint not null default 0,
  add column rows_left_out bigint not null default 0,
  add column left_out jsonb not null default '[]';
alter table sources.sync_run
  add column files_read bigint not null default 0,
  add column files_unchanged bigint not null default 0,
  add column files_left_out bigint not null default 0,
  add column files_gone bigint not null default 0,
  add column rows_left_out bigint not null default 0;
`,
};
