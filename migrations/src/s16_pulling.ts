import type { Migration } from './migration.ts';

/** A run says that its image is pulled, and how far; a discovery has phases as a sync has. */
export const s16_pulling: Migration = {
  name: 's16_pulling',
  after: 's15_discovered_rotations',
  sql: `
alter table sources.sync_run
  drop constraint sync_run_phase_check,
  add constraint sync_run_phase_check
    check (phase in ('waiting', 'preparing', 'pulling', 'reading', 'committing', 'ended')),
  add column pull jsonb;

alter table sources.discovery
  add column phase text not null default 'waiting'
    check (phase in ('waiting', 'preparing', 'pulling', 'describing', 'ended')),
  add column pull jsonb;
`,
};
