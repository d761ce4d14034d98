import type { Migration } from './migration.ts';

/** How often transform packages were read again: a process that has read them fewer times does so at its next request. */
export const s33_pattern_sync: Migration = {
  name: 's33_pattern_sync',
  after: 's33_transform_origins',
  additiveSince: 's24_webhooks',
  sql: `
create schema transform_patterns;
grant usage on schema transform_patterns to weir_app, weir_system;

create table transform_patterns.sync (
  one boolean primary key default true check (one),
  generation bigint not null
);
insert into transform_patterns.sync (generation) values (1);
grant select, update on transform_patterns.sync to weir_app;
grant select on transform_patterns.sync to weir_system;
`,
};
