import { contribute } from '@weir/kernel';
import { contributionPoint } from '@weir/kernel/contract';

/**
 * The page of notes in the web application: data alone, over endpoints of this plugin by their ids. A mistake in it keeps the
 * platform from starting, and says where it is.
 */
export const notesPage = contribute(contributionPoint<object>('ui.page'), {
  version: 'ui/v1',
  plugin: 'notes',
  name: 'notes',
  title: 'Notes',
  description: 'Notes of the tenant, and which of them are published.',
  blocks: [
    {
      kind: 'list',
      title: 'All notes',
      read: 'notes.list_notes',
      empty: 'No note yet.',
      columns: [
        { name: 'text', title: 'Text' },
        { name: 'created_at', title: 'Written', as: 'time' },
        { name: 'published_at', title: 'Published', as: 'time' },
      ],
      actions: [{ operation: 'notes.publish_note', label: 'Publish', confirm: 'Publish the note?' }],
    },
    { kind: 'form', title: 'Write a note', operation: 'notes.create_note', submit: 'Write' },
  ],
});
