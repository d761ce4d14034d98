import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { DELIVERY_STATUSES, WEBHOOK_STATUSES, type WebhookEvent } from '../contract/webhooks.ts';

/** A row of `webhooks.webhook`; `sealed` holds address and secret. */
export const WebhookEntity = defineEntity({
  name: 'Webhook',
  schema: 'webhooks',
  tableName: 'webhook',
  properties: {
    tenantId: p.uuid().primary(),
    webhookId: p.uuid().primary(),
    name: p.string(),
    host: p.string(),
    sealed: p.text(),
    events: p.array<WebhookEvent>(),
    status: p.enum(WEBHOOK_STATUSES).default('active'),
    pauseCode: p.string().nullable(),
    pauseDetail: p.string().nullable(),
    /** Counts the activities that took up the deliveries; an older one records nothing. */
    attempt: p.integer().default(0),
    version: p.integer().default(1),
    createdBy: p.string(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
});
export type WebhookRow = InferEntity<typeof WebhookEntity>;

/** A row of `webhooks.delivery`: one event at one webhook. */
export const DeliveryEntity = defineEntity({
  name: 'WebhookDelivery',
  schema: 'webhooks',
  tableName: 'delivery',
  properties: {
    tenantId: p.uuid().primary(),
    webhookId: p.uuid().primary(),
    eventId: p.uuid().primary(),
    event: p.string(),
    subject: p.string(),
    facts: p.json<Record<string, unknown>>(),
    status: p.enum(DELIVERY_STATUSES),
    attempts: p.integer(),
    responseStatus: p.integer().nullable(),
    failureCode: p.string().nullable(),
    nextAttemptAt: p.datetime(),
    retryUntil: p.datetime(),
    createdAt: p.datetime(),
    deliveredAt: p.datetime().nullable(),
  },
});
export type DeliveryRow = InferEntity<typeof DeliveryEntity>;
