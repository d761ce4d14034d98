import { changeTransform, createTransform, hydrateTransform } from '@weir/plugin-transforms/contract';
import t from 'tap';
import { startWorker } from '../../../test/worker-process.ts';
import { runWorld } from '../../transforms/test/run-kit.ts';
import { getLineage, readImpact } from '../src/contract.ts';

const RAW = 'silver.acme.raw';
const CLEAN = 'silver.acme.clean';
const SUMS = 'gold.acme.sums';

const world = await runWorld(t);
const { ok, call, hydrated, materialized } = world;
const values = (rows: string) => `select * from (values ${rows}) v(id, total)`;
const raw = await hydrated('raw', values('(1, 10), (2, 20)'), RAW);
const clean = await hydrated('clean', `select id, total from ${RAW} where total > 10`, CLEAN);
const sums = await hydrated(
  'sums',
  `select sum(total)::int as total from ${CLEAN.toUpperCase().replace('SILVER.ACME', 'silver.acme')}`,
  SUMS,
);

const graph = async (query: object = {}) => {
  const { nodes, edges, root } = await ok(getLineage, { query });
  const states = nodes.map(
    ({ node_id, state, last_run }) => `${node_id} ${state}${last_run ? ` ${last_run.status}` : ''}`,
  );
  return {
    root,
    states,
    edges: edges.map(({ from, to, job, moved }) => `${from} ${job.name} ${to} ${moved}`),
    all: { nodes, edges },
  };
};

t.test('before any run → the graph of what is in force, nothing made', async (t) => {
  const { root, states, edges } = await graph({ dataset_id: CLEAN.toLowerCase() });
  t.equal(root?.toLowerCase(), CLEAN.toLowerCase());
  t.strictSame(
    states.toSorted().map((one) => one.toLowerCase()),
    [`${SUMS} not_made`, `${CLEAN.toLowerCase()} not_made`, `${RAW} not_made`],
  );
  t.equal(edges.length, 2);
  t.match(await call(getLineage, { query: { dataset_id: 'gold.acme.nothing' } }), {
    problem: { code: 'dataset_not_readable' },
  });
  t.match(await call(getLineage, { query: { dataset_id: 'gold' } }), { problem: { code: 'invalid_dataset_id' } });
  t.match(await call(getLineage, { query: { dataset_id: 'silver.globex.raw' } }), {
    problem: { code: 'dataset_not_readable' },
  });
});

t.test('runs, new rows, another definition → what is behind says so, and ids have all their digits', async (t) => {
  await startWorker(t, world.environment, 'transform');
  for (const one of [raw, clean, sums]) await materialized(one);
  const made = await graph({ dataset_id: SUMS, direction: 'upstream' });
  t.strictSame(made.states, [`${SUMS} current succeeded`, `${CLEAN} current succeeded`, `${RAW} null succeeded`]);
  const [edge] = made.all.edges;
  const node = made.all.nodes.find(({ dataset_id }) => dataset_id === CLEAN);
  t.equal(edge?.from_snapshot_id_exact, node?.snapshot_id_exact, 'the last run read what is the newest');
  t.equal(String(edge?.from_snapshot_id), edge?.from_snapshot_id_exact);
  t.match(node, { total_records: '1', layer: 'silver', readable: true, made_by: { kind: 'transform', name: 'clean' } });

  await ok(changeTransform, { params: raw, body: { sql: values('(1, 10), (2, 20), (3, 30)') } });
  await ok(hydrateTransform, { params: raw });
  await materialized(raw);
  t.match((await graph({ dataset_id: SUMS })).states, [`${SUMS} current succeeded`, `${CLEAN} behind succeeded`]);
  await materialized(clean);
  t.match((await graph({ dataset_id: SUMS })).states, [`${SUMS} behind succeeded`, `${CLEAN} current succeeded`]);
  await ok(changeTransform, { params: clean, body: { sql: `select id, total from ${RAW}` } });
  await ok(hydrateTransform, { params: clean });
  t.match((await graph({ dataset_id: CLEAN })).states, [`${CLEAN} behind succeeded`], 'another definition is in force');
});

t.test('columns → asked for, followed, and judged', async (t) => {
  t.ok((await graph({ dataset_id: SUMS })).all.edges.every(({ columns }) => columns === null));
  const { nodes, edges } = await ok(getLineage, { query: { dataset_id: SUMS, column: 'total' } });
  t.strictSame(
    edges.map(({ to, columns }) => [to, columns?.map(({ column }) => column)]),
    [
      [SUMS, ['total']],
      [CLEAN, ['total']],
    ],
  );
  t.equal(nodes.length, 3);
  const impact = await ok(readImpact, { body: { dataset_id: RAW, changes: [{ column: 'total', change: 'drop' }] } });
  t.match(impact, {
    breaks: 1,
    reaches: [
      { dataset_id: CLEAN, steps: 1, breaks: true, columns: [{ column: 'total', how: 'value', of: ['total'] }] },
      { dataset_id: SUMS, steps: 2, breaks: false },
    ],
  });
});

t.test('what is archived → is in no graph any more; what is made and not run is in it at once', async (t) => {
  await ok(changeTransform, { params: sums, body: { archived: true } });
  t.strictSame((await graph({ dataset_id: CLEAN, direction: 'downstream' })).edges, []);
  const name = 'other';
  const { transform_id } = await ok(createTransform, {
    body: { name, sql: `select id from ${CLEAN}`, output: 'gold.acme.other' },
  });
  t.strictSame((await graph({ dataset_id: CLEAN, direction: 'downstream' })).edges, [], 'a draft is not in force');
  await ok(hydrateTransform, { params: { transform_id } });
  t.strictSame((await graph({ dataset_id: CLEAN, direction: 'downstream' })).edges, [
    `${CLEAN} other gold.acme.other null`,
  ]);
  t.equal((await ok(getLineage, {})).root, null);
  t.ok(
    (await graph()).states.some((state) => state.startsWith(SUMS)),
    'its table is there still, alone',
  );
});
