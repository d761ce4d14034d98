import { type AnyRoute, handle } from '@weir/kernel';
import {
  cancelWorkflow,
  DEFAULT_WAIT_SECONDS,
  getEngineConfig,
  getEngineHealth,
  getEngineHealthDetailed,
  getEngineMetrics,
  getWorkflow,
  listEngineWorkers,
  listTaskQueues,
  startWorkflow,
  WORKFLOW_STARTS,
  waitForWorkflow,
} from './contract.ts';
import type { engineService } from './engine/service.ts';
import type { startService } from './start/service.ts';
import type { workflowService } from './workflow/service.ts';

export interface RouteServices {
  engine: ReturnType<typeof engineService>;
  workflows: ReturnType<typeof workflowService>;
  starts: ReturnType<typeof startService>;
}

/** Every endpoint of the plugin with the service call that carries it out. */
export function routes({ engine, workflows, starts }: RouteServices): AnyRoute[] {
  return [
    handle(getEngineHealth, () => engine.health()),
    handle(getEngineHealthDetailed, () => engine.detailed()),
    handle(getEngineConfig, () => engine.config()),
    handle(getEngineMetrics, () => engine.metrics()),
    handle(listEngineWorkers, () => engine.workers()),
    handle(listTaskQueues, () => engine.taskQueues()),
    handle(getWorkflow, ({ tenant, params }) => workflows.get(tenant, params.workflow_id)),
    handle(cancelWorkflow, ({ tenant, params }) => workflows.cancel(tenant, params.workflow_id)),
    handle(waitForWorkflow, ({ tenant, params, body, signal }) =>
      workflows.wait(tenant, params.workflow_id, {
        timeoutSeconds: body.timeout_seconds ?? DEFAULT_WAIT_SECONDS,
        signal,
      }),
    ),
    ...WORKFLOW_STARTS.map((name) => handle(startWorkflow[name], (asked) => starts.start(name, asked))),
  ];
}
