import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { getDataset } from '@weir/plugin-datasets/contract';
import t from 'tap';
import { bulkStreams, createStream, deleteStream, resetStream, updateStream } from '../src/contract.ts';
import { discovered, enableAll, filesSource, ok, refusal, streamsOf, synced } from './platform.ts';
import { sharedPlatform } from './shared-platform.ts';

const APPEND = { sync_mode: 'incremental', write_mode: 'append' } as const;

t.test('a table that a stream comes back to holds each of its rows once', async (t) => {
  const platform = await sharedPlatform(t);
  const api = await platform.as('demo');
  const data = join(platform.folder, 'data');
  await mkdir(data);
  for (const name of ['a', 'b', 'c']) await writeFile(join(data, `${name}.csv`), 'id\n1\n2\n');
  const { source_id } = await filesSource(api, 'shop', data);
  const params = { source_id };
  await discovered(api, source_id);
  await enableAll(api, source_id, APPEND);
  const at = async (name: string) => {
    const stream_id = (await streamsOf(api, source_id)).get(name)?.stream_id ?? '';
    return { params: { source_id, stream_id } };
  };
  const route = async (name: string, table: string) =>
    ok(await api(updateStream, { ...(await at(name)), body: { destination: { table } } }));
  const rowsAfterSync = async (table: string) => {
    t.match(await synced(api, source_id), { status: 'succeeded' });
    return ok(await api(getDataset, { params: { dataset_id: platform.bronze(table) } })).total_records;
  };
  const described = async (name: string) => ({
    ...{ name, schema: (await streamsOf(api, source_id)).get(name)?.schema ?? {}, ...APPEND, enabled: true },
    supported_sync_modes: ['full_refresh' as const, 'incremental' as const],
    cursor_field: ['id'],
  });

  await t.test('routed away, reset there, and routed back', async (t) => {
    t.equal(await rowsAfterSync('shop__a'), '2');
    await route('a', 'aside');
    t.equal(await rowsAfterSync('aside'), '2');
    ok(await api(resetStream, await at('a'), { 'if-match': '*' }));
    t.equal(await rowsAfterSync('aside'), '2');
    await route('a', 'shop__a');
    t.equal(await rowsAfterSync('shop__a'), '2', 'what it had left before the reset is replaced');
    await route('a', 'aside');
    t.equal(await rowsAfterSync('aside'), '2', 'where it has a state it goes on');
  });

  await t.test('deleted, and made again with the table by name', async (t) => {
    const again = { ...(await described('b')), destination: { table: 'shop__b' } };
    t.equal(refusal(await api(deleteStream, await at('b'))), '204');
    ok(await api(createStream, { params, body: again }));
    t.equal(await rowsAfterSync('shop__b'), '2');
    const third = { ...(await described('c')), destination: { table: 'shop__c' } };
    t.equal(refusal(await api(deleteStream, await at('c'))), '204');
    ok(await api(bulkStreams, { params, body: { streams: [third] } }));
    t.equal(await rowsAfterSync('shop__c'), '2');
  });

  await t.test('what another stream has left in a table that somebody chose stays', async (t) => {
    t.equal(refusal(await api(deleteStream, await at('b'))), '204');
    await route('c', 'shop__b');
    t.equal(await rowsAfterSync('shop__b'), '4');
    t.equal(await rowsAfterSync('shop__b'), '4');
  });
});
