export { webhookProblems } from './contract/problems.ts';
export {
  changeWebhook,
  createWebhook,
  type DeliveryView,
  deleteWebhook,
  getDelivery,
  getWebhook,
  listDeliveries,
  listWebhooks,
  redeliver,
  TEST_EVENT,
  testWebhook,
  WEBHOOK_EVENTS,
  WEBHOOK_HEADERS,
  type WebhookEvent,
  type WebhookView,
} from './contract/webhooks.ts';
