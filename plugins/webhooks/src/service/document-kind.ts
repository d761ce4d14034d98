import type { Static } from '@sinclair/typebox';
import { Type } from '@sinclair/typebox';
import { Closed, OneOf } from '@weir/kernel/contract';
import type { ApplyKind, Json, PlannedCall } from '@weir/plugin-apply/contract';
import { WEBHOOK_STATUSES } from '../contract/webhooks.ts';
import { changeWebhook, createWebhook, listWebhooks, type WebhookView } from '../contract.ts';

const { url, events } = createWebhook.body?.properties ?? ({} as never);
const Spec = Closed({
  url: Type.Optional(url),
  events,
  status: Type.Optional(OneOf(WEBHOOK_STATUSES, { description: 'active unless given' })),
});
type WebhookSpec = Static<typeof Spec>;

/** Documents of webhooks. The address is write-only; a webhook that is created needs it. */
export const webhookDocuments: ApplyKind = {
  kind: 'Webhook',
  order: 50,
  spec: Spec,
  list: listWebhooks,
  async stored(item) {
    const { name, webhook_id: id, etag, events: of, status } = item as unknown as WebhookView;
    return { name, id, etag, spec: { events: of.toSorted(), status } };
  },
  async plan({ name, spec: given, stored, self }) {
    const spec = given as WebhookSpec;
    const after: Json = { events: spec.events.toSorted(), status: spec.status ?? 'active' };
    const isUnreachable = stored === undefined && spec.url === undefined;
    const missing = {
      code: 'spec_invalid',
      pointer: '/spec/url',
      detail: 'A webhook that is created needs its `url`.',
    };
    const params = { webhook_id: self };
    const change = (body: object, ifMatch?: string): PlannedCall => ({
      endpoint: changeWebhook,
      params,
      body,
      ifMatch,
    });
    return {
      faults: isUnreachable ? [missing] : [],
      before: stored?.spec,
      after,
      set: spec.url === undefined ? [] : ['/url'],
      calls(changes) {
        if (stored !== undefined) {
          const members = changes.map(({ pointer }) => pointer.slice(1));
          const body = Object.entries({ ...after, url: spec.url }).filter(([member]) => members.includes(member));
          return [change(Object.fromEntries(body), stored.etag)];
        }
        const body = { name, url: spec.url, events: after.events };
        const made: PlannedCall = { endpoint: createWebhook, body, id: 'webhook_id' };
        return after.status === 'paused' ? [made, change({ status: 'paused' })] : [made];
      },
    };
  },
};
