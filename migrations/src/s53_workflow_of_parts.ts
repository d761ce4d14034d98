import type { Migration } from './migration.ts';

/** A run that its parent carries out has the workflow of its parent. */
export const s53_workflow_of_parts: Migration = {
  name: 's53_workflow_of_parts',
  after: 's50_groups',
  sql: `
drop index kernel.run_workflow;
alter table kernel.run no force row level security;
with recursive part as (
  select tenant_id, run_id, workflow_id from kernel.run where carried_by <> 'parent'
  union all
  select run.tenant_id, run.run_id, part.workflow_id from kernel.run
    join part on run.tenant_id = part.tenant_id and run.parent_run_id = part.run_id
    where run.carried_by = 'parent'
)
update kernel.run set workflow_id = part.workflow_id from part
  where run.tenant_id = part.tenant_id and run.run_id = part.run_id and run.carried_by = 'parent';
alter table kernel.run force row level security;
create unique index run_workflow on kernel.run (tenant_id, workflow_id) where carried_by <> 'parent';
`,
};
