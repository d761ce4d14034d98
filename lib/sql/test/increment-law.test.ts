import { type IncrementShape, incrementShape, type PlanOperator, provenShape } from '@weir/sql';
import fc from 'fast-check';
import t from 'tap';
import { cases } from '../../../test/lane.ts';
import { parse, rows, session } from './kit.ts';

const HISTORIES = 3;
const INPUT = ['lake', 'acme', 'src'];
const COLUMNS = ['id'];

/** The plan that is bound over empty tables, and none that the optimiser has changed. */
const planned = async (sql: string): Promise<PlanOperator> => {
  const found = (await rows(`explain (format json) ${sql}`)) as [string, string][];
  const [root] = JSON.parse(found.find(([key]) => key === 'logical_plan')?.[1] ?? '[]') as PlanOperator[];
  return root ?? { name: 'NONE' };
};

const judged = async (sql: string): Promise<IncrementShape> => {
  const found = incrementShape(await parse(sql), { input: INPUT, columns: COLUMNS });
  return provenShape(found, await planned(sql), INPUT);
};

t.before(async () => {
  const connection = await session();
  for (const statement of [
    "attach ':memory:' as lake",
    'create schema lake.acme',
    'create table lake.acme.src(id int, k int, v double, s varchar)',
    'create table lake.acme.dim(k int, name varchar)',
    "insert into lake.acme.dim values (1, 'one'), (2, 'two'), (2, 'zwei'), (9, null)",
    "set explain_output = 'all'",
    'pragma disable_optimizer',
  ]) {
    await connection.run(statement);
  }
});

t.test('aggregates that no name of the tree shows → refused by the bound plan', async (t) => {
  for (const sql of [
    'select geomean(v) as m from lake.acme.src',
    'select (select sum(s.id)) as n from lake.acme.src s',
    'select id from (select id, (select max(s.v)) from lake.acme.src s group by id)',
    ...[
      'geometric_mean(v)',
      'wavg(v, k)',
      'weighted_avg(v, k)',
      'json_group_array(s)',
      'json_group_object(s, v)',
    ].flatMap((call) => [
      `select ${call} as x from lake.acme.src`,
      `select x from (select ${call} as x from lake.acme.src)`,
    ]),
  ]) {
    const found = await judged(sql);
    // By key it would be an increment; no result of one row has a key.
    t.ok('fault' in found, `${sql}: ${JSON.stringify(found)}`);
  }
});

t.test('tables that are named by a word of SQL → judged as any other', async (t) => {
  const connection = await session();
  for (const name of ['days', 'order', 'Select', 'year', '1st']) {
    await connection.run(`create table lake.acme."${name}"(id int, v double)`);
    const sql = `select id, v from lake.acme."${name}"`;
    const input = ['lake', 'acme', name];
    const found = incrementShape(await parse(sql), { input, columns: COLUMNS });
    t.match(provenShape(found, await planned(sql), input), { shape: 'rows' }, name);
  }
});

