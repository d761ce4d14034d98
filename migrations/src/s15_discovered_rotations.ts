import type { Migration } from './migration.ts';

/** A connector may renew a credential while it describes what is no source yet. */
export const s15_discovered_rotations: Migration = {
  name: 's15_discovered_rotations',
  after: 's14_workers',
  sql: 'alter table sources.credential_rotation alter column source_id drop not null;',
};
