import { type Migration, tenantTable } from './migration.ts';

/** Runs of transforms as steps of one whole: how it publishes, and what a step has staged. */
export const s50_groups: Migration = {
  name: 's50_groups',
  after: 's48_checking',
  additiveSince: 's24_webhooks',
  sql: `
create table transforms.step_group (
  tenant_id uuid not null references kernel.tenant (tenant_id),
  run_id uuid not null,
  publish text not null check (publish in ('together', 'each', 'none')),
  sample_rows integer not null default 0,
  inputs json not null default '[]',
  primary key (tenant_id, run_id)
);
${tenantTable('transforms.step_group')}

create table transforms.step (
  tenant_id uuid not null,
  run_id uuid not null,
  group_run_id uuid not null,
  step_id text not null,
  position integer not null,
  after integer[] not null default '{}',
  staged json,
  rows_in bigint,
  columns json,
  sample json,
  primary key (tenant_id, run_id),
  foreign key (tenant_id, run_id) references transforms.transform_run (tenant_id, run_id) on delete cascade
);
create unique index step_of_group on transforms.step (tenant_id, group_run_id, position);
${tenantTable('transforms.step')}
`,
};
