import type { Migration } from './migration.ts';

/**
 * What a stream needs beside its settings: why it needs attention, and the table whose rows the first sync after a reset
 * replaces. A discovery may only look, and what one sync did for a stream says when it committed last.
 */
export const s06_streams: Migration = {
  name: 's06_streams',
  after: 's05_platform',
  sql: `
alter table sources.stream
  add column needs_attention boolean not null default false,
  add column attention jsonb not null default '[]',
  add column reset_table text,
  add constraint stream_attention check (needs_attention = (attention <> '[]'::jsonb));
create index stream_needs_attention on sources.stream (tenant_id, source_id) where needs_attention;

alter table sources.discovery add column applies boolean not null default true;
create index discovery_source on sources.discovery (tenant_id, source_id, created_at desc) where source_id is not null;

alter table sources.stream_run add column committed_at timestamptz(3);
create index stream_run_dataset on sources.stream_run (tenant_id, dataset_id);
`,
};
