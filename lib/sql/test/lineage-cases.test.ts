import { type ColumnLineage, columnLineage, placeOf, tablesOf } from '@weir/sql';
import t from 'tap';
import { parse } from './kit.ts';

const SCHEMAS = { t: ['id', 'a', 'b', 's'], u: ['id', 'x', 'y'], Big: ['Id', 'Amount'] };
const lineage = async (sql: string, full = false): Promise<ColumnLineage> =>
  columnLineage(await parse(sql, full), SCHEMAS);

/** `name: sources | influences`, one text a column. */
async function edges(sql: string, full = false): Promise<string[]> {
  const { columns, unresolved } = await lineage(sql, full);
  t.same(unresolved, [], sql);
  return columns.map(({ name = '?', sources, influences }) => {
    const [from, by] = [sources, influences].map((list) =>
      list.map(({ table, column }) => `${table}.${column}`).join(' '),
    );
    return `${name}: ${from}${by === '' ? '' : ` | ${by}`}`;
  });
}

const CASES: Record<string, string[]> = {
  'select a, b + t.id as c, 1, count(*) over () from t': ['a: t.a', 'c: t.b t.id', '?: ', '?: '],
  'select amount from BIG': ['amount: Big.Amount'],
  'select * exclude (s, b) replace (b as a) rename (id as key) from t': ['key: t.id', 'a: t.b'],
  "select columns('a') + id as z, max(columns(['a', 'b'])) from t": ['z: t.a t.id', 'a: t.a', 'b: t.b'],
  'select * from t join u using (id)': [
    ...['id: t.id u.id | t.id u.id', 'a: t.a | t.id u.id', 'b: t.b | t.id u.id', 's: t.s | t.id u.id'],
    ...['x: u.x | t.id u.id', 'y: u.y | t.id u.id'],
  ],
  'select u.*, id from t natural full join u': [
    ...['id: u.id | t.id u.id', 'x: u.x | t.id u.id', 'y: u.y | t.id u.id', 'id: t.id u.id | t.id u.id'],
  ],
  'select a from t semi join u on t.id = u.x where b > 1': ['a: t.a | t.b t.id u.x'],
  'with c(p, q) as (select a, b from t where id > 0), d as (from c) select q, p from d': [
    ...['q: t.b | t.id', 'p: t.a | t.id'],
  ],
  'with t as (select x as a from u) select a from t': ['a: u.x'],
  'with t as (select a + 1 as a from t) select a from t': ['a: t.a'],
  'select (with t as (select 1 as a) select a from t) as one, a from t': ['one: ', 'a: t.a'],
  'with recursive r(n, m) as (select a, b from t union all select m, n from r, u where x = n) select n from r': [
    ...['n: t.a t.b | t.a t.b u.x'],
  ],
  'select a from t union all select x from u': ['a: t.a u.x'],
  'select a from t except select x from u order by 1': ['a: t.a u.x | t.a u.x'],
  'select a, b from t union all by name select y as b, x as c from u': ['a: t.a', 'b: t.b u.y', 'c: u.x'],
  'select (select max(y) from u where u.id = t.a) as m from t': ['m: u.y | t.a u.id'],
  'select exists (from u where x = a) as e, a in (select x from u where y > 1) as i from t': [
    ...['e:  | t.a u.x', 'i: t.a u.x | u.y'],
  ],
  'select sum(a) filter (b > 1) over (partition by id order by s) as w from t qualify w > 1': [
    ...['w: t.a t.b t.id t.s | t.a t.b t.id t.s'],
  ],
  'select a as k, sum(b) as v from t group by k having count(id) > 1 order by v limit 3': [
    ...['k: t.a | t.a t.b t.id', 'v: t.b | t.a t.b t.id'],
  ],
  'select a, max(b) as m from t group by all': ['a: t.a | t.a', 'm: t.b | t.a'],
  'select a, max(b) as m from t group by 1 order by all': ['a: t.a | t.a t.b', 'm: t.b | t.a t.b'],
  'select distinct on (a) b from t order by id': ['b: t.b | t.a t.id'],
  'select a + 1 as p, p * 2 as q from t where q > 3': ['p: t.a | t.a', 'q: t.a | t.a'],
  'select z from t, lateral (select x + a as z from u where y = b)': ['z: t.a u.x | t.b u.y'],
  'select t.s.f as f, s.g, t from t': ['f: t.s', 'g: t.s', 't: t.a t.b t.id t.s'],
  'select list_transform([a], lambda b: b + id) as l, s.upper() as v from t': ['l: t.a t.id', 'v: t.s'],
  'select e, n from t, unnest([a]) with ordinality q(e, n)': ['e: t.a | t.a', 'n:  | t.a'],
  'select unnest([a, b]) as e, id from t': ['e: t.a t.b | t.a t.b', 'id: t.id | t.a t.b'],
  'select value from t, json_each(t.s)': ['value: t.s | t.s'],
  'select q.z from (values (1, 2), (3, 4)) q(y, z)': ['z: '],
  'select a_1 from (select a, b as a from t)': ['a_1: t.b'],
  'select count(*) from t group by cube (a, b)': ['?:  | t.a t.b'],
  'from t select #2 as second, current_date': ['second: t.a', 'current_date: '],
  'select a from t limit (select max(x) from u)': ['a: t.a | u.x'],
};

