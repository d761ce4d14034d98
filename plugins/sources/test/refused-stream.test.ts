import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { getDataset } from '@weir/plugin-datasets/contract';
import t from 'tap';
import { discovered, enableAll, filesSource, ok, synced } from './platform.ts';
import { sharedPlatform } from './shared-platform.ts';

t.test('a stream whose columns no table can hold fails by its code, and the others are loaded', async (t) => {
  const platform = await sharedPlatform(t);
  const api = await platform.as('demo');
  const data = join(platform.folder, 'data');
  await mkdir(data);
  await writeFile(join(data, 'good.csv'), 'id\n1\n2\n');
  await writeFile(join(data, 'twins.jsonl'), '{"A":1,"a":2}\n');
  const { source_id } = await filesSource(api, 'shop', data);
  await discovered(api, source_id);
  await enableAll(api, source_id, { sync_mode: 'incremental', write_mode: 'append' });
  const run = await synced(api, source_id);
  t.match(run, { status: 'failed', failure: { code: 'columns_refused' }, rows_written: 2, attempt: 1 });
  t.match(Object.fromEntries(run.streams.map((stream) => [stream.name, stream])), {
    good: { status: 'succeeded', rows_written: 2 },
    twins: { status: 'failed', failure: { code: 'columns_refused' }, rows_written: 0 },
  });
  const dataset = ok(await api(getDataset, { params: { dataset_id: platform.bronze('shop__good') } }));
  t.equal(dataset.total_records, '2');
});
