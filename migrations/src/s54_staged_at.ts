import type { Migration } from './migration.ts';

/** When a step has staged: it may wait for long until its whole publishes. */
export const s54_staged_at: Migration = {
  name: 's54_staged_at',
  after: 's53_workflow_of_parts',
  additiveSince: 's24_webhooks',
  sql: `
alter table transforms.step add column staged_at timestamptz(3);
`,
};
