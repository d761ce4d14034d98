import type { Migration } from './migration.ts';

/** Runs of transforms that were asked for whether or not anything moved. */
export const s29_transform_runs: Migration = {
  name: 's29_transform_runs',
  after: 's28_transforms',
  additiveSince: 's24_webhooks',
  sql: `
alter table transforms.transform_run add column forced boolean not null default false;
`,
};
