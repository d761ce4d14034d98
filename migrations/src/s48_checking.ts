import type { Migration } from './migration.ts';

/** A discovery says that its connector tries the configuration. */
export const s48_checking: Migration = {
  name: 's48_checking',
  after: 's47_plain_names',
  additiveSince: 's24_webhooks',
  sql: `
alter table sources.discovery
  drop constraint discovery_phase_check,
  add constraint discovery_phase_check
    check (phase in ('waiting', 'preparing', 'pulling', 'checking', 'describing', 'ended'));
`,
};