const leaf = fc.constantFrom('s.v', 's.k', 's.id', 's.v * 2', "coalesce(s.s, '')", 'upper(s.s)', '7', 'abs(s.k)');
const aggregate = fc.constantFrom('sum', 'max', 'count', 'geomean', 'json_group_array', 'list', 'any_value', 'median');
const item = fc.oneof(
  { weight: 5, arbitrary: leaf },
  { weight: 2, arbitrary: fc.tuple(aggregate, leaf).map(([name, of]) => `${name}(${of === '7' ? 's.v' : of})`) },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      '(select sum(s.v))',
      '(select max(name) from lake.acme.dim d where d.k = s.k)',
      '(select count(*) from lake.acme.dim)',
      'exists (select 1 from lake.acme.dim d where d.k = s.k)',
      '(select s.v + 1)',
      'list_sum([s.k, 3])',
      'unnest([s.k, 1])',
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      'row_number() over (partition by s.id order by s.v)',
      'sum(s.v) over ()',
      'lag(s.v) over (order by s.k)',
      'sum(s.v) over (partition by s.id)',
    ),
  },
);
const from = fc.constantFrom(
  'lake.acme.src s',
  'lake.acme.src s join lake.acme.dim d on d.k = s.k',
  'lake.acme.src s left join lake.acme.dim d on d.k = s.k',
  'lake.acme.dim d left join lake.acme.src s on d.k = s.k',
  'lake.acme.src s anti join lake.acme.dim d on d.k = s.k',
  '(select * from lake.acme.src where v > 3) s',
  '(select distinct * from lake.acme.src) s',
  '(select id, k, max(v) as v, max(s) as s from lake.acme.src group by all) s',
  '(select * from lake.acme.src order by v limit 2) s',
  '(select * from lake.acme.src qualify row_number() over (partition by id order by v) = 1) s',
  'lake.acme.src s, lateral (select name from lake.acme.dim d where d.k = s.k limit 1) l',
  'lake.acme.src s positional join lake.acme.dim d',
  'x s',
);
const statement = fc.record({
  items: fc.array(item, { minLength: 1, maxLength: 3 }),
  from,
  where: fc.constantFrom(
    '',
    ' where s.v > 2',
    ' where s.k in (select k from lake.acme.dim)',
    ' where s.id is not null',
  ),
  group: fc.constantFrom('', '', '', ' group by s.id', ' group by all'),
  tail: fc.constantFrom(
    '',
    '',
    '',
    '',
    ' order by 1 limit 2',
    ' qualify row_number() over (partition by s.id order by s.v) = 1',
  ),
  distinct: fc.constantFrom('', '', '', 'distinct '),
});
// No value is 0, of which some functions have no answer.
const row = fc.tuple(
  fc.integer({ min: 1, max: 5 }),
  fc.constantFrom(1, 2, 3),
  fc.integer({ min: 1, max: 9 }),
  fc.constantFrom('a', 'b', null),
);

const valuesOf = (some: readonly (readonly [number, number, number, string | null])[]): string =>
  some.map(([id, k, v, s]) => `(${id}, ${k}, ${v}, ${s === null ? 'null' : `'${s}'`})`).join(', ');

/** The rows of a statement over these rows of the input, as a sorted list of texts. */
async function result(sql: string, input: Parameters<typeof valuesOf>[0]): Promise<string[]> {
  const connection = await session();
  await connection.run('delete from lake.acme.src');
  if (input.length > 0) await connection.run(`insert into lake.acme.src values ${valuesOf(input)}`);
  return (await rows(sql)).map((one) => JSON.stringify(one)).sort();
}

const without = (all: readonly string[], ids: ReadonlySet<unknown>): string[] =>
  all.filter((one) => !ids.has((JSON.parse(one) as unknown[])[0]));

t.test('generated statements → an increment gives what a full run gives, or is refused', async (t) => {
  const counts = { rows: 0, keys: 0, refused: 0, invalid: 0 };
  const histories = fc.array(fc.tuple(fc.array(row, { maxLength: 5 }), fc.array(row, { minLength: 1, maxLength: 4 })), {
    minLength: HISTORIES,
    maxLength: HISTORIES,
  });
  await fc.assert(
    fc.asyncProperty(statement, histories, async (made, pasts) => {
      const cte = made.from === 'x s' ? 'with x as (select id, k, v + 1 as v, s from lake.acme.src) ' : '';
      const items = ['s.id as id', ...made.items.map((one, at) => `${one} as c${at}`)].join(', ');
      const sql = `${cte}select ${made.distinct}${items} from ${made.from}${made.where}${made.group}${made.tail}`;
      let shape: IncrementShape;
      try {
        shape = await judged(sql);
      } catch {
        counts.invalid += 1;
        return;
      }
      if ('fault' in shape) {
        counts.refused += 1;
        return;
      }
      counts[shape.shape] += 1;
      for (const [before, added] of pasts) {
        const whole = await result(sql, [...before, ...added]);
        const [old, fresh] = [await result(sql, before), await result(sql, added)];
        if (shape.shape === 'rows') {
          if (whole.join('\n') !== [...old, ...fresh].sort().join('\n')) throw new Error(`not by row: ${sql}`);
          continue;
        }
        // Rows of keys that nothing new gives are what they were.
        const touched = new Set(fresh.map((one) => (JSON.parse(one) as unknown[])[0]));
        if (without(whole, touched).join('\n') !== without(old, touched).join('\n'))
          throw new Error(`not by key: ${sql}`);
      }
    }),
    { numRuns: cases(4_000) },
  );
  t.comment(JSON.stringify(counts));
  t.ok(counts.rows > 20 && counts.keys > 5 && counts.refused > 50, JSON.stringify(counts));
});
