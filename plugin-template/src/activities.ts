import type { WorkerDeps } from '@weir/kernel';
import { type LeasedRun, runActivities } from '@weir/work';
import { NoteEntity } from './note.ts';

export type NoteActivities = ReturnType<typeof noteActivities>;

/** What the workflow does to the world. Each may be carried out more than once, so each can be repeated. */
export function noteActivities({ kernel }: WorkerDeps) {
  const runs = runActivities({ kernel });
  return { publish: runs.attempt(publish), end: runs.end };
}

/** Publishes the note of a run; an attempt that a newer one has overtaken changes nothing. */
export async function publish({ kernel, tenant, run, leaseEpoch }: LeasedRun): Promise<void> {
  await kernel.db(tenant).transaction(async (tx) => {
    await kernel.runs.assertLease(tx, run.runId, leaseEpoch);
    const note = await tx.findOne(NoteEntity, { noteId: run.subjectId }, { lock: true });
    if (note !== undefined && !note.publishedAt) await tx.update(note, { publishedAt: new Date() });
  });
}
