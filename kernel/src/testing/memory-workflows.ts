import type { Workflows } from '../workflows/workflows.ts';

/** The workflow engine's port in memory: remembers what was started, and fails on request. */
export function memoryWorkflows(): Workflows & {
  started: { workflowId: string; type: string; taskQueue: string; args: unknown[] }[];
  cancelled: string[];
  /** While true every call throws, as during an outage. */
  down: boolean;
} {
  const port = {
    started: [] as { workflowId: string; type: string; taskQueue: string; args: unknown[] }[],
    cancelled: [] as string[],
    down: false,
    async start(request: { workflowId: string; type: string; taskQueue: string; args: unknown[] }) {
      if (port.down) throw new Error('the engine is down');
      if (!port.started.some((other) => other.workflowId === request.workflowId)) port.started.push(request);
    },
    async cancel(workflowId: string) {
      if (port.down) throw new Error('the engine is down');
      port.cancelled.push(workflowId);
    },
    async describe(workflowId: string) {
      if (port.down) throw new Error('the engine is down');
      const known = port.started.some((request) => request.workflowId === workflowId);
      return known ? { status: 'running' as const } : undefined;
    },
    health: async () => !port.down,
    close: async () => undefined,
  };
  return port;
}
