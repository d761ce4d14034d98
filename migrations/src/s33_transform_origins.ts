import type { Migration } from './migration.ts';

/** The form that a transform was made from: a pattern, its version and its parameters. */
export const s33_transform_origins: Migration = {
  name: 's33_transform_origins',
  after: 's32_input_marks',
  additiveSince: 's24_webhooks',
  sql: `
alter table transforms.transform add column origin jsonb;
`,
};
