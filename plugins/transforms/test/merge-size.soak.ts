import { mkdir, rename } from 'node:fs/promises';
import { DuckDBInstance } from '@duckdb/node-api';
import type { CallResult, Endpoint, Input } from '@weir/kernel/contract';
import t from 'tap';
import { startWorker } from '../../../test/worker-process.ts';
import { type Api, synced } from '../../sources/test/platform.ts';
import { readySource } from '../../sources/test/ready-source.ts';
import { runWorld } from './run-kit.ts';

const ROWS = 10_000_000;
/** The file is written again with these keys: a tenth of the rows goes, as many come, and half of the others change. */
const [FROM, TO, CHANGED] = [ROWS / 10, ROWS + ROWS / 10, ROWS / 2];
const LOADED = 'bronze.acme.orders__orders';
const FIGURES = ['count(*)', 'sum(id)', 'sum(version)', 'sum(amount)', 'sum(hash(id, version, customer, amount, note))']
  .map((sum, at) => `(${sum})::varchar as f${at}`)
  .join(', ');

const rowsSql = (from: number, to: number, version: string) => `select id, ${version} as version,
  id % 1000003 as customer, ((id * 7 + ${version}) % 9973)::decimal(12, 2) as amount,
  md5((id + ${version})::varchar) as note from range(${from}, ${to}) r(id)`;

t.test('ten million rows merged by key with the default settings → what DuckDB answers', async (t) => {
  const world = await runWorld(t);
  const { hydrated, materialized, folder, rows } = world;
  let looks = 0;
  const instance = await DuckDBInstance.create(':memory:');
  const duckdb = await instance.connect();
  t.teardown(() => instance.closeSync());
  await mkdir(`${folder}/orders`);
  const file = `${folder}/orders/orders.parquet`;
  const write = async (rows: string) => {
    await duckdb.run(`copy (${rows}) to '${file}.next' (format parquet)`);
    await rename(`${file}.next`, file);
  };
  const wanted = async (sql: string) => (await duckdb.runAndReadAll(sql)).getRowsJson().map((row) => row.map(String));
  /** What a table holds, by a transform: a query may take less memory. */
  const held = async (table: string) => {
    const output = `gold.acme.figures_${++looks}`;
    const params = await hydrated(`figures_${looks}`, `select ${FIGURES} from ${table}`, output);
    t.match(await materialized(params), { status: 'succeeded' });
    return rows(output);
  };

  const worker = await startWorker(t, world.environment, 'source,discovery,transform');
  const api: Api = <E extends Endpoint>(endpoint: E, input: Partial<Input<E>> = {}): Promise<CallResult<E>> =>
    world.call(endpoint, input);
  const body = { name: 'orders', pattern_id: 'files', source_config: { path: `${folder}/orders` } };
  await write(rowsSql(0, ROWS, '0::bigint'));
  const source = await readySource(api, body, {
    ...{ sync_mode: 'incremental', write_mode: 'merge', primary_key: [['id']] },
  });
  t.match(await synced(api, source), { status: 'succeeded' });
  t.strictSame(await held(LOADED), await wanted(`select ${FIGURES} from '${file}'`), 'the first sync');

  const sql = `select id, version, customer, amount, note from ${LOADED}
    qualify row_number() over (partition by id order by version desc) = 1`;
  const merge = { materialization: 'merge', key: ['id'], incremental: LOADED };
  const params = await hydrated('latest', sql, 'gold.acme.latest', merge);
  t.match(await materialized(params), { status: 'succeeded', extent: 'full', rows: String(ROWS) });
  t.strictSame(await held('gold.acme.latest'), await held(LOADED), 'the first run');

  await write(rowsSql(FROM, TO, `(id >= ${CHANGED})::bigint`));
  t.match(await synced(api, source), { status: 'succeeded' });
  const now = await wanted(`select ${FIGURES} from '${file}'`);
  t.strictSame(await held(LOADED), now, 'the sync of updates, inserts and deletes');
  t.match(await materialized(params), { status: 'succeeded', extent: 'increment' });
  t.strictSame(await held('gold.acme.latest'), now, 'the run that merges them');
  await worker.end('SIGTERM');
});
