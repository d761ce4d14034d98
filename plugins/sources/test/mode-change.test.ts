import { createServer } from 'node:http';
import { getDataset } from '@weir/plugin-datasets/contract';
import t from 'tap';
import { until } from '../../../test/until.ts';
import { createSource, getSyncStatus, startSync, updateStream } from '../src/contract.ts';
import { discovered, enableAll, ended, ok, streamsOf } from './platform.ts';
import { sharedPlatform } from './shared-platform.ts';

t.test('a stream whose mode changes between two attempts of a run is read whole in the new one', async (t) => {
  let broken = false;
  const server = createServer((request, answer) => {
    if (broken && request.url === '/b.csv') answer.writeHead(503).end();
    else answer.end(request.url === '/a.csv' ? 'id\n1\n2\n' : 'id\n3\n');
  });
  const platform = await sharedPlatform(t);
  const port = await platform.listen(server);
  const api = await platform.as('demo');
  const urls = ['a', 'b'].map((name) => `http://127.0.0.1:${port}/${name}.csv`);
  const source_config = { urls, streams: [{ name: 'rows', glob: '**' }] };
  const { source_id } = ok(await api(createSource, { body: { name: 'far', pattern_id: 'files', source_config } }));
  t.match(await discovered(api, source_id), { status: 'succeeded' });
  await enableAll(api, source_id, { sync_mode: 'incremental', write_mode: 'append' });
  const stream_id = (await streamsOf(api, source_id)).get('rows')?.stream_id ?? '';

  broken = true;
  const { run_id } = ok(await api(startSync, { params: { source_id } }));
  await until('the first rows', async () => {
    const { run } = ok(await api(getSyncStatus, { params: { source_id }, query: { run_id } }));
    return run !== null && run.rows_written === 2 ? run : undefined;
  });
  const body = { sync_mode: 'full_refresh', write_mode: 'overwrite' } as const;
  ok(await api(updateStream, { params: { source_id, stream_id }, body }));
  broken = false;
  const run = await ended(api, source_id, run_id);
  t.equal(run.status, 'succeeded');
  t.ok(run.attempt > 1, 'by another attempt');
  const { total_records } = ok(await api(getDataset, { params: { dataset_id: platform.bronze('far__rows') } }));
  t.equal(total_records, '3');
});
