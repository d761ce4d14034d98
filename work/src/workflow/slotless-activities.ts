import { type ActivityInterfaceFor, proxyLocalActivities, type UntypedActivities } from '@temporalio/workflow';

/**
 * Activities of a moment that take no slot of the worker, such as the one that ends a run: a run ends, and is cancelled,
 * while long work has every slot.
 */
export function slotlessActivities<A = UntypedActivities>(): ActivityInterfaceFor<A> {
  return proxyLocalActivities<A>({
    startToCloseTimeout: '20 seconds',
    retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '30 seconds' },
  });
}
