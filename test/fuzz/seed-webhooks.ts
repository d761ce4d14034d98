import { createWebhook, testWebhook } from '@weir/plugin-webhooks/contract';
import { type Api, inTurn } from './seed-sources.ts';

/** On loopback at a port where nobody listens; the platform must allow it. */
export const WEBHOOK_URL = 'http://127.0.0.1/hook';

/** Webhooks that may be deleted by examples that do no more than that. */
const VICTIMS = 10;

/** Things of `webhooks` that paths name, and those that are spoilt. */
export interface WebhookSeeds {
  read: Record<'webhook_id' | 'event_id', string[]>;
  deleted: string[];
}

/** Makes webhooks, of which one was asked for a test that nobody carries. */
export async function seedWebhooks(api: Api): Promise<WebhookSeeds> {
  const make = async (name: string) =>
    (await api(createWebhook, { body: { name, url: WEBHOOK_URL, events: ['run.recovered'] } })).webhook_id;
  const webhook_id = await make('read');
  const { event_id } = await api(testWebhook, { params: { webhook_id } });
  return {
    read: { webhook_id: [webhook_id], event_id: [event_id] },
    deleted: await inTurn(VICTIMS, (at) => make(`victim_${at}`)),
  };
}
