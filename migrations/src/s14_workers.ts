import type { Migration } from './migration.ts';

export const s14_workers: Migration = {
  name: 's14_workers',
  after: 's13_patterns',
  sql: 'select 1;',
};
