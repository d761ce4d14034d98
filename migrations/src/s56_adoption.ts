import type { Migration } from './migration.ts';

/** Steps that take over what another whole has staged, and runs of some partitions of a table. */
export const s56_adoption: Migration = {
  name: 's56_adoption',
  after: 's54_staged_at',
  additiveSince: 's24_webhooks',
  sql: `
alter table transforms.step_group add column adopt_from uuid;
alter table transforms.step
  add column reads_digest text,
  add column adopted_from uuid,
  add column not_adopted text check (not_adopted in ('inputs_moved', 'definition_changed', 'files_gone')),
  add column partitions json;
alter table transforms.transform_run
  drop constraint transform_run_reason_check,
  add constraint transform_run_reason_check check (reason in (
    'first', 'input_moved', 'definition_changed', 'forced', 'full_asked', 'other_input_moved', 'input_overwritten',
    'input_rows_changed', 'input_rolled_back', 'input_expired', 'columns_changed', 'output_moved', 'clock', 'backfill'));
`,
};
