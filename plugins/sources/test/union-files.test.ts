import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { previewDataset } from '@weir/plugin-datasets/contract';
import t from 'tap';
import { updateStream } from '../src/contract.ts';
import { discovered, enableAll, filesSource, ok, streamsOf, synced } from './platform.ts';
import { sharedPlatform } from './shared-platform.ts';

interface FileSet {
  name: string;
  first: Readonly<Record<string, string>>;
  /** Files that come after the first sync. */
  later: Readonly<Record<string, string>>;
  /** What becomes of columns that discovery has not seen. */
  policy: 'capture' | 'evolve';
  columns: readonly string[];
  rows: readonly (readonly unknown[])[];
}

const SETS: readonly FileSet[] = [
  {
    name: 'more',
    first: { '1.csv': 'id,a\n1,x\n', '2.csv': 'b,id\ny,2\n' },
    later: { '3.csv': 'id,b,a\n3,z,w\n' },
    policy: 'capture',
    columns: ['id', 'a', 'b', '_extra'],
    rows: [
      [1, 'x', null, null],
      [2, null, 'y', null],
      [3, 'w', 'z', null],
    ],
  },
  {
    name: 'captured',
    first: { '1.csv': 'id,a\n1,x\n' },
    later: { '2.csv': 'id,Coupon\n2,5\n' },
    policy: 'capture',
    columns: ['id', 'a', '_extra'],
    rows: [
      [1, 'x', null],
      [2, null, '{"Coupon":5}'],
    ],
  },
  {
    name: 'evolved',
    first: { '1.csv': 'id,a\n1,x\n' },
    later: { '2.csv': 'id,Coupon\n2,5\n' },
    policy: 'evolve',
    columns: ['id', 'a', 'Coupon', '_extra'],
    rows: [
      [1, 'x', null, null],
      [2, null, 5, null],
    ],
  },
  {
    name: 'widened',
    first: { '1.csv': 'id,n,s\n1,1,\n', '2.csv': 'id,n,s\n2,0.5,7\n' },
    later: { '3.csv': 'id\n3\n' },
    policy: 'capture',
    columns: ['id', 'n', 's'],
    rows: [
      [1, 1, null],
      [2, 0.5, 7],
      [3, null, null],
    ],
  },
  {
    name: 'formats',
    first: { '1.csv': 'id,a\n1,x\n', '2.jsonl': '{"id":2,"b":true}\n' },
    later: { '3.jsonl': '{"id":3,"c":[1]}\n' },
    policy: 'capture',
    columns: ['id', 'a', 'b', '_extra'],
    rows: [
      [1, 'x', null, null],
      [2, null, true, null],
      [3, null, null, '{"c":[1]}'],
    ],
  },
  {
    name: 'ordered',
    first: { '1.csv': 'id,2020,2019,b\n1,2,3,x\n' },
    later: { '2.csv': 'id,2019,2018\n2,4,5\n' },
    policy: 'evolve',
    columns: ['id', '2020', '2019', 'b', '2018', '_extra'],
    rows: [
      [1, 2, 3, 'x', null, null],
      [2, null, 4, null, 5, null],
    ],
  },
];

t.test('files of other columns than their streams → whole syncs with the union by name', async (t) => {
  const platform = await sharedPlatform(t);
  const api = await platform.as('demo');
  const write = async (of: 'first' | 'later') => {
    for (const set of SETS) {
      await mkdir(join(platform.folder, set.name), { recursive: true });
      for (const [name, text] of Object.entries(set[of])) await writeFile(join(platform.folder, set.name, name), text);
    }
  };
  await write('first');
  await mkdir(join(platform.folder, 'broken'));
  await writeFile(join(platform.folder, 'broken', '1.csv'), '\n1\n');
  const streams = [...SETS.map(({ name }) => name), 'broken'].map((name) => ({ name, glob: `${name}/*` }));
  const { source_id } = await filesSource(api, 'sets', platform.folder, { streams });
  t.match(await discovered(api, source_id), { status: 'succeeded' });
  const found = await streamsOf(api, source_id);
  t.strictSame([...found.keys()].sort(), SETS.map(({ name }) => name).sort(), 'the broken stream is left out alone');
  await enableAll(api, source_id, { sync_mode: 'incremental', write_mode: 'append' });
  for (const { name, policy } of SETS) {
    const params = { source_id, stream_id: found.get(name)?.stream_id ?? '' };
    ok(await api(updateStream, { params, body: { schema_change_policy: policy } }));
  }
  t.match(await synced(api, source_id), { status: 'succeeded', verdict: 'clean' });
  await write('later');
  t.match(await synced(api, source_id), { status: 'succeeded', rows_written: SETS.length });
  for (const { name, columns, rows } of SETS) {
    const params = { dataset_id: platform.bronze(`sets__${name}`) };
    const preview = ok(await api(previewDataset, { params, query: { limit: 50 } }));
    const at = columns.map((column) => preview.columns.findIndex((one) => one.name === column));
    // New columns come behind those of the platform.
    const own = columns.filter((column) => column !== '_extra');
    const shown = preview.columns.map((column) => column.name).filter((column) => own.includes(column));
    t.strictSame(shown, own, `${name}: the columns in the order of the files`);
    const cells = preview.rows.map((row) => at.map((index) => row[index] ?? null));
    t.same(
      cells.sort(([a], [b]) => Number(a) - Number(b)).map((row) => row.map(String)),
      rows.map((row) => row.map(String)),
      name,
    );
  }
});
