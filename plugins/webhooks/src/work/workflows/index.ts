import {
  condition,
  continueAsNew,
  defineSignal,
  proxyActivities,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { DeliveryInput } from '../../model/delivery-input.ts';
import type { WebhookActivities } from '../activities.ts';

const { deliverEvents } = proxyActivities<WebhookActivities>({
  startToCloseTimeout: '1 hour',
  heartbeatTimeout: '20 seconds',
  retry: { initialInterval: '1 second', maximumInterval: '1 minute' },
});

const wake = defineSignal('wake');

/** Sends the events of one webhook until none waits. A wake during the wait for a retry sends what is new at once. */
export async function WebhookDeliveryWorkflow(input: DeliveryInput): Promise<void> {
  let isWoken = false;
  setHandler(wake, () => {
    isWoken = true;
  });
  for (;;) {
    isWoken = false;
    const { next_ms } = await deliverEvents(input);
    if (next_ms === null) {
      if (!isWoken) return;
    } else {
      await condition(() => isWoken, next_ms);
    }
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof WebhookDeliveryWorkflow>(input);
  }
}
