import { type Migration, tenantTable } from './migration.ts';

/** The snapshots from which increments read on: they expire later than others. */
export const s32_input_marks: Migration = {
  name: 's32_input_marks',
  after: 's32_increments',
  additiveSince: 's24_webhooks',
  sql: `
create table datasets.input_mark (
  tenant_id uuid not null references kernel.tenant (tenant_id),
  reader text not null,
  namespace text not null,
  table_name text not null,
  snapshot_id bigint not null,
  marked_at timestamptz not null default now(),
  primary key (tenant_id, reader, namespace, table_name)
);
create index input_mark_table on datasets.input_mark (tenant_id, namespace, table_name);
${tenantTable('datasets.input_mark')}
`,
};
