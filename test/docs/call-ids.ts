import { call, type Endpoint, type Input, type Output } from '@weir/kernel/contract';
import { createApiToken, createPolicy } from '@weir/plugin-identity/contract';
import {
  listSources,
  listStreams,
  listSyncHistory,
  putSchedule,
  startDiscovery,
  startReplay,
  verifySync,
} from '@weir/plugin-sources/contract';
import { createTransform } from '@weir/plugin-transforms/contract';
import { createWebhook, testWebhook } from '@weir/plugin-webhooks/contract';
import type { DevPlatform } from './dev-platform.ts';

/**
 * What the calls of the API reference name in their paths, from what the first tutorial has left: the values of the
 * `$names` of one line. A workflow is a sync's, but below the path of discoveries.
 */
export async function callIds(platform: DevPlatform): Promise<(line: string) => Record<string, string>> {
  const client = await platform.client();
  const ask = async <E extends Endpoint>(endpoint: E, input: Partial<Input<E>>): Promise<Output<E>> => {
    const answer = await call(endpoint, input, client);
    if (!answer.ok) throw new Error(`${endpoint.id} answered ${answer.problem.code}`);
    return answer.body;
  };
  const [source] = (await ask(listSources, { query: { name: 'shop' } })).items;
  const source_id = source?.source_id ?? '';
  await ask(putSchedule, { params: { source_id }, body: { cron: ['0 0 29 2 *'] } });
  const [stream] = (await ask(listStreams, { params: { source_id } })).items;
  const [sync] = (await ask(listSyncHistory, { params: { source_id } })).items;
  const discovery = await ask(startDiscovery, { body: { source_id, apply: false } });
  const dataset = 'bronze.demo.shop__orders';
  const replay = await ask(startReplay, { body: { dataset_id: dataset } });
  await ask(verifySync, { params: { sync_run_id: sync?.run_id ?? '' } });
  const { api_token_id, created_by } = await ask(createApiToken, { body: { name: 'ci', role: 'viewer' } });
  const document = { cedar: 'forbid (principal, action, resource) when { principal.sub == "nobody" };' };
  const { policy_id } = await ask(createPolicy, { body: { name: 'draft', kind: 'access', document } });
  const webhook = { name: 'chat', url: 'http://127.0.0.1/hook', events: ['run.recovered' as const] };
  const { webhook_id } = await ask(createWebhook, { body: webhook });
  const { event_id } = await ask(testWebhook, { params: { webhook_id } });
  const transform = { name: 'shown', sql: 'select 1 as one', output: 'gold.demo.shown' };
  const { transform_id } = await ask(createTransform, { body: transform });
  return (line) => ({
    ...{ webhook_id, event_id, transform_id },
    ...{ api_token_id, policy_id, version: '1', sub: created_by },
    ...{ source_id, stream_id: stream?.stream_id ?? '', pattern_id: 'files' },
    ...{
      id: sync?.run_id ?? '',
      sync_run_id: sync?.run_id ?? '',
      run_id: sync?.run_id ?? '',
      replay_run_id: replay.run_id,
    },
    workflow_id: (line.includes('/discover/status/') ? discovery.workflow_id : sync?.workflow_id) ?? '',
    ...{ dataset_id: dataset, table: dataset, code: 'not_found', file: 'explorer.js', alias: 'demo' },
  });
}
