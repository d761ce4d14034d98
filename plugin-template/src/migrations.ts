import { type Migration, tenantTable } from '@weir/migrations';

/**
 * The plugin's tables. The platform has made the schema `notes`; a step sees it first and may touch nothing outside it.
 * Every table carries the tenant wall. A released step is never edited: a change is a new step.
 */
export const migrations: readonly Migration[] = [
  {
    name: 'notes_01_note',
    after: undefined,
    sql: `
create table note (
  tenant_id uuid not null references kernel.tenant (tenant_id),
  note_id uuid not null,
  text text not null,
  created_at timestamptz(3) not null,
  published_at timestamptz(3),
  primary key (tenant_id, note_id)
);
create index note_created on note (tenant_id, created_at, note_id);
${tenantTable('notes.note')}
`,
  },
];
