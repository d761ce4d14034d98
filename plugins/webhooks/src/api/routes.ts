import { type AnyRoute, handle } from '@weir/kernel';
import { subjectOf } from '@weir/kernel/contract';
import * as endpoints from '../contract.ts';
import type { deliveryService } from '../service/deliveries.ts';
import type { webhookService } from '../service/webhooks.ts';

export interface RouteServices {
  webhooks: ReturnType<typeof webhookService>;
  deliveries: ReturnType<typeof deliveryService>;
}

/** Every endpoint of the plugin with the service call that carries it out. */
export function routes({ webhooks, deliveries }: RouteServices): AnyRoute[] {
  return [
    handle(endpoints.createWebhook, ({ tenant, principal, body }) =>
      webhooks.create(tenant, subjectOf(principal), body),
    ),
    handle(endpoints.listWebhooks, ({ tenant, query }) => webhooks.list(tenant, query)),
    handle(endpoints.getWebhook, ({ tenant, params }) => webhooks.get(tenant, params.webhook_id)),
    handle(endpoints.changeWebhook, ({ tenant, params, body, ifMatch }) =>
      webhooks.change(tenant, params.webhook_id, { body, ifMatch }),
    ),
    handle(endpoints.deleteWebhook, ({ tenant, params }) => webhooks.remove(tenant, params.webhook_id)),
    handle(endpoints.testWebhook, ({ tenant, params }) => deliveries.test(tenant, params.webhook_id)),
    handle(endpoints.listDeliveries, ({ tenant, params, query }) => deliveries.list(tenant, params.webhook_id, query)),
    handle(endpoints.getDelivery, ({ tenant, params }) => deliveries.get(tenant, params)),
    handle(endpoints.redeliver, ({ tenant, params }) => deliveries.redeliver(tenant, params)),
  ];
}
