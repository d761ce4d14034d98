import { type Migration, tenantTable } from './migration.ts';

/** Snapshots that open runs read, so that maintenance leaves their files. */
export const s27_input_holds: Migration = {
  name: 's27_input_holds',
  after: 's26_seen_by_discovery',
  additiveSince: 's24_webhooks',
  sql: `
create table datasets.input_hold (
  tenant_id uuid not null references kernel.tenant (tenant_id),
  run_id uuid not null,
  namespace text not null,
  table_name text not null,
  snapshot_id bigint not null,
  metadata_location text not null,
  held_at timestamptz not null default now(),
  primary key (tenant_id, run_id, namespace, table_name, snapshot_id)
);
create index input_hold_table on datasets.input_hold (tenant_id, namespace, table_name);
${tenantTable('datasets.input_hold')}
`,
};
