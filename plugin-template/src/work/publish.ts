import { run } from '@weir/work';
import { NoteEntity } from '../note.ts';
import { PUBLISH } from '../run-kinds.ts';

/** Publishes the note of a run; an attempt that a newer one has overtaken changes nothing. */
export const publishing = run(PUBLISH, async ({ kernel, tenant, run, leaseEpoch }) => {
  await kernel.db(tenant).transaction(async (tx) => {
    await kernel.runs.assertLease(tx, run.runId, leaseEpoch);
    const note = await tx.findOne(NoteEntity, { noteId: run.subjectId }, { lock: true });
    if (note !== undefined && !note.publishedAt) await tx.update(note, { publishedAt: new Date() });
  });
});
