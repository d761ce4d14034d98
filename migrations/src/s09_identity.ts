import type { Migration } from './migration.ts';

/** API tokens, identity policies and the people who were seen. */
export const s09_identity: Migration = {
  name: 's09_identity',
  after: 's08_trail',
  sql: '',
};
