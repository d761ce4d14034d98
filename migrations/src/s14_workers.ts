import type { Migration } from './migration.ts';

/**
 * Which connector image was run: by a discovery, by a sync, and to which one a source is held. Null where connectors are
 * processes.
 */
export const s14_workers: Migration = {
  name: 's14_workers',
  after: 's13_patterns',
  sql: `
alter table sources.discovery add column image json;
alter table sources.sync_run add column image json;
alter table sources.source add column image json;
`,
};
