import type { Migration } from './migration.ts';

export const s13_patterns: Migration = {
  name: 's13_patterns',
  after: 's12_logs',
  sql: 'select 1;',
};
