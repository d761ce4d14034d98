import {
  changeWebhook,
  createWebhook,
  deleteWebhook,
  getDelivery,
  getWebhook,
  listDeliveries,
  listWebhooks,
  redeliver,
  testWebhook,
} from '@weir/plugin-webhooks/contract';
import { type Api, type Examples, example, inTurn, VICTIMS } from '../../../test/examples.ts';

/** A webhook on loopback, which the platform must allow; no event of the examples is sent to it. */
const body = { name: 'chat', url: 'http://127.0.0.1/hook', events: ['run.recovered' as const] };

const make = async (api: Api, name: string): Promise<string> =>
  (await api(createWebhook, { body: { ...body, name } })).webhook_id;

export const examples: Examples = {
  own: [
    { of: createWebhook, why: 'people and programs are called when something happens' },
    { of: listWebhooks, why: 'what is called' },
    { of: getWebhook, why: 'one of them' },
    { of: changeWebhook, why: 'changes, pauses or resumes it' },
    { of: deleteWebhook, why: 'removes it' },
    { of: testWebhook, why: 'shows that the address takes events' },
    { of: listDeliveries, why: 'what was sent, and what waits' },
    { of: getDelivery, why: 'what became of one event' },
    { of: redeliver, why: 'sends it once more' },
  ],
  async furnish({ api }) {
    const webhook_id = await make(api, 'chat');
    const { event_id } = await api(testWebhook, { params: { webhook_id } });
    return { webhook_id, event_id };
  },
  calls: [example(changeWebhook, { body: { events: ['run.recovered'] } })],
  seed: async ({ api }) => ({
    calls: [
      example(createWebhook, { body: { ...body, name: 'fuzzed' } }),
      {
        of: deleteWebhook,
        params: { webhook_id: await inTurn(VICTIMS, (at) => make(api, `victim_${at}`)) },
      },
    ],
  }),
};
