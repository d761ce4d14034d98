import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { getDataset, listDatasetSnapshots, previewDataset } from '@weir/plugin-datasets/contract';
import t from 'tap';
import { getSource, listSources, listSyncHistory } from '../src/contract.ts';
import { discovered, enableAll, filesSource, ok, streamsOf, synced } from './platform.ts';
import { sharedPlatform } from './shared-platform.ts';

t.test('files become bronze tables, and what has not changed is not written again', async (t) => {
  const platform = await sharedPlatform(t);
  const api = await platform.as('demo');
  const data = join(platform.folder, 'data');
  await mkdir(data);
  await writeFile(join(data, 'cities.csv'), 'id,name,founded\n1,Kyiv,0482-01-01\n2,Lyon,\n3,Oslo,1040-01-01\n');
  await writeFile(join(data, 'big.csv'), `n,t\n9007199254740993,2020-01-01T00:00:00.123456Z\n`);
  const source = await filesSource(api, 'town', data);
  t.equal(source.status, 'draft');

  await t.test('a discovery makes the streams, disabled, with destinations of their own', async (t) => {
    const discovery = await discovered(api, source.source_id);
    t.match(discovery, { status: 'succeeded', failure: null, source_id: source.source_id });
    const streams = await streamsOf(api, source.source_id);
    t.match(Object.fromEntries(streams), {
      cities: {
        enabled: false,
        sync_mode: 'full_refresh',
        write_mode: 'overwrite',
        namespace: null,
        destination: {
          namespace: `bronze.${platform.alias('demo')}`,
          table: 'town__cities',
          dataset_id: platform.bronze('town__cities'),
        },
      },
      big: { destination: { table: 'town__big' } },
    });
    t.equal(ok(await api(getSource, { params: { source_id: source.source_id } })).status, 'ready');
  });

  await t.test('a sync writes every row, exactly', async (t) => {
    await enableAll(api, source.source_id, { sync_mode: 'incremental', write_mode: 'append' });
    const run = await synced(api, source.source_id);
    t.match(run, {
      status: 'succeeded',
      verdict: 'clean',
      failure: null,
      rows_read: 4,
      rows_written: 4,
      rows_with_errors: 0,
      phase: 'ended',
      attempt: 1,
    });
    t.ok(run.streams.every((stream) => stream.status === 'succeeded' && /^\d+$/.test(stream.snapshot_id ?? '')));
    const big = ok(await api(previewDataset, { params: { dataset_id: platform.bronze('town__big') } }));
    t.strictSame(big.rows[0]?.slice(0, 1), ['9007199254740993']);
    t.equal(ok(await api(getDataset, { params: { dataset_id: platform.bronze('town__cities') } })).total_records, '3');
    t.equal(ok(await api(getSource, { params: { source_id: source.source_id } })).status, 'active');
  });

  await t.test('a second sync of unchanged files adds no snapshot and no row', async (t) => {
    const run = await synced(api, source.source_id);
    t.match(run, { status: 'succeeded', rows_read: 0, rows_written: 0, verdict: 'clean' });
    t.ok(run.streams.every((stream) => stream.commits === 0 && stream.snapshot_id === null));
    const { items } = ok(await api(listDatasetSnapshots, { params: { dataset_id: platform.bronze('town__cities') } }));
    t.equal(items.length, 1);
  });

  await t.test('a changed folder adds only what is new', async (t) => {
    await writeFile(join(data, 'big.csv'), `n,t\n5,2021-01-01T00:00:00Z\n`);
    const run = await synced(api, source.source_id);
    t.match(run, { status: 'succeeded', rows_written: 1 });
    const history = ok(await api(listSyncHistory, { params: { source_id: source.source_id }, query: { limit: 2 } }));
    t.equal(history.items[0]?.run_id, run.run_id, 'history is newest first');
    t.equal(history.items.length, 2);
    t.ok(history.next_page_token);
  });

  await t.test('a failed sync says why and the last good snapshot stands', async (t) => {
    await writeFile(join(data, 'cities.csv'), '\n4,Bonn,\n');
    const run = await synced(api, source.source_id);
    t.match(run, {
      status: 'failed',
      failure: { code: 'csv_header_missing', retryable: false, hint: String },
    });
    t.notMatch(JSON.stringify(run), /Bonn/, 'nothing of the data is echoed');
    t.equal(ok(await api(getDataset, { params: { dataset_id: platform.bronze('town__cities') } })).total_records, '3');
    t.equal(ok(await api(getSource, { params: { source_id: source.source_id } })).last_run?.status, 'failed');
    await rm(join(data, 'cities.csv'));
  });
});

t.test('a full refresh replaces the rows of its table', async (t) => {
  const platform = await sharedPlatform(t);
  const api = await platform.as('demo');
  const data = join(platform.folder, 'data');
  await mkdir(data);
  await writeFile(join(data, 'a.csv'), 'id\n1\n2\n');
  const { source_id } = await filesSource(api, 'full', data);
  await discovered(api, source_id);
  await enableAll(api, source_id, { sync_mode: 'full_refresh', write_mode: 'overwrite' });
  const dataset = { params: { dataset_id: platform.bronze('full__a') } };
  t.match(await synced(api, source_id), { status: 'succeeded', rows_written: 2 });
  t.match(await synced(api, source_id), { status: 'succeeded', rows_written: 2 });
  const one = ok(await api(getSource, { params: { source_id } }));
  t.match(one, { streams: 1, streams_enabled: 1, last_run: { status: 'succeeded', rows_written: 2 } });
  t.strictSame(ok(await api(listSources)).items, [one], 'a list shows a source as it is read alone');
  t.equal(ok(await api(getDataset, dataset)).total_records, '2');
  await writeFile(join(data, 'a.csv'), 'id\n7\n');
  t.match(await synced(api, source_id), { status: 'succeeded', rows_written: 1 });
  t.equal(ok(await api(getDataset, dataset)).total_records, '1');

  await t.test('a source that was emptied leaves an empty table, and its rows in the snapshot before', async (t) => {
    await writeFile(join(data, 'a.csv'), 'id\n');
    t.match(await synced(api, source_id), { status: 'succeeded', rows_written: 0 });
    t.equal(ok(await api(getDataset, dataset)).total_records, '0');
    await writeFile(join(data, 'a.csv'), 'id\n7\n');
    t.match(await synced(api, source_id), { status: 'succeeded', rows_written: 1 });
  });

  await t.test('the first incremental sync after it takes its place, so that no row is there twice', async (t) => {
    await enableAll(api, source_id, { sync_mode: 'incremental', write_mode: 'append' });
    t.match(await synced(api, source_id), { status: 'succeeded', rows_written: 1 });
    t.equal(ok(await api(getDataset, dataset)).total_records, '1');
    t.match(await synced(api, source_id), { status: 'succeeded', rows_written: 0 });
    t.equal(ok(await api(getDataset, dataset)).total_records, '1');
  });
});
