import { type Migration, tenantTable } from './migration.ts';

/** What a sync attempted and applied, by the fingerprint of its effective specification, and the chunks it sent. */
export const s39_bd_sync_spec_fingerprint: Migration = {
  name: 's39_bd_sync_spec_fingerprint',
  after: 's38_backing_datasets',
  additiveSince: 's38_backing_datasets',
  sql: `
alter table ontology.backing_dataset
  add column applied_sync_spec_fingerprint text,
  add column applied_snapshot_id numeric(20),
  add column applied_run_id uuid,
  add column applied_at timestamptz(3),
  add column dirty_run_id uuid;
alter table ontology.sync_run
  add column attempted_sync_spec_fingerprint text,
  add column applied_sync_spec_fingerprint text,
  add column effective_spec_changed boolean,
  add column replay_reason text;
create table ontology.bulk_chunk (
  tenant_id uuid not null,
  run_id uuid not null,
  operation text not null check (operation in ('upsert', 'delete')),
  seq integer not null check (seq >= 0),
  digest text not null,
  job_id text not null,
  submitted integer not null,
  completed integer not null,
  state text not null check (state in ('pending', 'done')),
  primary key (tenant_id, run_id, operation, seq)
);
${tenantTable('ontology.bulk_chunk')}
`,
};
