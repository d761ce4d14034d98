import { runWorkflow } from '@weir/work/workflow';
import { PUBLISH } from '../../run-kinds.ts';

/** Publishes the note of a run and then ends the run, whatever happened. */
export const PublishNoteWorkflow = runWorkflow(PUBLISH);
