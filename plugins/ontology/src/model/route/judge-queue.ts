import type { TaskQueueDescription } from '@weir/kernel';
import { readWorkerIdentity } from '@weir/plugin-workflow-engine/contract';
import type { ProofFault, QueueEvidenceView } from '../../contract/sync-route.ts';

/** The engine lists a worker for so long after its last poll; whether it lives is what the probe shows. */
const SEEN_MS = 5 * 60_000;

type Pollers = TaskQueueDescription['workflow']['pollers'];

/** What was seen of a queue. */
export interface QueueFacts {
  contract: number;
  taskQueue: string;
  workflow: Pollers;
  activity: Pollers;
  probe: ProbeFacts | undefined;
}

/** What became of a probe; the identities are those of the workers that carried it out. */
export interface ProbeFacts {
  workflowType: string;
  workflowId: string;
  status: NonNullable<QueueEvidenceView['probe']>['status'];
  workflowBy?: string | undefined;
  activityBy?: string | undefined;
  endedAt?: Date | undefined;
}

/** Whom a proof is about: workers of one role and release, at a moment. */
export interface Wanted {
  role: string;
  release: string;
  now: number;
}

/** The evidence of a queue, with what it lacks. Pure. */
export function judgeQueue(facts: QueueFacts, wanted: Wanted): QueueEvidenceView {
  const { contract, taskQueue, workflow, activity, probe } = facts;
  const isOurs = (identity: string | undefined) => releaseOf(identity, wanted.role) === wanted.release;
  const hasEnded = probe?.status === 'completed' && isOurs(probe.workflowBy) && isOurs(probe.activityBy);
  const lacks: [ProofFault, boolean][] = [
    ['workflow_poller_missing', !isPolled(workflow, wanted)],
    ['activity_poller_missing', !isPolled(activity, wanted)],
    ['probe_not_ended', !hasEnded],
  ];
  return {
    contract,
    task_queue: taskQueue,
    workflow_pollers: pollersByRelease(workflow, wanted),
    activity_pollers: pollersByRelease(activity, wanted),
    probe:
      probe === undefined
        ? null
        : {
            workflow_type: probe.workflowType,
            workflow_id: probe.workflowId,
            status: probe.status,
            workflow_release: releaseOf(probe.workflowBy, wanted.role),
            activity_release: releaseOf(probe.activityBy, wanted.role),
            ended_at: probe.endedAt?.toISOString() ?? null,
          },
    faults: lacks.flatMap(([fault, isLacking]) => (isLacking ? [fault] : [])),
  };
}

/** Whether a worker of the role and release has polled. */
export const isPolled = (pollers: Pollers, { role, release, now }: Wanted): boolean =>
  pollers.some(
    ({ identity, lastSeenAt }) => releaseOf(identity, role) === release && now - lastSeenAt.getTime() <= SEEN_MS,
  );

/** The release of a worker of the role; null for any other program. */
function releaseOf(identity: string | undefined, role: string): string | null {
  const ours = identity === undefined ? undefined : readWorkerIdentity(identity);
  return ours?.role === role ? ours.release : null;
}

/** Names of machines are in no evidence: workers are counted by their release. */
function pollersByRelease(pollers: Pollers, { role }: Wanted): QueueEvidenceView['workflow_pollers'] {
  return [...Map.groupBy(pollers, ({ identity }) => releaseOf(identity, role))].map(([release, seen]) => ({
    release,
    workers: seen.length,
    last_seen_at: new Date(Math.max(...seen.map(({ lastSeenAt }) => lastSeenAt.getTime()))).toISOString(),
  }));
}
