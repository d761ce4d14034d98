import { type Migration, tenantTable } from './migration.ts';

/** Checks of transforms, how they ended in runs, rows that broke them, and where the columns of a run came from. */
export const s31_transform_checks: Migration = {
  name: 's31_transform_checks',
  after: 's30_schedules',
  additiveSince: 's24_webhooks',
  sql: `
alter table transforms.transform add column checks json not null default '[]';
alter table transforms.transform_run
  add column checks json not null default '[]',
  add column lineage json;

create table transforms.check_sample (
  tenant_id uuid not null,
  run_id uuid not null,
  name text not null,
  columns json not null,
  rows json not null,
  primary key (tenant_id, run_id, name),
  foreign key (tenant_id, run_id) references transforms.transform_run (tenant_id, run_id) on delete cascade
);
${tenantTable('transforms.check_sample')}
`,
};
