import { type Static, Type } from '@sinclair/typebox';
import {
  Accepted,
  Closed,
  endpoint,
  Id,
  kernelProblems,
  listQuery,
  Nullable,
  Page,
  permission,
  problem,
  runProblems,
  service,
  Timestamp,
} from '@weir/kernel/contract';

const MAX_TEXT_LENGTH = 10_000;

const read = permission('notes:read', 'viewer');
const write = permission('notes:write', 'pipeline_editor', { capability: 'note:write' });

/** The plugin's own error codes; each has a page at /docs/errors/<code>. */
export const noteProblems = {
  notePublished: problem({
    code: 'note_published',
    status: 409,
    title: 'The note is published',
    detail: 'This note has been published already.',
    hint: 'Nothing to do: `published_at` says when.',
    next: [{ operation: 'notes.list_notes', text: 'List the notes' }],
  }),
};

/** A note as the API shows it. */
export const Note = Type.Object({
  note_id: Id,
  text: Type.String(),
  created_at: Timestamp,
  published_at: Nullable(Timestamp),
});
export type NoteView = Static<typeof Note>;

export const createNote = endpoint({
  id: 'notes.create_note',
  method: 'POST',
  path: '/notes',
  summary: 'Write a note',
  access: write,
  body: Closed({ text: Type.String({ minLength: 1, maxLength: MAX_TEXT_LENGTH }) }),
  status: 201,
  response: Note,
  cli: 'notes create',
});

export const listNotes = endpoint({
  id: 'notes.list_notes',
  method: 'GET',
  path: '/notes',
  summary: 'The notes of a tenant, newest first',
  access: read,
  query: listQuery(['created_at'], {}),
  response: Page(Note),
  errors: [kernelProblems.invalidPageToken],
  cli: { words: 'notes list', columns: ['note_id', 'text', 'published_at'] },
});

export const publishNote = endpoint({
  id: 'notes.publish_note',
  method: 'POST',
  path: '/notes/:note_id/publish',
  summary: 'Start a run that publishes a note',
  access: write,
  params: Type.Object({ note_id: Id }),
  query: Closed({
    queue: Type.Optional(Type.Boolean({ default: false, description: 'Let the run wait when no worker is there' })),
  }),
  status: 202,
  response: Accepted,
  errors: [kernelProblems.notFound, noteProblems.notePublished, runProblems.noWorker, runProblems.runAlreadyActive],
  cli: 'notes publish',
});

/** What other plugins may ask of notes; the tenant is always the first argument. */
export interface NotesService {
  find(tenant: TenantRef, noteId: string): Promise<NoteView | undefined>;
}

interface TenantRef {
  readonly tenantId: string;
  readonly alias: string;
  readonly scope: string;
}

/** Named in `requires` by a plugin that uses it, and then got by `kernel.use(Notes)`. */
export const Notes = service<NotesService>('notes.notes@1');
