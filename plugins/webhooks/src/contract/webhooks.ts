import { type Static, Type } from '@sinclair/typebox';
import {
  Closed,
  endpoint,
  Id,
  idOf,
  kernelProblems,
  listQuery,
  Name,
  Nullable,
  OneOf,
  Page,
  Timestamp,
} from '@weir/kernel/contract';
import { readWebhooks, writeWebhooks } from './access.ts';
import { webhookProblems } from './problems.ts';

/** What a webhook can be told of. */
export const WEBHOOK_EVENTS = [
  'run.failed',
  'run.failed_again',
  'run.recovered',
  'table.changed',
  'table.blocked',
] as const;
/** The event that a test sends, to any webhook. */
export const TEST_EVENT = 'webhook.test';
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number] | typeof TEST_EVENT;

/** The headers of every request to a webhook. */
export const WEBHOOK_HEADERS = {
  event: 'x-weir-event-id',
  /** `t=<unix seconds>,v1=<hex of HMAC-SHA256 over "<t>.<body>">` */
  signature: 'x-weir-signature',
} as const;

const MAX_URL_CHARS = 2_048;

export const WEBHOOK_STATUSES = ['active', 'paused'] as const;
export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed'] as const;

const Url = Type.String({
  minLength: 1,
  maxLength: MAX_URL_CHARS,
  pattern: '^https?://',
  description: 'Where events are posted; it is kept sealed and never shown again',
});
const Events = Type.Array(OneOf(WEBHOOK_EVENTS), {
  minItems: 1,
  uniqueItems: true,
  description:
    'run.failed: after a success, or for the first time; run.failed_again: once more; run.recovered: succeeded after failures; table.changed: new rows or columns; table.blocked: its maintenance makes no progress',
});

/** A webhook as it is read: neither its address nor its secret. */
export const Webhook = Type.Object({
  webhook_id: Id,
  name: Name,
  host: Type.String({ description: 'The server of its address' }),
  events: Events,
  status: OneOf(WEBHOOK_STATUSES),
  pause: Nullable(
    Type.Object(
      { code: Type.String(), detail: Type.String() },
      { description: 'Why the platform paused it; null when an admin did' },
    ),
  ),
  pending: Type.Integer({ description: 'Events that wait for their delivery' }),
  created_by: Type.String(),
  created_at: Timestamp,
  updated_at: Timestamp,
  etag: Type.String(),
});
export type WebhookView = Static<typeof Webhook>;

const WithSecret = Type.Object({
  ...Webhook.properties,
  secret: Nullable(Type.String({ description: 'Signs every request; it cannot be read again' })),
});

/** What became of one event at one webhook. */
export const Delivery = Type.Object({
  event_id: Id,
  event: OneOf([...WEBHOOK_EVENTS, TEST_EVENT]),
  subject: Type.String({ description: 'Events of one subject are delivered in their order' }),
  status: OneOf(DELIVERY_STATUSES),
  attempts: Type.Integer(),
  response_status: Nullable(Type.Integer({ description: 'What the receiver answered last' })),
  failure_code: Nullable(Type.String()),
  next_attempt_at: Nullable(Timestamp),
  retry_until: Timestamp,
  created_at: Timestamp,
  delivered_at: Nullable(Timestamp),
});
export type DeliveryView = Static<typeof Delivery>;

const params = Closed({ webhook_id: idOf('webhook') });
const deliveryParams = Closed({ webhook_id: idOf('webhook'), event_id: idOf('event') });

/** `POST /webhooks` */
export const createWebhook = endpoint({
  id: 'webhooks.create_webhook',
  method: 'POST',
  path: '/webhooks',
  summary: 'Create a webhook for events of the tenant; its secret is shown only now',
  access: writeWebhooks,
  body: Closed({ name: Name, url: Url, events: Events }),
  example: { name: 'pager', url: 'https://hooks.example.com/weir', events: ['run.failed', 'run.recovered'] },
  status: 201,
  location: '/webhooks/:webhook_id',
  shownOnce: ['secret'],
  response: WithSecret,
  errors: [
    ...[webhookProblems.webhookUrlRefused, webhookProblems.webhookNameTaken],
    ...[webhookProblems.webhookLimit, webhookProblems.webhookKeyMissing],
  ],
  cli: {
    words: 'webhooks create',
    examples: [
      [
        'Failures and recoveries, to a receiver of yours',
        'weir webhooks create --name pager --webhook-url https://hooks.example.com/weir --events run.failed --events run.recovered',
      ],
    ],
  },
});

/** `GET /webhooks` */
export const listWebhooks = endpoint({
  id: 'webhooks.list_webhooks',
  method: 'GET',
  path: '/webhooks',
  summary: 'List the webhooks of the tenant',
  access: readWebhooks,
  query: listQuery(['name', 'created_at'], {
    status: Type.Optional(OneOf(WEBHOOK_STATUSES, { description: 'Only webhooks of this status' })),
  }),
  response: Page(Webhook),
  errors: [kernelProblems.invalidPageToken],
  cli: { words: 'webhooks list', columns: ['webhook_id', 'name', 'host', 'events', 'status', 'pause.code', 'pending'] },
});

