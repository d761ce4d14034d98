import type { Migration } from './migration.ts';

export const s15_access: Migration = {
  name: 's15_access',
  after: 's14_workers',
  sql: 'select 1;',
};
