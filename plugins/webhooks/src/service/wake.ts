import type { Kernel, Tenant, WorkflowEngineService } from '@weir/kernel';
import type { DeliveryInput } from '../model/delivery-input.ts';

/** The worker role that sends. */
export const GENERAL_ROLE = 'general';
const WORKFLOW = 'WebhookDeliveryWorkflow';

/** Has the events of a webhook sent now: starts its workflow, or wakes the one that runs. */
export type Wake = (tenant: Pick<Tenant, 'tenantId'>, webhookIds: readonly string[]) => Promise<void>;

/** Wakes through the engine; an engine that is away is made good by the sweep. */
export function wakeBy(engine: Pick<WorkflowEngineService, 'withClient' | 'queues'>, log: Kernel['log']): Wake {
  return async ({ tenantId }, webhookIds) => {
    const taskQueue = engine.queues().find(({ role }) => role === GENERAL_ROLE)?.queue;
    if (webhookIds.length === 0 || taskQueue === undefined) return;
    try {
      await engine.withClient(async ({ workflow }) => {
        for (const webhookId of new Set(webhookIds)) {
          const input: DeliveryInput = { tenant_id: tenantId, webhook_id: webhookId };
          const workflowId = `${tenantId}:webhook:${webhookId}`;
          await workflow.signalWithStart(WORKFLOW, { workflowId, taskQueue, args: [input], signal: 'wake' });
        }
      });
    } catch (err) {
      log.warn({ err }, 'webhooks could not be woken; the sweep does it');
    }
  };
}
