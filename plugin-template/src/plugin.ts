import { definePlugin, handle, provide } from '@weir/kernel';
import { subjectOf } from '@weir/kernel/contract';
import { createNote, listNotes, Notes, noteProblems, publishNote } from './contract.ts';
import { NoteEntity } from './note.ts';
import { notesPage } from './page.ts';
import { PUBLISH } from './run-kinds.ts';
import { noteService } from './service.ts';

/** Notes: written, listed, and published by a run. Wiring only. */
export default definePlugin({
  id: 'notes',
  entities: [NoteEntity],
  problems: noteProblems,
  setup(kernel) {
    const notes = noteService(kernel);
    return {
      routes: [
        handle(createNote, ({ tenant, body }) => notes.create(tenant, body.text)),
        handle(listNotes, ({ tenant, query }) => notes.list(tenant, query)),
        handle(publishNote, ({ tenant, principal, params, query }) =>
          notes.publish(tenant, params.note_id, {
            requestedBy: subjectOf(principal),
            queue: query.queue === true,
          }),
        ),
      ],
      services: [provide(Notes, notes)],
      contributes: [notesPage],
      runKinds: [PUBLISH],
    };
  },
});