t.test('each form of a SELECT → its sources and influences', async (t) => {
  for (const [sql, expected] of Object.entries(CASES)) {
    t.same(await edges(sql), expected, sql);
    t.same(await edges(sql, true), expected, `${sql}, with default members`);
  }
});

t.test('what cannot be known → unresolved, with reason, name and place', async (t) => {
  const asked: [string, object[]][] = [
    ['select * from nowhere', [{ reason: 'table_unknown', name: 'nowhere', offset: 14 }]],
    ['select zz from t', [{ reason: 'column_unknown', name: 'zz', offset: 7 }]],
    ['select * from t where zz = 1', [{ reason: 'column_unknown', name: 'zz', offset: 22 }]],
    ['select "count_star()" from (select count(*) from t)', [{ reason: 'generated_name', name: 'count_star()' }]],
    ["select columns('(a|b)+$') from t", [{ reason: 'columns_chosen', offset: 7 }]],
    ["select * like 'a%' from t", [{ reason: 'columns_chosen' }]],
    ['select columns(c -> length(c) = 1) from t', [{ reason: 'columns_chosen' }]],
    ['select s.* from t', [{ reason: 'structure_spread', name: 's' }]],
    ['select unnest(s) from t', [{ reason: 'structure_spread', offset: 7 }]],
    ['from (pivot t on a in (1, 2) using sum(b))', [{ reason: 'pivot', offset: 6 }]],
    ['select value from (unpivot t on a, b)', [{ reason: 'pivot' }]],
    ['from (describe t)', [{ reason: 'construct', name: 'SHOW_REF' }]],
    ['drop table t', [{ reason: 'construct' }]],
  ];
  for (const [sql, expected] of asked) t.match((await lineage(sql)).unresolved, expected, sql);
  const { columns } = await lineage('select v from (pivot t on a in (1, 2) using sum(b)) q(v)');
  t.match(columns, [{ name: 'v', unresolved: [{ reason: 'pivot' }] }]);
  t.ok(
    columns[0]?.sources.some(({ column }) => column === 'b'),
    'with all that it may come from',
  );
});

t.test('a statement that costs too many steps → too_complex', async (t) => {
  const nested = Array.from({ length: 40 }).reduce<string>(
    (inner, _, at) =>
      `with recursive r${at}(n) as (select a from t union all select q.n + x from (${inner}) q(n), u) select n from r${at}`,
    'select a as n from t',
  );
  t.same((await lineage(nested)).unresolved, [{ reason: 'too_complex' }]);
});

t.test('tables of a statement → each mention that no table expression provides, with its place', async (t) => {
  const names = async (sql: string) =>
    tablesOf(await parse(sql)).map(({ name, offset }) => `${name}@${placeOf(sql, offset).column}`);
  t.same(await names('select * from T join u using (id), lateral (from t)'), ['T@15', 'u@22', 't@50']);
  t.same(await names('with a as (from t), b as (from a) from b, a, c'), ['t@17', 'c@46']);
  t.same(await names('with a as (from b), b as (from t) from b'), ['b@17', 't@32']);
  t.same(await names('with t as (from t) from t'), ['t@17']);
  t.same(await names('select (with t as (select 1) from t), x from t'), ['t@46']);
  t.same(await names('with recursive r as (from r union all from r) from r'), ['r@27']);
  t.same(await names('(from t) union (with u as (from u) from u) except from u'), ['t@7', 'u@33', 'u@56']);
  t.same(await names('select exists (from u where id in (from t)) from (values (1))'), ['u@21', 't@41']);
  t.same(await names('drop table t'), []);
});
