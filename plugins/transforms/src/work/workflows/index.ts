import {
  ActivityCancellationType,
  ApplicationFailure,
  CancellationScope,
  CancelledFailure,
  proxyActivities,
} from '@temporalio/workflow';
import type { Outcome, RunInput } from '@weir/work';
import { slotlessActivities, untilDone, withOutcome } from '@weir/work/workflow';
import { TRANSFORM_FAILURES } from '../../model/failure/failure-table.ts';
import type { TransformActivities } from '../activities.ts';
import type { GroupPlan } from '../begin-group.ts';

const { stageStep, pinGroup, publishGroup } = proxyActivities<TransformActivities>({
  // Longer than a statement may take: one that takes longer is ended by its own deadline, with its code.
  startToCloseTimeout: '2 days',
  heartbeatTimeout: '20 seconds',
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '30 seconds', maximumAttempts: 10 },
});

const { beginGroup, endStep, endGroup } = slotlessActivities<TransformActivities>();

/** What a run shows that waited for a lane for more than a day. */
const NO_LANE = { code: 'no_lane', ...TRANSFORM_FAILURES.no_lane };

/** One whole: it waits for its turn; then each step is carried out once those that it waits for have ended well. */
export async function GroupWorkflow(input: RunInput): Promise<void> {
  await withOutcome(
    async () => {
      let plan: GroupPlan | undefined;
      await untilDone(async () => {
        const begun = await beginGroup(input);
        if (begun === 'waits') return 'waits';
        plan = begun;
        return 'done';
      }, NO_LANE);
      if (plan !== undefined) await carryOut(input, plan);
    },
    (outcome) => endGroup(input, outcome),
  );
}

/** Carries out the steps, and publishes them where they do not publish themselves; where a table has moved under them, again. */
async function carryOut(input: RunInput, plan: GroupPlan): Promise<void> {
  if (plan.publish !== 'each') await pinGroup(input);
  for (let staged = 1; ; staged += 1) {
    await carryOutSteps(input.tenant_id, plan);
    if (plan.publish !== 'together' || (await publishGroup(input, staged, plan.lease_epoch)) === 'published') return;
  }
}

/** Carries out steps, as many at a time as the plan says. Once one has failed none begins any more, and its failure is thrown. */
async function carryOutSteps(tenantId: string, { steps, parallel }: GroupPlan): Promise<void> {
  const begun = new Set<number>();
  const done = new Set<number>();
  const running = new Map<number, Promise<void>>();
  let failure: Outcome['failure'];
  const carryOutStep = async (at: number, runId: string): Promise<void> => {
    const outcome = await stepOutcome({ tenant_id: tenantId, run_id: runId });
    running.delete(at);
    if (outcome.status === 'succeeded') done.add(at);
    else failure ??= outcome.failure;
  };
  for (;;) {
    const isStopped = failure !== undefined || CancellationScope.current().consideredCancelled;
    for (const [at, { run_id, after }] of isStopped ? [] : steps.entries()) {
      if (running.size >= parallel) break;
      if (begun.has(at) || !after.every((position) => done.has(position))) continue;
      begun.add(at);
      running.set(at, carryOutStep(at, run_id));
    }
    if (running.size === 0) break;
    await Promise.race(running.values());
  }
  if (CancellationScope.current().consideredCancelled) throw new CancelledFailure('the run was cancelled');
  if (failure !== undefined)
    throw ApplicationFailure.create({ type: failure.code, nonRetryable: true, details: [failure] });
}

/** Carries out one step; one that does not end well has ended so when this answers. */
async function stepOutcome(step: RunInput): Promise<Outcome> {
  let ended: Outcome = { status: 'succeeded' };
  await withOutcome(
    () => stageStep(step),
    async (outcome) => {
      ended = outcome;
      if (outcome.status !== 'succeeded') await endStep(step, outcome);
    },
  );
  return ended;
}
