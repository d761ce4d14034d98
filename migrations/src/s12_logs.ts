import type { Migration } from './migration.ts';

export const s12_logs: Migration = {
  name: 's12_logs',
  after: 's11_schedules',
  sql: 'select 1;',
};
