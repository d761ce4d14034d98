import { fileURLToPath } from 'node:url';
import type {
  Client,
  ConnectionOptions,
  WorkflowClientInterceptor,
  WorkflowExecutionDescription,
  WorkflowHandle,
} from '@temporalio/client';
import { pendingActivity, queueSide, secondsOf, statusOf } from './read-engine.ts';

const CONNECT_TIMEOUT_MS = 5_000;
/** An API call that starts a run waits for the engine; past this the sweeper takes over. */
const CALL_TIMEOUT_MS = 5_000;

/** Where workers and clients load the payload converter from. */
export const payloadConverterPath = fileURLToPath(new URL('./payload-converter.mjs', import.meta.url));

/** `TaskQueueType` of the engine's protocol. */
const WORKFLOW_TASKS = 1;
const ACTIVITY_TASKS = 2;

/** gRPC's DEADLINE_EXCEEDED, RESOURCE_EXHAUSTED and UNAVAILABLE, which the client wraps. */
const AWAY: ReadonlySet<unknown> = new Set([4, 8, 14]);

function isAway(error: unknown): boolean {
  const { code, cause } = (error ?? {}) as { code?: unknown; cause?: unknown };
  return AWAY.has(code) || (cause !== undefined && isAway(cause));
}

export interface WorkflowClientOptions {
  address: string;
  namespace: string;
  /** How the connection is protected; in the clear when absent. */
  tls?: ConnectionOptions['tls'];
  /** The current `traceparent`, for the workflows that it starts. */
  traceparent?: () => string | undefined;
  /** Makes what is thrown when the engine is away. */
  unavailable(cause: unknown): Error;
}

/** A workflow to start; a `fairnessKey` has at most 64 bytes. */
interface Start {
  workflowId: string;
  type: string;
  taskQueue: string;
  args: unknown[];
  fairnessKey?: string;
}

/** Loading takes a fifth of a second, so a process that never calls the engine does not load the client. */
const loadSdk = () => import('@temporalio/client');
type Sdk = Awaited<ReturnType<typeof loadSdk>>;

/** The Temporal adapter: connects on first use and again after a loss; every call is bounded in time. */
export function workflowClient(options: WorkflowClientOptions) {
  let client: Promise<Client> | undefined;
  const connected = (sdk: Sdk): Promise<Client> => {
    client ??= connect(sdk, options).catch((error: unknown) => {
      client = undefined;
      throw options.unavailable(error);
    });
    return client;
  };
  const bounded = async <T>(work: (client: Client, sdk: Sdk) => Promise<T>): Promise<T> => {
    const sdk = await loadSdk();
    const open = await connected(sdk);
    return open.connection
      .withDeadline(Date.now() + CALL_TIMEOUT_MS, () => work(open, sdk))
      .catch((error: unknown) => {
        throw isAway(error) ? options.unavailable(error) : error;
      });
  };
  const unlessGone = <T>(workflowId: string, work: (workflow: WorkflowHandle) => Promise<T>): Promise<T | undefined> =>
    bounded(async (open, { WorkflowNotFoundError }) => {
      try {
        return await work(open.workflow.getHandle(workflowId));
      } catch (error) {
        if (error instanceof WorkflowNotFoundError) return undefined;
        throw error;
      }
    });
  return {
    start: ({ workflowId, type, taskQueue, args, fairnessKey }: Start) =>
      bounded(async (open, { WorkflowExecutionAlreadyStartedError }) => {
        try {
          const once = { workflowId, taskQueue, args, workflowIdReusePolicy: 'REJECT_DUPLICATE' } as const;
          await open.workflow.start(type, { ...once, ...(fairnessKey && { priority: { fairnessKey } }) });
        } catch (error) {
          if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
        }
      }),
    async cancel(workflowId: string) {
      await unlessGone(workflowId, (workflow) => workflow.cancel());
    },
    async terminate(workflowId: string, reason: string) {
      await unlessGone(workflowId, (workflow) => workflow.terminate(reason));
    },
    describe: (workflowId: string) => unlessGone(workflowId, async (workflow) => described(await workflow.describe())),
    describeQueue: (taskQueue: string) =>
      bounded(async (open) => {
        const [workflow, activity] = await Promise.all([
          describeSide(open, taskQueue, WORKFLOW_TASKS),
          describeSide(open, taskQueue, ACTIVITY_TASKS),
        ]);
        return { workflow, activity };
      }),
    engine: () =>
      bounded(async ({ connection, options: { namespace } }) => {
        const [info, described] = await Promise.all([
          connection.workflowService.getSystemInfo({}),
          connection.workflowService.describeNamespace({ namespace }),
        ]);
        return {
          serverVersion: info.serverVersion ?? 'unknown',
          namespace,
          retentionSeconds: secondsOf(described.config?.workflowExecutionRetentionTtl),
        };
      }),
    withClient: bounded,
    health: () =>
      bounded(async (open) => {
        await open.connection.workflowService.getSystemInfo({});
        return true;
      }),
    async close() {
      await (await client?.catch(() => undefined))?.connection.close();
    },
  };
}

async function connect(sdk: Sdk, { address, namespace, tls, traceparent }: WorkflowClientOptions): Promise<Client> {
  return new sdk.Client({
    connection: await sdk.Connection.connect({ address, connectTimeout: CONNECT_TIMEOUT_MS, ...(tls && { tls }) }),
    namespace,
    dataConverter: { payloadConverterPath },
    interceptors: { workflow: [traced(sdk, traceparent)] },
  });
}

/** Workflows read the trace that they belong to from this header. */
function traced(
  { defaultPayloadConverter }: Sdk,
  current: WorkflowClientOptions['traceparent'],
): WorkflowClientInterceptor {
  return {
    startWithDetails(input, next) {
      const traceparent = current?.();
      const header = traceparent && { traceparent: defaultPayloadConverter.toPayload(traceparent) };
      return next({ ...input, headers: { ...input.headers, ...header } });
    },
  };
}

function described(found: WorkflowExecutionDescription) {
  return {
    status: statusOf(found.status.name),
    type: found.type,
    taskQueue: found.taskQueue,
    startedAt: found.startTime,
    ...(found.closeTime === undefined ? {} : { closedAt: found.closeTime }),
    historyLength: found.historyLength,
    pendingActivities: (found.raw.pendingActivities ?? []).map(pendingActivity),
  };
}

async function describeSide(open: Client, name: string, taskQueueType: number) {
  const { namespace } = open.options;
  const request = { namespace, taskQueue: { name }, taskQueueType, reportStats: true };
  return queueSide(await open.connection.workflowService.describeTaskQueue(request));
}
