import type { Migration } from './migration.ts';

/** Stored names in the words of the field: when a token was issued, and the last attempt that made progress. */
export const s47_plain_names: Migration = {
  name: 's47_plain_names',
  after: 's46_inspections',
  sql: `
alter table identity.person rename column told_at to issued_at;

alter table datasets.checkpoint no force row level security;
update datasets.checkpoint set counters = counters - 'got_on_at' || jsonb_build_object('progress_attempt', counters -> 'got_on_at')
  where counters ? 'got_on_at';
alter table datasets.checkpoint force row level security;
`,
};
