import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { getDataset, previewDataset } from '@weir/plugin-datasets/contract';
import t from 'tap';
import { discovered, enableAll, filesSource, ok, synced } from './platform.ts';
import { sharedPlatform } from './shared-platform.ts';

const ROWS = 60_000;
const FIRST = 9_007_199_254_740_993n;

t.test('a connector that hands over Parquet files gives the table the rows that it counts', async (t) => {
  const platform = await sharedPlatform(t);
  const api = await platform.as('demo');
  const data = join(platform.folder, 'data');
  await mkdir(data);
  const text = 'the same in all rows; '.repeat(13);
  // As large as a CSV file must be to go another way than in lines, and so even that Parquet packs it well.
  const lines = Array.from({ length: ROWS }, (_, index) => `${FIRST + BigInt(index)},${index}.25,"${text}"`);
  const csv = `id,share,note\n${lines.join('\n')}\n`;
  await writeFile(join(data, 'large.csv'), csv);
  await writeFile(join(data, 'small.csv'), 'id\n1\n2\n3\n');
  const source = await filesSource(api, 'lane', data);
  await discovered(api, source.source_id);
  await enableAll(api, source.source_id, { sync_mode: 'incremental', write_mode: 'append' });
  const counts = { rows_read: ROWS + 3, rows_written: ROWS + 3, rows_with_errors: 0 };
  const run = await synced(api, source.source_id);
  t.match(run, { status: 'succeeded', verdict: 'clean', ...counts });
  t.ok(run.bytes_read < csv.length / 2, 'no lines of these rows were read');
  t.match(await synced(api, source.source_id), { status: 'succeeded', rows_read: 0 });
  const params = { dataset_id: platform.bronze('lane__large') };
  t.equal(ok(await api(getDataset, { params })).total_records, String(ROWS));
  const preview = ok(await api(previewDataset, { params, query: { limit: 1 } }));
  t.match(preview.rows[0]?.[0], /^900719925\d{7}$/, 'no digit of it went through a double');
});
