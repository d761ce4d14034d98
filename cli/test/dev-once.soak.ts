import { readdirSync } from 'node:fs';
import t from 'tap';
import { DEMO_FILES } from '../src/dev/demo/demo-data.ts';
import { machine } from './dev-machine.ts';

const GOLD = 'gold.demo.flight_delays';
const MADE = ['silver.demo.airports', 'silver.demo.daily_delays'];

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
  const counts = new Map(items.map(({ dataset_id, total_records }) => [dataset_id, Number(total_records)]));
  for (const made of [...MADE, GOLD]) t.ok(Number(counts.get(made)) > 0, `${made} is there`);
  const bronze = Object.fromEntries([...counts].filter(([id]) => id.startsWith('bronze.')));
  t.strictSame(bronze, Object.fromEntries(DEMO_FILES.map(({ table, rows }) => [`bronze.demo.${table}`, rows])));
  await weir('dev', 'down', '--data-dir', dataDir);
  t.equal(await second.ended, 0, second.said.stderr);
});
