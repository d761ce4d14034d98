import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { composePipeline, getComposeStatus } from '@weir/plugin-ai/contract';
import t from 'tap';
import { runWorld } from '../../plugins/transforms/test/run-kit.ts';
import { apiOf, giveOptIn } from '../examples.ts';
import { until } from '../until.ts';
import { startWorker } from '../worker-process.ts';

const TABLE = 'gold.acme.numbers';

t.test('a worker that is killed while it composes → another one composes the pipeline', async (t) => {
  let isAnswering = false;
  const started: string[] = [];
  const steps = [{ name: 'counted', sql: `select count(*) as n from ${TABLE}`, explanation: 'Counts.' }];
  const server = createServer((request, answer) => {
    const { url = '' } = request;
    const send = (body: object) => answer.end(JSON.stringify(body));
    if (url.endsWith('/openid-configuration')) return send({ token_endpoint: `${base}/token` });
    if (url === '/token') return send({ access_token: 'token' });
    if (url === '/v1/executions') return send({ execution_id: `e-${started.push(url)}` });
    return send(isAnswering ? { status: 'succeeded', output: { steps } } : { status: 'running' });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const assistant = {
    AI_ASSISTANT_API_URL: base,
    AI_ASSISTANT_IDP_URL: base,
    AI_ASSISTANT_CLIENT_ID: 'weir',
    AI_ASSISTANT_CLIENT_SECRET: 'CNRY-of-the-client',
  };
  const world = await runWorld(t);
  await giveOptIn(
    apiOf({ url: world.api.url, token: await world.token('acme', 'platform_admin'), tenant: 'acme' }),
    'acme',
  );
  const environment = { ...world.environment, ...assistant };
  await startWorker(t, environment, 'transform');
  await world.materialized(await world.hydrated('numbers', 'select 1 as one', TABLE));

  const first = await startWorker(t, environment, 'general');
  const { execution_id } = await world.ok(composePipeline, { body: { goal: 'count', dataset_ids: [TABLE] } });
  const statusOf = () => world.ok(getComposeStatus, { params: { execution_id } });
  await until('the assistant is asked', () => started.length === 1);
  t.match(await statusOf(), { status: 'running', phase: 'select', proposal: null });
  await first.end('SIGKILL');
  isAnswering = true;
  await startWorker(t, environment, 'general');
  const done = await until('the pipeline', async () => {
    const found = await statusOf();
    return found.status === 'succeeded' ? found : undefined;
  });
  t.match(done, {
    provider: 'remote',
    degraded: false,
    external_id: 'e-2',
    result: { pipeline: { steps: [{ step_id: 'counted' }] } },
  });
});
