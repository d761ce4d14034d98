import type { Migration } from './migration.ts';

/** Transforms that replace rows by key or by partition, and read what is new. */
export const s32_increments: Migration = {
  name: 's32_increments',
  after: 's31_transform_checks',
  additiveSince: 's24_webhooks',
  sql: `
alter table transforms.transform
  add column key text[] not null default '{}',
  add column partition_by text[] not null default '{}',
  add column incremental text,
  drop constraint transform_materialization_check,
  add constraint transform_materialization_check
    check (materialization in ('full', 'append', 'merge', 'partition_overwrite'));

alter table transforms.transform_run
  add column full_asked boolean not null default false,
  add column extent text check (extent in ('full', 'increment')),
  drop constraint transform_run_reason_check,
  add constraint transform_run_reason_check check (reason in (
    'first', 'input_moved', 'definition_changed', 'forced', 'full_asked', 'other_input_moved', 'input_overwritten',
    'input_rows_changed', 'input_rolled_back', 'input_expired', 'columns_changed'));
`,
};