/** `GET /webhooks/{webhook_id}` */
export const getWebhook = endpoint({
  id: 'webhooks.get_webhook',
  method: 'GET',
  path: '/webhooks/:webhook_id',
  summary: 'Read a webhook',
  access: readWebhooks,
  params,
  response: Webhook,
  errors: [kernelProblems.notFound],
  cli: 'webhooks get',
});

/** `PATCH /webhooks/{webhook_id}` */
export const changeWebhook = endpoint({
  id: 'webhooks.change_webhook',
  method: 'PATCH',
  path: '/webhooks/:webhook_id',
  summary: 'Change, pause or resume a webhook, or give it a new secret',
  description:
    'A resumed webhook is sent what waits, for 24 hours more. new_secret makes another secret, which this answer shows once; requests are signed with it from now on.',
  access: writeWebhooks,
  params,
  body: Closed(
    {
      name: Type.Optional(Name),
      url: Type.Optional(Url),
      events: Type.Optional(Events),
      status: Type.Optional(OneOf(WEBHOOK_STATUSES)),
      new_secret: Type.Optional(Type.Boolean()),
    },
    { minProperties: 1 },
  ),
  example: { events: ['run.failed', 'run.failed_again', 'run.recovered'] },
  shownOnce: ['secret'],
  response: WithSecret,
  errors: [
    ...[kernelProblems.notFound, kernelProblems.preconditionFailed, webhookProblems.webhookUrlRefused],
    ...[webhookProblems.webhookNameTaken, webhookProblems.webhookKeyMissing],
  ],
  cli: { words: 'webhooks change', flags: { new_secret: 'rotate' } },
});

/** `DELETE /webhooks/{webhook_id}` */
export const deleteWebhook = endpoint({
  id: 'webhooks.delete_webhook',
  method: 'DELETE',
  path: '/webhooks/:webhook_id',
  summary: 'Delete a webhook and all that waits for it',
  access: writeWebhooks,
  params,
  status: 204,
  errors: [kernelProblems.notFound],
  cli: 'webhooks delete',
});

/** `POST /webhooks/{webhook_id}/test` */
export const testWebhook = endpoint({
  id: 'webhooks.test_webhook',
  method: 'POST',
  path: '/webhooks/:webhook_id/test',
  summary: 'Send a test event to a webhook; its delivery says what became of it',
  access: writeWebhooks,
  params,
  status: 202,
  location: '/webhooks/:webhook_id/deliveries/:event_id',
  response: Delivery,
  errors: [kernelProblems.notFound, webhookProblems.webhookPaused],
  cli: 'webhooks test',
});

/** `GET /webhooks/{webhook_id}/deliveries` */
export const listDeliveries = endpoint({
  id: 'webhooks.list_deliveries',
  method: 'GET',
  path: '/webhooks/:webhook_id/deliveries',
  summary: 'List what was sent to a webhook and what waits, newest first',
  description: 'Delivered and failed events are kept for seven days.',
  access: readWebhooks,
  params,
  query: listQuery(['created_at'], {
    status: Type.Optional(OneOf(DELIVERY_STATUSES, { description: 'Only deliveries of this status' })),
  }),
  response: Page(Delivery),
  errors: [kernelProblems.notFound, kernelProblems.invalidPageToken],
  cli: {
    words: 'webhooks deliveries',
    columns: [
      'event_id',
      'event',
      'subject',
      'status',
      'attempts',
      'response_status',
      'failure_code',
      'next_attempt_at',
    ],
  },
});

/** `GET /webhooks/{webhook_id}/deliveries/{event_id}` */
export const getDelivery = endpoint({
  id: 'webhooks.get_delivery',
  method: 'GET',
  path: '/webhooks/:webhook_id/deliveries/:event_id',
  summary: 'Read what became of one event at a webhook',
  access: readWebhooks,
  params: deliveryParams,
  response: Delivery,
  errors: [kernelProblems.notFound],
  cli: 'webhooks delivery',
});

/** `POST /webhooks/{webhook_id}/deliveries/{event_id}/redeliver` */
export const redeliver = endpoint({
  id: 'webhooks.redeliver',
  method: 'POST',
  path: '/webhooks/:webhook_id/deliveries/:event_id/redeliver',
  summary: 'Send an event to a webhook once more',
  access: writeWebhooks,
  params: deliveryParams,
  status: 202,
  location: '/webhooks/:webhook_id/deliveries/:event_id',
  response: Delivery,
  errors: [kernelProblems.notFound, webhookProblems.webhookPaused, webhookProblems.deliveryPending],
  cli: 'webhooks redeliver',
});
