import type { Migration } from './migration.ts';

/** The route of new syncs may be changed, once workers of both contracts are proven to carry out work. */
export const s67_sync_route: Migration = {
  name: 's67_sync_route',
  after: 's66_ai',
  additiveSince: 's39_bd_sync_spec_fingerprint',
  sql: 'grant update (contract, proven_at, evidence, changed_by) on ontology.sync_route to weir_app;',
};
