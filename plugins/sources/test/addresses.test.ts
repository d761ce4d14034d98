import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { previewDataset } from '@weir/plugin-datasets/contract';
import t from 'tap';
import { createSource } from '../src/contract.ts';
import { discovered, enableAll, ok, synced, testPlatform } from './platform.ts';

t.test('a connector reaches a network that is not public only when the operator opens it', async (t) => {
  const server = createServer((_request, answer) => answer.end('{"n":1}\n{"n":2}\n')).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  const { port } = server.address() as AddressInfo;
  const platform = await testPlatform(t);
  const api = await platform.as('demo');
  const body = { name: 'far', pattern_id: 'files', source_config: { url: `http://127.0.0.1:${port}/numbers.jsonl` } };
  const { source_id } = ok(await api(createSource, { body }));

  const shut = await platform.startWorker();
  t.match(await discovered(api, source_id), { status: 'failed', failure: { code: 'address_refused' } });
  shut.process.kill('SIGTERM');
  await once(shut.process, 'exit');

  await platform.startWorker({ WEIR_EGRESS_ALLOW: '127.0.0.0/8', WEIR_EGRESS_PORTS: String(port) });
  t.match(await discovered(api, source_id), { status: 'succeeded' });
  await enableAll(api, source_id, { sync_mode: 'incremental', write_mode: 'append' });
  t.match(await synced(api, source_id), { status: 'succeeded', rows_written: 2 });
  const { rows } = ok(await api(previewDataset, { params: { dataset_id: 'bronze.demo.far__numbers' } }));
  t.strictSame(rows.map(([n]) => n).toSorted(), ['1', '2']);
});
