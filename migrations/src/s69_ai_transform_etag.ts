import type { Migration } from './migration.ts';

/** A proposal for a transform knows which state of it was seen: what was edited since is not lost to it. */
export const s69_ai_transform_etag: Migration = {
  name: 's69_ai_transform_etag',
  after: 's67_sync_route',
  additiveSince: 's66_ai',
  sql: 'alter table ai.execution add column transform_etag text;',
};
