import type { Migration } from './migration.ts';

/** Two more reasons for which a transform does its work: its output was changed, and its statement reads a clock. */
export const s38_run_reasons: Migration = {
  name: 's38_run_reasons',
  after: 's37_transform_versions',
  additiveSince: 's24_webhooks',
  sql: `
alter table transforms.transform_run
  drop constraint transform_run_reason_check,
  add constraint transform_run_reason_check check (reason in (
    'first', 'input_moved', 'definition_changed', 'forced', 'full_asked', 'other_input_moved', 'input_overwritten',
    'input_rows_changed', 'input_rolled_back', 'input_expired', 'columns_changed', 'output_moved', 'clock'));
`,
};
