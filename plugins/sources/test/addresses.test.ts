import { createServer } from 'node:http';
import { previewDataset } from '@weir/plugin-datasets/contract';
import t from 'tap';
import { createSource } from '../src/contract.ts';
import { discovered, enableAll, ok, synced } from './platform.ts';
import { sharedPlatform } from './shared-platform.ts';

/** Outside of the ports that the shared platform opens. */
const SHUT_PORT = 9_999;

t.test('a connector reaches of networks that are not public only what the operator has opened', async (t) => {
  const server = createServer((_request, answer) => answer.end('{"n":1}\n{"n":2}\n'));
  const platform = await sharedPlatform(t);
  const port = await platform.listen(server);
  const api = await platform.as('demo');
  const sourceAt = async (name: string, url: string) => {
    const body = { name, pattern_id: 'files', source_config: { url } };
    return ok(await api(createSource, { body })).source_id;
  };
  const shut = [`http://10.0.0.1:${port}/numbers.jsonl`, `http://127.0.0.1:${SHUT_PORT}/numbers.jsonl`];
  for (const [at, url] of shut.entries()) {
    const failed = await discovered(api, await sourceAt(`shut${at}`, url));
    t.match(failed, { status: 'failed', failure: { code: 'address_refused' } }, url);
  }
  const source_id = await sourceAt('far', `http://127.0.0.1:${port}/numbers.jsonl`);
  t.match(await discovered(api, source_id), { status: 'succeeded' });
  await enableAll(api, source_id, { sync_mode: 'incremental', write_mode: 'append' });
  t.match(await synced(api, source_id), { status: 'succeeded', rows_written: 2 });
  const { rows } = ok(await api(previewDataset, { params: { dataset_id: platform.bronze('far__numbers') } }));
  t.strictSame(rows.map(([n]) => n).toSorted(), ['1', '2']);
});
