import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { getSyncReceipt, getSyncStats, listSyncRunStreams } from '../src/contract.ts';
import { ok, synced } from './platform.ts';
import { describedSource } from './ready-source.ts';
import { sharedPlatform } from './shared-platform.ts';

t.test('each file of a folder is a number of the run, and what is left out or gone says so', async (t) => {
  const platform = await sharedPlatform(t);
  const api = await platform.as('demo');
  const path = join(platform.folder, 'accounts');
  await mkdir(path);
  const put = (name: string, text: string) => writeFile(join(path, name), text);
  await put('a.csv', 'id\n1\n');
  await put('b.csv', '\n2\n');
  await put('c.csv', 'id\n3\n');
  const source_config = { path, streams: [{ name: 'rows', glob: '*.csv' }] };
  const source_id = await describedSource(
    api,
    { name: 'accounts', pattern_id: 'files', source_config },
    { name: 'rows', properties: { id: { type: 'integer' } }, sync_mode: 'incremental', write_mode: 'append' },
  );

  const broken = await synced(api, source_id);
  const left = { kind: 'file_left_out', count: 1, file: 'b.csv', code: 'csv_header_missing', message: /b\.csv/ };
  const figures = { rows_written: 2, files_read: 2, files_unchanged: 0, files_left_out: 1, files_gone: 0 };
  t.match(broken, { status: 'failed', verdict: null, ...figures, rows_left_out: 0 });
  t.match(broken.streams, [{ status: 'failed', ...figures, left_out: [left], failure: { hint: /1 of the 3 files/ } }]);
  const sync_run_id = broken.run_id;
  const { receipt } = ok(await api(getSyncReceipt, { params: { sync_run_id } }));
  t.match(receipt, { ...figures, streams: [{ ...figures, left_out: [left] }] });
  t.match(ok(await api(listSyncRunStreams, { params: { sync_run_id } })).items, [{ ...figures, left_out: [left] }]);
  t.match(ok(await api(getSyncStats, { params: { source_id } })), { files_left_out: 1, rows_left_out: 0 });

  await put('b.csv', 'id\n2\n');
  const whole = await synced(api, source_id);
  t.match(whole, { status: 'succeeded', verdict: 'clean', files_read: 1, files_unchanged: 2, files_left_out: 0 });
  t.strictSame(whole.streams[0]?.left_out, []);

  await rm(join(path, 'a.csv'));
  const gone = await synced(api, source_id);
  t.match(gone, { status: 'succeeded', verdict: 'with_rejects', files_unchanged: 2, files_gone: 1 });
  t.match(gone.streams[0]?.left_out, [{ kind: 'file_gone', count: 1, file: 'a.csv' }]);
});
