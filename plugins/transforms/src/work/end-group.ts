import type { Kernel, RunRecord, Tenant } from '@weir/kernel';
import { TERMINAL_RUN_STATUSES } from '@weir/kernel/contract';
import type { InputsService } from '@weir/plugin-datasets/contract';
import { type Ending, logEnd, type Outcome, type RunLogWriters } from '@weir/work';
import { TRANSFORM_FAILURES } from '../model/failure/failure-table.ts';
import { StepEntity } from '../model/group/entities.ts';

export interface EndDeps {
  kernel: Pick<Kernel, 'db' | 'runs'>;
  inputs: Pick<InputsService, 'release'>;
  runLogs: RunLogWriters;
}

/** Ends a step that is open, with its last line; its inputs are let go. */
export async function endStep(deps: EndDeps, tenant: Tenant, runId: string, ending: Ending): Promise<void> {
  const { kernel, inputs } = deps;
  await logEnd(deps, tenant, runId, ending);
  await kernel.runs.finish(tenant, runId, ending, { after: (tx) => inputs.release(tx, runId) });
}

/** Ends a whole as its work ended, and what of its parts is open: those that were not reached are skipped, and say why. */
export async function endGroup(deps: EndDeps, tenant: Tenant, runId: string, outcome: Outcome): Promise<void> {
  const parts = await partsOf(deps, tenant, runId);
  const failed = parts.find(({ status }) => status === 'failed');
  for (const part of parts) {
    if (TERMINAL_RUN_STATUSES.includes(part.status)) continue;
    await endStep(deps, tenant, part.runId, failed === undefined ? outcome : unreached(part));
  }
  const isSkipped = outcome.status === 'succeeded' && (await partsOf(deps, tenant, runId)).every(isOfNothing);
  await endStep(deps, tenant, runId, isSkipped ? { status: 'skipped' } : wholeOutcome(outcome, parts));
}

const isOfNothing = ({ status }: RunRecord): boolean => status === 'skipped';

/** How a step ends that another one kept from its end. */
function unreached({ status }: RunRecord): Ending {
  const code = status === 'pending' ? 'upstream_failed' : 'not_published';
  return { status: 'skipped', failure: { code, ...TRANSFORM_FAILURES[code] } };
}

/** A whole fails as its first step that failed, with the next steps of that one; of several steps it says how many there are. */
function wholeOutcome(outcome: Outcome, parts: readonly RunRecord[]): Outcome {
  const failed = parts.filter(({ status }) => status === 'failed');
  const failure = failed[0]?.failure;
  if (outcome.status !== 'failed' || failure === undefined) return outcome;
  const detail =
    parts.length < 2 ? failure.detail : `${failed.length} of ${parts.length} steps failed: ${failure.detail}`;
  return { ...outcome, failure: { ...failure, detail } };
}

/** The parts of a whole in the order of its steps. */
async function partsOf({ kernel }: EndDeps, tenant: Tenant, runId: string): Promise<RunRecord[]> {
  return kernel.db(tenant).transaction(async (tx) => {
    const steps = await tx.find(StepEntity, { groupRunId: runId }, { orderBy: { position: 'asc' } });
    const found = await kernel.runs.findMany(
      tx,
      steps.map((step) => step.runId),
    );
    const byId = new Map(found.map((run) => [run.runId, run]));
    return steps.flatMap((step) => byId.get(step.runId) ?? []);
  });
}
