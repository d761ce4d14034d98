import type { Migration } from './migration.ts';

/** Looks at connector images, before patterns are made of them. They belong to the platform, as patterns do. */
export const s46_inspections: Migration = {
  name: 's46_inspections',
  after: 's45_discovery_looks',
  additiveSince: 's24_webhooks',
  sql: `
create table sources.inspection (
  run_id uuid primary key,
  tenant_id uuid not null,
  image text not null,
  given_spec json,
  phase text not null check (phase in ('waiting', 'preparing', 'pulling', 'describing', 'ended')),
  pull jsonb,
  reference text,
  found json,
  created_at timestamptz(3) not null
);
grant select, insert, update on sources.inspection to weir_app;
grant select on sources.inspection to weir_system;
`,
};
