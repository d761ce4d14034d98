import { fileURLToPath } from 'node:url';
import { Client, Connection, WorkflowExecutionAlreadyStartedError, WorkflowNotFoundError } from '@temporalio/client';
import { kernelProblems } from '../contract/problems.ts';
import type { WorkflowDescription, Workflows } from './workflows.ts';

const CONNECT_TIMEOUT_MS = 5_000;
/** An API call that starts a run waits for the engine; past this the sweeper takes over. */
const CALL_TIMEOUT_MS = 5_000;

/** Where workers and clients load the payload converter from. */
export const payloadConverterPath = fileURLToPath(new URL('./payload-converter.mjs', import.meta.url));

const STATUSES: Readonly<Record<string, WorkflowDescription['status']>> = {
  RUNNING: 'running',
  COMPLETED: 'completed',
  FAILED: 'failed',
  CANCELLED: 'cancelled',
  TERMINATED: 'terminated',
  CONTINUED_AS_NEW: 'running',
  TIMED_OUT: 'timed_out',
  PAUSED: 'running',
};

/** gRPC's DEADLINE_EXCEEDED, RESOURCE_EXHAUSTED and UNAVAILABLE, which the client wraps. */
const AWAY: ReadonlySet<unknown> = new Set([4, 8, 14]);

function isAway(error: unknown): boolean {
  const { code, cause } = (error ?? {}) as { code?: unknown; cause?: unknown };
  return AWAY.has(code) || (cause !== undefined && isAway(cause));
}

/** The Temporal adapter: connects on first use and again after a loss; every call is bounded in time. */
export function temporalWorkflows(options: { address: string; namespace: string }): Workflows {
  let client: Promise<Client> | undefined;
  const connected = (): Promise<Client> => {
    client ??= Connection.connect({ address: options.address, connectTimeout: CONNECT_TIMEOUT_MS })
      .then(
        (connection) =>
          new Client({ connection, namespace: options.namespace, dataConverter: { payloadConverterPath } }),
      )
      .catch((error: unknown) => {
        client = undefined;
        throw kernelProblems.dependencyUnavailable({ cause: error });
      });
    return client;
  };
  const bounded = async <T>(work: (client: Client) => Promise<T>): Promise<T> => {
    const open = await connected();
    return open.connection
      .withDeadline(Date.now() + CALL_TIMEOUT_MS, () => work(open))
      .catch((error: unknown) => {
        throw isAway(error) ? kernelProblems.dependencyUnavailable({ cause: error }) : error;
      });
  };
  return {
    start: ({ workflowId, type, taskQueue, args }) =>
      bounded(async (open) => {
        try {
          await open.workflow.start(type, { workflowId, taskQueue, args, workflowIdReusePolicy: 'REJECT_DUPLICATE' });
        } catch (error) {
          if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
        }
      }),
    cancel: (workflowId) => bounded(async (open) => void (await open.workflow.getHandle(workflowId).cancel())),
    describe: (workflowId) =>
      bounded(async (open) => {
        try {
          const { status } = await open.workflow.getHandle(workflowId).describe();
          return { status: STATUSES[status.name] ?? 'running' };
        } catch (error) {
          if (error instanceof WorkflowNotFoundError) return undefined;
          throw error;
        }
      }),
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
