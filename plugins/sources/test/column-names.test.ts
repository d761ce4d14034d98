import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { previewDataset } from '@weir/plugin-datasets/contract';
import t from 'tap';
import { updateStream } from '../src/contract.ts';
import { discovered, enableAll, filesSource, ok, refusal, streamsOf, synced } from './platform.ts';
import { sharedPlatform } from './shared-platform.ts';

const ROW = { A: 1, a: 2, id: 3, _run_id: 'theirs', _Errors: [4] };
const EXTRA = { A: 1, _run_id: 'theirs', _Errors: [4] };

t.test('columns that differ in case or are reserved → their values are in _extra, sync after sync', async (t) => {
  const platform = await sharedPlatform(t);
  const api = await platform.as('demo');
  const data = join(platform.folder, 'data');
  await mkdir(data);
  await writeFile(join(data, 'twins.jsonl'), `${JSON.stringify(ROW)}\n`);
  const { source_id } = await filesSource(api, 'shop', data);
  await discovered(api, source_id);
  await enableAll(api, source_id, { sync_mode: 'full_refresh', write_mode: 'append' });
  t.strictSame((await streamsOf(api, source_id)).get('twins')?.kept_in_extra.toSorted(), Object.keys(EXTRA).toSorted());
  const params = { dataset_id: platform.bronze('shop__twins') };
  for (let count = 1; count <= 2; count++) {
    const { streams } = await synced(api, source_id);
    t.match(streams, [{ status: 'succeeded', rows_written: 1, rows_rejected: 0, schema_changes: [] }]);
    const { rows } = ok(await api(previewDataset, { params, query: { columns: 'a,id,_errors,_extra', limit: 10 } }));
    t.equal(rows.length, count);
    for (const [a, id, errors, extra] of rows) {
      t.strictSame([a, id, errors, JSON.parse(String(extra))], ['2', '3', [], EXTRA]);
    }
  }
});

t.test('a key among names that differ in case → is the column, and a reserved one is refused', async (t) => {
  const platform = await sharedPlatform(t);
  const api = await platform.as('demo');
  const data = join(platform.folder, 'keyed');
  await mkdir(data);
  await writeFile(join(data, 'twins.jsonl'), `${JSON.stringify(ROW)}\n`);
  const { source_id } = await filesSource(api, 'keyed', data);
  await discovered(api, source_id);
  await enableAll(api, source_id, { sync_mode: 'full_refresh', write_mode: 'merge', primary_key: [['A']] });
  t.match((await synced(api, source_id)).streams, [{ status: 'succeeded', rows_written: 1 }]);
  const params = { dataset_id: platform.bronze('keyed__twins') };
  const { rows } = ok(await api(previewDataset, { params, query: { columns: 'A,_extra', limit: 10 } }));
  const { stream_id = '' } = (await streamsOf(api, source_id)).get('twins') ?? {};
  const body = { primary_key: [['_run_id']] };
  t.equal(refusal(await api(updateStream, { params: { source_id, stream_id }, body })), '422 stream_not_syncable');
  t.strictSame([rows[0]?.[0], (JSON.parse(String(rows[0]?.[1])) as { a: number }).a], ['1', 2]);
});
