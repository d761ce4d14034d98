import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { getDataset, previewDataset } from '@weir/plugin-datasets/contract';
import t from 'tap';
import { discovered, enableAll, filesSource, ok, synced } from './platform.ts';
import { sharedPlatform } from './shared-platform.ts';

const COLUMNS = 2000;
const ROWS = 20;

t.test('a file of 2,000 columns → every row in its table', async (t) => {
  const platform = await sharedPlatform(t);
  const api = await platform.as('demo');
  const folder = join(platform.folder, 'wide');
  await mkdir(folder);
  const names = Array.from({ length: COLUMNS }, (_, at) => `c${at}`);
  const row = (id: number) => names.map((_, at) => (at % 2 === 0 ? id * at : `t ${id}`)).join(',');
  await writeFile(
    join(folder, 'w.csv'),
    [names.join(','), ...Array.from({ length: ROWS }, (_, id) => row(id))].join('\n'),
  );
  const { source_id } = await filesSource(api, 'wide', folder);
  t.match(await discovered(api, source_id), { status: 'succeeded' });
  await enableAll(api, source_id, { sync_mode: 'incremental', write_mode: 'append' });
  const run = await synced(api, source_id);
  t.match(run, { status: 'succeeded', verdict: 'clean', rows_written: ROWS });
  const params = { dataset_id: platform.bronze('wide__w') };
  t.ok(ok(await api(getDataset, { params })));
  const last = `c${COLUMNS - 1},c${COLUMNS - 2}`;
  const page = ok(await api(previewDataset, { params, query: { columns: last, order: 'c2', limit: 2 } }));
  t.strictSame(page.rows, [
    ['t 0', '0'],
    ['t 1', String(COLUMNS - 2)],
  ]);
});
