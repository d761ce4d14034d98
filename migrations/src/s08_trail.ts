import type { Migration } from './migration.ts';

/** The audit trail and what tenants are held to. */
export const s08_trail: Migration = {
  name: 's08_trail',
  after: 's07_engine',
  sql: '',
};
