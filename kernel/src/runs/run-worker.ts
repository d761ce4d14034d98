import { runProblems } from '../contract/run-problems.ts';
import { TERMINAL_RUN_STATUSES } from '../contract/shapes.ts';
import {
  hasLivePoller,
  lastSeen,
  type TaskQueueDescription,
  type WorkflowDescription,
  type Workflows,
} from '../workflows/workflows.ts';
import type { Admitted, RunRecord, RunWorkerView } from './runs.ts';

/** An activity that reported this lately has a worker; activities report every second. */
const REPORTING_MS = 60_000;

const ENGINE_AWAY: Admitted['warning'] = {
  code: 'dependency_unavailable',
  detail: 'The workflow engine does not answer; the run starts when it does.',
  last_seen_at: null,
};

/**
 * Looks whether somebody polls the queue. Throws `no_worker` when nobody does and the run is not to wait for it. An
 * engine that does not answer refuses nothing: the run is written, and started when the engine is back.
 */
export async function admitRun(
  workflows: Pick<Workflows, 'describeQueue'>,
  { kind, queue, wait }: { kind: string; queue: string; wait: boolean },
): Promise<Admitted> {
  const found = await workflows.describeQueue(queue).catch(() => undefined);
  if (found === undefined) return { kind, warning: ENGINE_AWAY };
  if (hasLivePoller(found)) return { kind, warning: null };
  const last_seen_at = lastSeen(found)?.toISOString() ?? null;
  if (!wait) throw runProblems.noWorker({ members: { queue, last_seen_at } });
  const { code, detail } = runProblems.noWorker.entry;
  return { kind, warning: { code, detail, last_seen_at } };
}

const DETAILS: Readonly<Record<RunWorkerView['state'], string>> = {
  working: 'A worker carries it out and reports progress.',
  waiting: 'A worker polls the queue; this run is not in its hands at the moment.',
  none: 'No worker has taken it yet, and none polls its queue.',
  gone: 'Its worker vanished, and none polls its queue. It goes on when one does.',
  unknown: 'The workflow engine does not say.',
};

/** What the engine says of the worker of an open run; undefined for one that has ended. Never throws. */
export async function workerOf(
  workflows: Pick<Workflows, 'describe' | 'describeQueue'>,
  run: Pick<RunRecord, 'status' | 'workflowId'>,
  queue: string,
): Promise<RunWorkerView | undefined> {
  if (TERMINAL_RUN_STATUSES.includes(run.status)) return undefined;
  try {
    const [workflow, found] = await Promise.all([workflows.describe(run.workflowId), workflows.describeQueue(queue)]);
    return judge(run.status === 'running', workflow, found);
  } catch {
    return view('unknown', undefined);
  }
}

/** The state of a run's worker from what the engine knows. Pure but for the clock. */
export function judge(
  begun: boolean,
  workflow: Pick<WorkflowDescription, 'pendingActivities'> | undefined,
  queue: TaskQueueDescription,
  now = Date.now(),
): RunWorkerView {
  const reported = (workflow?.pendingActivities ?? [])
    .filter(({ state }) => state === 'started' || state === 'cancel_requested')
    .flatMap(({ lastHeartbeatAt, lastStartedAt }) => lastHeartbeatAt ?? lastStartedAt ?? []);
  const latest = reported.toSorted((a, b) => b.getTime() - a.getTime())[0];
  if (latest !== undefined && now - latest.getTime() <= REPORTING_MS) return view('working', latest);
  if (hasLivePoller(queue, now)) return view('waiting', latest ?? lastSeen(queue));
  return view(begun ? 'gone' : 'none', latest ?? lastSeen(queue));
}

function view(state: RunWorkerView['state'], seen: Date | undefined): RunWorkerView {
  return { state, last_seen_at: seen?.toISOString() ?? null, detail: DETAILS[state] };
}
