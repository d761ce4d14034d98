import type { Migration } from './migration.ts';

/** A sync says how many rows a merge has left out; null of one that a release has run which did not count them. */
export const s17_deduplicated_rows: Migration = {
  name: 's17_deduplicated_rows',
  after: 's16_pulling',
  sql: `
alter table sources.sync_run add column rows_deduplicated bigint;
alter table sources.stream_run add column rows_deduplicated bigint;
`,
};
