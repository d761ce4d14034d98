import type { Migration } from './migration.ts';

export const s11_schedules: Migration = {
  name: 's11_schedules',
  after: 's10_credentials',
  sql: 'select 1;',
};
