import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { payloadConverterPath, type RunningPlatform, taskQueue } from '@weir/kernel/boot';
import { readCapacity } from './capacity.ts';
import type { ProcessState } from './process-state.ts';
import type { Role } from './roles.ts';
import { workflowBundle } from './workflow-bundle.ts';

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

/** Workers that are polling. */
export interface RunningRoles {
  /** Resolves when all of them have ended; rejects when one fails. */
  ended: Promise<void>;
  /** Stops polling, lets activities finish for the grace time, then hands them back. */
  drain(): void;
}

/** Starts one worker of the engine's client for each role, with the capacity that the environment gives it. */
export async function runRoles(options: RunRolesOptions): Promise<RunningRoles> {
  const { platform, roles, environment } = options;
  const { WORKFLOW_HOST: host, WORKFLOW_PORT: port, WORKFLOW_NAMESPACE: namespace } = platform.settings;
  Runtime.install({
    shutdownSignals: [],
    logger: new DefaultLogger('WARN', ({ level, message, meta }) => {
      platform.log[level === 'ERROR' ? 'error' : 'warn'](meta ?? {}, message);
    }),
  });
  const connection = await NativeConnection.connect({ address: `${host}:${port}` });
  const workers: Worker[] = [];
  for (const { door, plugin } of roles) {
    const capacity = readCapacity(door.role, environment);
    const { children, workDir } = options;
    workers.push(
      await Worker.create({
        connection,
        namespace,
        taskQueue: taskQueue(door.role, environment),
        workflowBundle: await workflowBundle(door.workflowsPath, options.cacheDir),
        activities: door.activities({ kernel: plugin.kernel, children, workDir }),
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
  return { ended, drain };
}
