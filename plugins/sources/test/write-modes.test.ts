import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { getDataset, previewDataset } from '@weir/plugin-datasets/contract';
import t from 'tap';
import { updateStream } from '../src/contract.ts';
import { type Api, discovered, filesSource, ok, streamsOf, synced, testPlatform } from './platform.ts';

/** A source of one JSON-lines file, whose stream is set as wanted. */
async function people(api: Api, folder: string, name: string, settings: object) {
  const data = join(folder, name);
  await mkdir(data);
  const write = (rows: readonly object[]) =>
    writeFile(join(data, 'people.jsonl'), rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  await write([
    { id: 1, name: 'Ada' },
    { id: 2, name: 'Grace' },
  ]);
  const { source_id } = await filesSource(api, name, data);
  t.match(await discovered(api, source_id), { status: 'succeeded' });
  const stream_id = (await streamsOf(api, source_id)).get('people')?.stream_id ?? '';
  ok(await api(updateStream, { params: { source_id, stream_id }, body: { enabled: true, ...settings } }));
  const params = { dataset_id: `bronze.demo.${name}__people` };
  const rows = async (columns: string) =>
    ok(await api(previewDataset, { params, query: { columns, order: 'id' } })).rows;
  return {
    write,
    rows,
    params,
    stream: async () => (await streamsOf(api, source_id)).get('people'),
    sync: () => synced(api, source_id),
  };
}

t.test('rows get into their tables by the write mode and the schema change policy of their stream', async (t) => {
  const platform = await testPlatform(t);
  const api = await platform.as('demo');
  await platform.startWorker({ WEIR_SYNC_MAX_REJECTED_ROWS: '1' });

  await t.test('merge: the last row of a key stands, once', async (t) => {
    const { write, rows, sync } = await people(api, platform.folder, 'merged', {
      ...{ sync_mode: 'full_refresh', write_mode: 'merge', primary_key: [['id']] },
    });
    t.match(await sync(), { status: 'succeeded', rows_written: 2 });
    await write([
      { id: 2, name: 'Hopper' },
      { id: 3, name: 'Joan' },
      { id: 3, name: 'Hedy' },
    ]);
    const run = await sync();
    t.match(run, { status: 'succeeded', rows_written: 3, streams: [{ rows_in_table: 2 }] });
    t.strictSame(await rows('id,name'), [
      ['1', 'Ada'],
      ['2', 'Hopper'],
      ['3', 'Hedy'],
    ]);
  });

  await t.test('soft delete: a key that a full refresh lacks is marked and stays', async (t) => {
    const { write, rows, sync } = await people(api, platform.folder, 'soft', {
      ...{ sync_mode: 'full_refresh', write_mode: 'soft_delete', primary_key: [['id']] },
    });
    t.match(await sync(), { status: 'succeeded' });
    await write([{ id: 2, name: 'Grace' }]);
    t.match(await sync(), { status: 'succeeded' });
    const found = await rows('id,_deleted_at');
    t.match(found, [
      ['1', String],
      ['2', null],
    ]);
  });

  await t.test('evolve: a new field becomes a column before its rows are committed', async (t) => {
    const { write, rows, sync, stream } = await people(api, platform.folder, 'evolving', {
      ...{ sync_mode: 'full_refresh', write_mode: 'overwrite', schema_change_policy: 'evolve' },
    });
    t.match(await sync(), { status: 'succeeded' });
    await write([{ id: 1, name: 'Ada', born: 1815 }]);
    const run = await sync();
    t.match(run, { status: 'succeeded', rows_with_extra: 0 });
    t.match(run.streams[0]?.schema_changes, [{ field: 'born', change: 'added', type: 'long' }]);
    t.strictSame(await rows('id,born'), [['1', '1815']]);
    t.ok(JSON.stringify((await stream())?.schema).includes('"born"'), 'the stream knows it');
  });

  await t.test('freeze: a new field fails the stream by its name, and nothing of it is committed', async (t) => {
    const { write, sync, params } = await people(api, platform.folder, 'frozen', {
      ...{ sync_mode: 'full_refresh', write_mode: 'append', schema_change_policy: 'freeze' },
    });
    t.match(await sync(), { status: 'succeeded', rows_written: 2 });
    await write([{ id: 3, name: 'Hedy', born: 1914 }]);
    t.match(await sync(), { status: 'failed', failure: { code: 'schema_frozen', detail: /born/ }, rows_written: 0 });
    t.equal(ok(await api(getDataset, { params })).total_records, '2');
  });

  await t.test('a stream fails when more of its lines are rejected than one sync may reject', async (t) => {
    const { write, sync } = await people(api, platform.folder, 'rejected', {
      ...{ sync_mode: 'full_refresh', write_mode: 'merge', primary_key: [['id']] },
    });
    await write([{ id: 1, name: 'Ada' }, { name: 'Grace' }]);
    t.match(await sync(), { status: 'succeeded', verdict: 'with_rejects', rows_written: 1, rows_rejected: 1 });
    await write([{ name: 'Ada' }, { name: 'Grace' }]);
    t.match(await sync(), { status: 'failed', failure: { code: 'too_many_rejects' }, rows_written: 0 });
  });
});
