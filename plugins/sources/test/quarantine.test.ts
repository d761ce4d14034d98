import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { listQuarantine, previewDataset } from '@weir/plugin-datasets/contract';
import t from 'tap';
import { getReplay, getStream, getSyncReceipt, resetStream, startReplay, updateStream } from '../src/contract.ts';
import {
  type Api,
  discovered,
  filesSource,
  ok,
  refusal,
  streamsOf,
  synced,
  type TestPlatform,
  testPlatform,
  until,
} from './platform.ts';

const DATASET = 'bronze.demo.shop__people';
const params = { dataset_id: DATASET };

/** A source of one file of people, merged by their ids. */
async function people(platform: TestPlatform, api: Api, csv: string) {
  const data = join(platform.folder, 'data');
  await mkdir(data);
  const write = (text: string) => writeFile(join(data, 'people.csv'), text);
  await write(csv);
  const { source_id } = await filesSource(api, 'shop', data);
  await platform.startWorker();
  t.match(await discovered(api, source_id), { status: 'succeeded' });
  const stream_id = (await streamsOf(api, source_id)).get('people')?.stream_id ?? '';
  const set = async (body: object) => ok(await api(updateStream, { params: { source_id, stream_id }, body }));
  return { source_id, stream_id, write, set };
}

async function replayed(api: Api, body: object) {
  const { run_id } = ok(await api(startReplay, { body: { dataset_id: DATASET, ...body } }));
  return until('a replay', async () => {
    const run = ok(await api(getReplay, { params: { replay_run_id: run_id } }));
    return run.is_terminal ? run : undefined;
  });
}

async function rowsOf(api: Api): Promise<unknown[][]> {
  return ok(await api(previewDataset, { params, query: { columns: 'id,name', order: 'name' } })).rows;
}

t.test('a line without its key is kept and listed, and a row when it is tried again after the fix', async (t) => {
  const platform = await testPlatform(t);
  const api = await platform.as('demo');
  const { source_id, set } = await people(platform, api, 'id,name\n1,Ada\n,Grace\n3,Hedy\n,Joan\n');
  await set({ enabled: true, write_mode: 'merge', primary_key: [['id']] });
  t.equal(refusal(await api(listQuarantine, { params })), '404 not_found', 'there is no dataset yet');
  const run = await synced(api, source_id);
  t.match(run, { status: 'succeeded', verdict: 'with_rejects', rows_read: 4, rows_written: 2, rows_rejected: 2 });
  const { receipt } = ok(await api(getSyncReceipt, { params: { sync_run_id: run.run_id } }));
  t.match(receipt.streams, [
    { rows_written: 2, rows_quarantined: 2, rows_in_table: 2, quarantine_dataset_id: `${DATASET}__quarantine` },
  ]);

  const list = ok(await api(listQuarantine, { params, query: { limit: 1 } }));
  t.match(list, {
    quarantine_dataset_id: `${DATASET}__quarantine`,
    reasons: [{ reason: 'key_missing', lines: 2 }],
    total: 2,
    items: [{ run_id: run.run_id, stream: 'people', reason: 'key_missing', position: '1', truncated: false }],
  });
  t.match(JSON.parse(list.items[0]?.line ?? ''), { record: { data: { name: 'Grace' } } }, 'the line byte for byte');
  const next = ok(await api(listQuarantine, { params, query: { limit: 1, page_token: list.next_page_token ?? '' } }));
  t.match(next, { items: [{ position: '3' }], next_page_token: null });
  const none = { reason: 'invalid_utf8' };
  t.match(ok(await api(listQuarantine, { params, query: none })), { items: [], reasons: [], total: 0 });

  const again = await replayed(api, {});
  t.match(again, { status: 'succeeded', outcome: { lines: 2, rows: 0, rejected: 2, reasons: [{ lines: 2 }] } });
  t.match(ok(await api(listQuarantine, { params })), { total: 2, items: [{ run_id: run.run_id, position: '1' }, {}] });

  await set({ write_mode: 'append' });
  t.match((await replayed(api, { reasons: ['malformed_json'] })).outcome, { lines: 0, rows: 0 });
  t.match((await replayed(api, { run_id: run.run_id })).outcome, {
    lines: 2,
    rows: 2,
    rejected: 0,
    snapshot_id: /^\d+$/,
  });
  t.strictSame(await rowsOf(api), [
    ['1', 'Ada'],
    [null, 'Grace'],
    ['3', 'Hedy'],
    [null, 'Joan'],
  ]);
  t.match(ok(await api(listQuarantine, { params })), { total: 0, items: [] });
  t.match((await replayed(api, {})).outcome, { lines: 0, rows: 0 }, 'nothing is moved twice');
});

t.test('lines of a generation that is gone are not tried again, and the outcome says how many', async (t) => {
  const platform = await testPlatform(t);
  const api = await platform.as('demo');
  const { source_id, stream_id, write, set } = await people(platform, api, 'id,name\n1,Ada\n,Grace\n');
  await set({ enabled: true, write_mode: 'merge', primary_key: [['id']] });
  const first = await synced(api, source_id);
  const { etag } = ok(await api(getStream, { params: { source_id, stream_id } }));
  ok(await api(resetStream, { params: { source_id, stream_id } }, { 'if-match': etag }));
  await write('id,name\n1,Ada\n,Joan\n');
  await synced(api, source_id);
  await set({ write_mode: 'append' });
  t.match((await replayed(api, { run_id: first.run_id })).outcome, { lines: 0, rows: 0, superseded: 1 });
  t.match((await replayed(api, {})).outcome, { lines: 1, rows: 1, superseded: 1 });
  t.strictSame(await rowsOf(api), [
    ['1', 'Ada'],
    [null, 'Joan'],
  ]);
  t.match(ok(await api(listQuarantine, { params })), { total: 1, items: [{ run_id: first.run_id }] });
});

t.test('a replay belongs to a stream of the tenant whose settings hold', async (t) => {
  const platform = await testPlatform(t);
  const api = await platform.as('demo');
  const start = (dataset_id: string, as: Api = api) =>
    as(startReplay, { body: { dataset_id }, query: { queue: true } }).then(refusal);
  const { source_id, set } = await people(platform, api, 'id,name\n1,Ada\n');
  await set({ write_mode: 'merge' });
  t.equal(await start(DATASET), '422 stream_not_syncable', 'merge needs a key');
  await set({ write_mode: 'append' });
  t.equal(await start('bronze.demo.other'), '404 not_found');
  t.equal(await start(DATASET, await platform.as('other')), '404 not_found');
  t.equal(await start('nonsense'), '404 not_found');
  t.equal(await start(DATASET, await platform.as('demo', 'viewer')), '403 forbidden_role');
  const run = await replayed(api, {});
  t.match(run, { status: 'succeeded', source_id, outcome: { lines: 0 } }, 'without a table there is nothing to do');
});
