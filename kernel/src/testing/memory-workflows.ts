import type { StartRequest, Workflows } from '../workflows/workflows.ts';

/** The workflow engine's port in memory: remembers what was started, and fails while `down`. */
export function memoryWorkflows(): Workflows & { started: StartRequest[]; cancelled: string[]; down: boolean } {
  const known = (workflowId: string) => {
    if (port.down) throw new Error('the engine is down');
    return port.started.some((request) => request.workflowId === workflowId);
  };
  const port = {
    started: [] as StartRequest[],
    cancelled: [] as string[],
    down: false,
    async start(request: StartRequest) {
      if (!known(request.workflowId)) port.started.push(request);
    },
    async cancel(workflowId: string) {
      if (known(workflowId)) port.cancelled.push(workflowId);
    },
    describe: async (workflowId: string) => (known(workflowId) ? { status: 'running' as const } : undefined),
    health: async () => !port.down,
    close: async () => undefined,
  };
  return port;
}
