import type { RunDeclaration } from '@weir/work';

/** The publishing of one note; at most one at a time. Its workflow has it too, so it is data and nothing else. */
export const PUBLISH: RunDeclaration = {
  kind: 'note-publish',
  workflowType: 'PublishNoteWorkflow',
  role: 'notes',
  exclusive: true,
  times: { startToCloseTimeout: '1 minute', maximumAttempts: 5 },
};
