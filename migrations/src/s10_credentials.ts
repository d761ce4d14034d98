import type { Migration } from './migration.ts';

/** Credentials of sources: sealed in place, or in the secret store. */
export const s10_credentials: Migration = {
  name: 's10_credentials',
  after: 's09_identity',
  sql: '',
};
