import { incrementShape } from '@weir/sql';
import t from 'tap';
import { parse } from './kit.ts';

const judged = async (sql: string, columns: readonly string[] = ['id']) => {
  for (const full of [false, true]) {
    const found = incrementShape(await parse(sql, full), { input: ['C', 's', 'new'], columns });
    if (full) return 'fault' in found ? found.fault : found.shape;
  }
};

t.test('each row of the input gives rows of its own → rows', async (t) => {
  for (const sql of [
    'select * from c.s.new',
    'select id, lower(a) from C.S.New where a > 1 and id in (select id from other) order by id',
    'with x as (select * from c.s.new), y as (select 1 as id) select x.id from x join y using (id)',
    'select * from (select id from c.s.new) n left join dim on n.id = dim.id',
    'select n.id from dim right join c.s.new n on n.id = dim.id',
    'select id, unnest(tags) from c.s.new anti join gone using (id)',
    'select n.id, (select max(a) from dim) from c.s.new n asof join prices p on n.ts >= p.ts',
  ]) {
    t.equal(await judged(sql), 'rows', sql);
  }
});

t.test('what has a key follows from the rows of that key → keys', async (t) => {
  for (const sql of [
    'select * from c.s.new qualify row_number() over (partition by id order by ts desc) = 1',
    'select id, sum(total) as total from c.s.new group by id',
    'select id, day, count(*) from c.s.new n join dim using (day) group by all',
    'select distinct id, a from c.s.new',
    'select distinct on (id) * from c.s.new order by id, ts desc',
    'select id, sum(total) over (partition by ID, day order by ts) from c.s.new',
    'with x as (select * from c.s.new where a > 1) select id, max(a) from x group by 1',
  ]) {
    t.equal(await judged(sql), 'keys', sql);
  }
  t.equal(await judged('select day, sum(a) as a from c.s.new group by day, id', ['day']), 'keys');
});

t.test('a result that new rows alone do not tell → a fault that says why', async (t) => {
  for (const [sql, fault] of [
    ['select 1 as id', 'increment_not_read'],
    ['select a.id from c.s.new a join c.s.new b using (id)', 'increment_read_twice'],
    ['with x as (select * from c.s.new) select x.id from x join x y using (id)', 'increment_read_twice'],
    ['select dim.id from dim left join c.s.new n using (id)', 'increment_join'],
    ['select id from dim anti join c.s.new using (id)', 'increment_join'],
    ['select id from c.s.new full join dim using (id)', 'increment_join'],
    ['select p.id from prices p asof join c.s.new n on p.ts >= n.ts', 'increment_join'],
    ['select id from c.s.new union all select id from dim', 'increment_set_operation'],
    ['select id from dim where id not in (select id from c.s.new)', 'increment_nested'],
    ['with x as (select * from c.s.new) select id from dim where exists (from x)', 'increment_nested'],
    ['select id from (select id, count(*) from c.s.new group by id)', 'increment_nested'],
    ['select id from c.s.new order by ts limit 3', 'increment_limit'],
    ['select id, count(*) from c.s.new group by id having count(*) > 1', 'increment_having'],
    ['select * from c.s.new qualify row_number() over (partition by id order by ts) = 2', 'increment_qualify'],
    ['select id from c.s.new using sample 10%', 'increment_construct'],
    ['select id, day, count(*) from c.s.new group by rollup (id, day)', 'increment_construct'],
    ['select max(id) as id, day from c.s.new group by day', 'increment_column'],
    ['select id, sum(total) over (partition by day) from c.s.new', 'increment_column'],
    ['select distinct on (day) id, day from c.s.new', 'increment_column'],
    ['select * replace (1 as id) from c.s.new qualify rank() over (partition by id) = 1', 'increment_column'],
  ] as const) {
    t.equal(await judged(sql), fault, sql);
  }
});
