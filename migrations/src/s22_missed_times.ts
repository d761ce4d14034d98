import type { Migration } from './migration.ts';

/** The first time of a schedule of which it was not looked whether it was missed. */
export const s22_missed_times: Migration = {
  name: 's22_missed_times',
  after: 's21_evidence',
  sql: `
alter table sources.schedule add column judged_from timestamptz(3);
update sources.schedule set judged_from = next_run_at where deleted_at is null;
`,
};
