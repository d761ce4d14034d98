import t from 'tap';
import type { LineageColumnView } from '../src/contract.ts';
import { type ColumnsOf, columnTrace } from '../src/model/columns.ts';
import { edgesAmong, graphOf, type Job, nodesNear } from '../src/model/graph.ts';
import { impactOf } from '../src/model/impact.ts';

const job = (id: string, reads: string[], ...writes: string[]): Job => ({
  kind: 'transform',
  id,
  name: id,
  reads,
  writes,
});
const MOST = 500;

t.test(
  'what is near → by how many jobs lie between; a circle ends, and names of another case are one table',
  async (t) => {
    const graph = graphOf([
      job('a', ['X', 'y'], 'z'),
      job('b', ['Z'], 'w'),
      job('c', ['w', 'x'], 'v'),
      job('d', ['v'], 'x'),
    ]);
    const near = (root: string, way: 'up' | 'down' | 'both', depth: number) =>
      nodesNear(graph, { root, up: way !== 'down', down: way !== 'up', depth, most: MOST }).nodes;
    t.strictSame(near('z', 'up', 1), ['z', 'x', 'y']);
    t.strictSame(near('z', 'down', 3), ['z', 'w', 'v', 'x']);
    t.strictSame(near('x', 'down', 9), ['x', 'v', 'z', 'w'], 'each where it is nearest');
    t.strictSame(near('y', 'up', 3), ['y']);
    t.strictSame(near('y', 'both', 1), ['y', 'z']);
    t.strictSame(nodesNear(graph, { root: 'z', up: true, down: true, depth: 9, most: 2 }), {
      nodes: ['z', 'x'],
      isMore: true,
    });
    t.strictSame(
      edgesAmong(graph, ['z', 'x']).map(({ from, to, job: { id } }) => `${from} ${id} ${to}`),
      ['x a z'],
      'edges lead only to nodes that are shown',
    );
  },
);

t.test('the whole graph → also tables that no job touches, sources and what tables fill', async (t) => {
  const source: Job = { kind: 'source', id: '1', name: 'shop', reads: [], writes: ['b'] };
  const backing: Job = { kind: 'backing_dataset', id: '2', name: 'Shops', reads: ['b'], writes: [], fills: 'Shop' };
  const graph = graphOf([source, backing], ['b', 'c']);
  const { nodes } = nodesNear(graph, { up: true, down: true, depth: 1, most: MOST });
  t.strictSame(nodes, ['b', 'c', 'entity_type:Shop', 'source:1']);
  t.strictSame(
    edgesAmong(graph, nodes).map(({ from, to }) => `${from} ${to}`),
    ['source:1 b', 'b entity_type:Shop'],
  );
});

const of = (...columns: string[]) =>
  columns.map((one) => ({ dataset_id: one.split('.')[0] ?? '', column: one.split('.')[1] ?? '' }));
const column = (name: string, sources: string[], influences: string[] = [], complete = true): LineageColumnView => ({
  ...{ column: name, sources: of(...sources), influences: of(...influences), complete },
});
/** raw → clean → sums, and wide, which takes columns that are not known by name. */
const JOBS = [job('clean', ['raw'], 'clean'), job('sums', ['clean'], 'sums'), job('wide', ['clean'], 'wide')];
const COLUMNS: Readonly<Record<string, LineageColumnView[]>> = {
  clean: [column('id', ['raw.id'], ['raw.ok']), column('total', ['raw.price', 'raw.tax'], ['raw.ok'])],
  sums: [column('total', ['clean.total'], ['clean.id'])],
  wide: [column('all', [], [], false)],
};
const columnsOf: ColumnsOf = (id) => COLUMNS[id];

t.test('a column is followed → over every step, both ways, with what decides the rows', async (t) => {
  const graph = graphOf(JOBS);
  const trace = (root: string, name: string, way: 'up' | 'down') =>
    [
      ...columnTrace(graph, columnsOf, {
        root,
        column: name,
        up: way === 'up',
        down: way === 'down',
        nodes: graph.nodes,
      }),
    ].map(
      ([{ from, to }, columns]) =>
        `${from} → ${to}: ${columns.map((one) => [one.column, ...one.sources.map((c) => c.column), '|', ...one.influences.map((c) => c.column)].join(' ')).join(', ')}`,
    );
  t.strictSame(trace('sums', 'TOTAL', 'up'), [
    'clean → sums: total total | id',
    'raw → clean: id id | ok, total price tax | ok',
  ]);
  t.strictSame(trace('raw', 'tax', 'down'), [
    'raw → clean: total tax |',
    'clean → sums: total total |',
    'clean → wide: all |',
  ]);
  t.strictSame(trace('raw', 'other', 'down'), [], 'a column that nothing reads leads nowhere');
});

t.test('a change of columns → what breaks is what names them; what is reached is said with how', async (t) => {
  const graph = graphOf([
    ...JOBS,
    { kind: 'backing_dataset', id: 'bd', name: 'bd', reads: ['sums'], writes: [], fills: 'Sum' },
  ]);
  const impact = (change: 'drop' | 'type', ...names: string[]) => {
    const changes = names.map((name) => ({ column: name, change }));
    const { reached, fills } = impactOf(graph, columnsOf, { root: 'raw', changes, most: MOST });
    const words = reached.map(({ node, steps, breaks, columns }) => {
      const shown = columns.map((one) => `${one.column} ${one.how} ${one.of.join('+')}${one.complete ? '' : '?'}`);
      return `${node} ${steps}${breaks ? ' breaks' : ''}: ${shown.join(', ')}`;
    });
    return [...words, ...fills.map(({ name }) => name)];
  };
  t.strictSame(impact('drop', 'tax'), [
    'clean 1 breaks: total value tax',
    'sums 2: total value tax',
    'wide 2: all rows tax?',
    'bd',
  ]);
  t.strictSame(impact('type', 'ok'), [
    'clean 1: id rows ok, total rows ok',
    'sums 2: total rows ok',
    'wide 2: all rows ok?',
    'bd',
  ]);
  t.strictSame(impact('drop', 'other'), []);
  const ring = graphOf([job('a', ['r'], 's'), job('b', ['s'], 'r')]);
  const looped: ColumnsOf = (id) => [column('c', [id === 'a' ? 'r.c' : 's.c'])];
  const { reached } = impactOf(ring, looped, { root: 'r', changes: [{ column: 'c', change: 'drop' }], most: MOST });
  t.strictSame(
    reached.map(({ node }) => node),
    ['s'],
    'a circle ends',
  );
});
