import type { Migration } from './migration.ts';

/** Runs that their caller or their parent carries out, groups of kinds that exclude each other, and the list of all runs. */
export const s23_runs: Migration = {
  name: 's23_runs',
  after: 's22_missed_times',
  sql: `
alter table kernel.run
  add column carried_by text not null default 'workflow' check (carried_by in ('workflow', 'caller', 'parent')),
  add column deadline timestamptz,
  add column parent_run_id uuid,
  add column orchestrator_run_id text,
  add column exclusive_group text,
  add foreign key (tenant_id, parent_run_id) references kernel.run (tenant_id, run_id);
create unique index run_one_active_in_group on kernel.run (tenant_id, exclusive_group, subject_id)
  where exclusive and exclusive_group is not null and status in ('pending', 'running');
create unique index run_of_orchestrator on kernel.run (tenant_id, orchestrator_run_id, kind, subject_id)
  where orchestrator_run_id is not null;
create index run_part on kernel.run (tenant_id, parent_run_id) where parent_run_id is not null;
create index run_created on kernel.run (tenant_id, created_at desc, run_id desc);
`,
};
