import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import type { WorkerDeps } from '@weir/kernel';
import {
  type EnginePlace,
  enginePlace,
  payloadConverterPath,
  type RunningPlatform,
  taskQueue,
} from '@weir/kernel/boot';
import { ActivityWatches } from '@weir/kernel/contract';
import { workflowBundle } from '../bundle/workflow-bundle.ts';
import type { ProcessState, RoleState } from '../process/process-state.ts';
import { engineLine } from './engine-lines.ts';
import { type InterceptDeps, interceptActivities } from './intercept-activities.ts';
import { roleActivities } from './role-activities.ts';
import type { Role } from './roles.ts';
import { traceEnvironment } from './trace-environment.ts';
import { type PollingWorker, untilPolling } from './until-polling.ts';
import { workerIdentity } from './worker-identity.ts';
import { workflowSpans } from './workflow-spans.ts';

/** How long activities may go on after a stop was asked for, before they are handed back. */
const SHUTDOWN_GRACE = '30 seconds';
/** After this a worker that still does not end is given up. */
const SHUTDOWN_FORCE = '40 seconds';
const MAX_CACHED_WORKFLOWS = 100;
/** Heartbeats of one activity are sent no more often than this; cancellations arrive with their answers. */
const HEARTBEAT_THROTTLE = '2 seconds';

export interface RunRolesOptions {
  platform: RunningPlatform;
  roles: readonly Role[];
  environment: Readonly<Record<string, string | undefined>>;
  children: Pick<ProcessState, 'started' | 'ended'>;
  workDir: string;
  cacheDir: string;
}

/** Workers that run. */
export interface RunningRoles {
  /** Resolves when the engine knows that they poll. */
  polling: Promise<void>;
  /** Resolves when all of them have ended; rejects when one fails. */
  ended: Promise<void>;
  /** What each worker does now. */
  states(): RoleState[];
  /** Stops polling, lets activities finish for the grace time, then hands them back. */
  drain(): void;
}

/** Starts one worker of the engine's client for each role, with the capacity that the environment gives it. */
export async function runRoles(options: RunRolesOptions): Promise<RunningRoles> {
  const { platform, roles, environment, workDir } = options;
  const { settings, telemetry } = platform;
  const { address, namespace, tls } = enginePlace(settings);
  Runtime.install({
    shutdownSignals: [],
    logger: new DefaultLogger('WARN', ({ level, message, meta }) => {
      platform.log[level === 'ERROR' ? 'error' : 'warn'](engineLine(meta), message);
    }),
  });
  const connection = await connectToEngine(address, tls);
  // One bundle for all roles of the process: each bundle of its own would delay the start by more than a second.
  const doors = roles.flatMap(({ parts }) => parts.map(({ door }) => door));
  const bundle = await workflowBundle(
    doors.map(({ workflowsPath }) => workflowsPath),
    options.cacheDir,
  );
  const workers: Worker[] = [];
  const pollers: (PollingWorker & Pick<RoleState, 'role' | 'slots'>)[] = [];
  const children = { ...options.children, environment: () => traceEnvironment(settings, telemetry, environment) };
  for (const { role, parts, capacity, slotMiB } of roles) {
    const queue = taskQueue(role, environment);
    const identity = workerIdentity(role, settings.WEIR_RELEASE_SHA);
    pollers.push({ role, queue, identity, slots: capacity.activities });
    const depsOf = ({ kernel }: { kernel: WorkerDeps['kernel'] }) => ({ kernel, children, workDir, slotMiB });
    const { activities, gate } = roleActivities({ role, parts }, platform, depsOf);
    workers.push(
      await Worker.create({
        connection,
        namespace,
        taskQueue: queue,
        workflowBundle: bundle,
        activities,
        identity,
        interceptors: { activity: [interceptors(platform, { queue, gate })] },
        sinks: workflowSpans(platform.telemetry),
        dataConverter: { payloadConverterPath },
        maxConcurrentActivityTaskExecutions: capacity.activities,
        maxConcurrentWorkflowTaskExecutions: capacity.workflowTasks,
        maxConcurrentActivityTaskPolls: capacity.activityPolls,
        maxConcurrentWorkflowTaskPolls: capacity.workflowPolls,
        maxCachedWorkflows: MAX_CACHED_WORKFLOWS,
        maxHeartbeatThrottleInterval: HEARTBEAT_THROTTLE,
        shutdownGraceTime: SHUTDOWN_GRACE,
        shutdownForceTime: SHUTDOWN_FORCE,
      }),
    );
  }
  const drain = () => {
    for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
  };
  const runs = workers.map((worker) => worker.run());
  const ended = Promise.all(runs)
    .catch(async (error: unknown) => {
      drain();
      await Promise.allSettled(runs);
      throw error;
    })
    .then(() => connection.close());
  const states = () =>
    workers.flatMap((worker, at): RoleState[] => {
      const poller = pollers[at];
      return poller === undefined ? [] : [{ ...poller, in_flight: worker.getStatus().numInFlightActivities }];
    });
  return { polling: untilPolling(platform, pollers), ended, states, drain };
}

/** The client's own error names nothing that an operator could look at. */
async function connectToEngine(address: string, tls: EnginePlace['tls']): Promise<NativeConnection> {
  try {
    return await NativeConnection.connect({ address, ...(tls && { tls }) });
  } catch (cause) {
    const how =
      tls === undefined ? 'without TLS; check WORKFLOW_HOST and WEIR_WORKFLOW_TLS' : 'over TLS; check WORKFLOW_HOST';
    throw new Error(`the workflow engine does not answer ${how} (${(cause as Error).message})`, { cause });
  }
}

function interceptors(platform: RunningPlatform, of: Pick<InterceptDeps, 'queue' | 'gate'>) {
  const watches = () => platform.contributions.of(ActivityWatches);
  return interceptActivities({ ...of, watches, telemetry: platform.telemetry, log: platform.log });
}
