import type { RunFailureRecord, Tenant, WorkerDeps } from '@weir/kernel';
import { NoteEntity } from './note.ts';

/** All that a workflow of this plugin is given: ids, never content. */
export interface RunInput {
  tenant_id: string;
  run_id: string;
}

/** How a run ends. */
export interface Outcome {
  status: 'succeeded' | 'failed' | 'cancelled';
  failure?: RunFailureRecord;
}

export type NoteActivities = ReturnType<typeof noteActivities>;

/** What the workflow does to the world. Each may be carried out more than once, so each can be repeated. */
export function noteActivities({ kernel }: WorkerDeps) {
  const tenantOf = async ({ tenant_id: tenantId }: RunInput): Promise<Tenant> => {
    const tenant = await kernel.tenants.byId(tenantId);
    if (tenant === undefined) throw new Error('the tenant of the run is not there');
    return tenant;
  };
  return {
    /** Publishes the note of a run; an attempt that a newer one has overtaken changes nothing. */
    async publish(input: RunInput): Promise<void> {
      const tenant = await tenantOf(input);
      const lease = await kernel.runs.begin(tenant, input.run_id);
      const run = await kernel.runs.find(tenant, input.run_id);
      if (lease === undefined || run === undefined) return;
      await kernel.db(tenant).transaction(async (tx) => {
        await kernel.runs.assertLease(tx, run.runId, lease.leaseEpoch);
        const note = await tx.findOne(NoteEntity, { noteId: run.subjectId }, { lock: true });
        if (note !== undefined && !note.publishedAt) await tx.update(note, { publishedAt: new Date() });
      });
    },

    /** Makes the run terminal; one that has ended stays as it is. */
    async end(input: RunInput, outcome: Outcome): Promise<void> {
      await kernel.runs.finish(await tenantOf(input), input.run_id, outcome);
    },
  };
}
