import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import type { NoteView } from './contract.ts';

/** A row of `notes.note`. The kernel adds the tenant to whatever is read or written. */
export const NoteEntity = defineEntity({
  name: 'Note',
  schema: 'notes',
  tableName: 'note',
  properties: {
    tenantId: p.uuid().primary(),
    noteId: p.uuid().primary(),
    text: p.text(),
    createdAt: p.datetime(),
    publishedAt: p.datetime().nullable(),
  },
});

/** A row as the API shows it: columns in snake case, times in UTC, null only here. */
export function noteView(row: InferEntity<typeof NoteEntity>): NoteView {
  return {
    note_id: row.noteId,
    text: row.text,
    created_at: row.createdAt.toISOString(),
    published_at: row.publishedAt?.toISOString() ?? null,
  };
}
