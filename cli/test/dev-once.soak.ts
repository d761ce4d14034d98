import { readdirSync } from 'node:fs';
import t from 'tap';
import { DEMO_FILES } from '../src/dev/demo/demo-data.ts';
import { machine } from './dev-machine.ts';

const GOLD = 'gold.demo.flight_delays';

t.test('a start with --once stops when the demo is done; the next start keeps its data', async (t) => {
  const { dataDir, weir, start } = machine(t);
  const first = start('dev', 'up', '--demo', '--once');
  t.equal(await first.ended, 0, first.said.stderr);
  t.match(first.said.stderr, /sync: 3,004,837 rows/);
  t.notOk(readdirSync(dataDir).includes('dev.json'));

  const second = start('dev', 'up', '--demo', '--timings');
  await second.printed(/"total":\d+/);
  t.match(second.said.stderr, /sync: no new rows/);
  const { items } = JSON.parse(await weir('datasets', 'list', '-o', 'json')) as {
    items: { dataset_id: string; total_records: string }[];
  };
  const { [GOLD]: gold, ...bronze } = Object.fromEntries(
    items.map(({ dataset_id, total_records }) => [dataset_id, Number(total_records)]),
  );
  t.ok(Number(gold) > 0, 'the table of the transform is there');
  t.strictSame(bronze, Object.fromEntries(DEMO_FILES.map(({ table, rows }) => [`bronze.demo.${table}`, rows])));
  await weir('dev', 'down', '--data-dir', dataDir);
  t.equal(await second.ended, 0, second.said.stderr);
});
