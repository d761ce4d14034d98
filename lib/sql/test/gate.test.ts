import { readFileSync } from 'node:fs';
import { type GateFault, gate, selectFacts, TABLE_FUNCTIONS, volatileOf } from '@weir/sql';
import t from 'tap';
import { AGGREGATES, harmOf, isAllowed } from '../src/functions.ts';
import { CHANCE, CLOCK } from '../src/volatile.ts';
import { parse, rows } from './kit.ts';

const INPUTS = ['t', 'u', 'Orders'];
const fixture = (name: string) => JSON.parse(readFileSync(new URL(`fixtures/${name}`, import.meta.url), 'utf8'));
const faults = async (sql: string, full = false): Promise<GateFault[]> =>
  gate(await parse(sql, full), { inputs: INPUTS, sql });

t.test('each hostile statement → refused by its code, with the offending name', async (t) => {
  const statements = fixture('hostile.json') as [string, string, string?][];
  t.ok(statements.length >= 60);
  for (const [sql, code, name] of statements) {
    for (const full of [false, true]) {
      const found = await faults(sql, full);
      t.match(found[0], name === undefined ? { code } : { code, name }, sql);
    }
  }
});

t.test('queries over the inputs that only compute → no fault', async (t) => {
  for (const sql of [
    'select a as user, current_date from T join "u" using (id) where a in (select b from orders)',
    'with x as (from t), y as (from x) select * from x, y, (with u as (from y) select * from u)',
    'with recursive r(n) as (select 1 union all select n + 1 from r where n < 3) from r',
    'with recursive r(n) using key (n) as (select 1 union select n from recurring.r) from r',
    'with t as (select * from t) select * from t',
    'select v.upper(), t.v.lower(), [x + 1 for x in l if x > 1], l.list_transform(lambda x: x + a) from t',
    'select sum(a) filter (a > 1) over w, first(b order by a), grouping(a) from t group by cube (a, b) window w as ()',
    "select * exclude (a) replace (b + 1 as b) rename (c as d), columns(x -> x like 'a%') from t",
    "from (pivot t on a in (1, 2) using sum(b)), (unpivot u on a, b), range(3) r(i), unnest([1]), json_each('[1]')",
    'select * from t asof join u on t.a >= u.a positional join orders tablesample 10%',
    "select try(a), if(a, 1, 2), ifnull(a, 1), a collate nocase, array(select 1), {'x': 1}, map {1: 2}, #1 from t",
    "select interval 3 days, extract(year from d), '2020-01-01'::date, a::decimal(3, 1), 'x' similar to 'y' from t",
    'select read_csv, "getenv" from t -- read_csv(1)',
    'values (1, 2), (3, 4)',
    'table t',
  ]) {
    t.same(await faults(sql), [], sql);
    t.same(await faults(sql, true), [], sql);
  }
});

t.test('the queries of TPC-H → no fault', async (t) => {
  const { queries, tables } = fixture('tpch.json') as { queries: string[]; tables: Record<string, string[]> };
  t.equal(queries.length, 22);
  for (const sql of queries) t.same(gate(await parse(sql), { inputs: Object.keys(tables), sql }), []);
});

t.test('faults come in the order of the text, with line and column in characters', async (t) => {
  const sql = "select 'é😀', getenv('X')\n  from t\n  join 'f.csv' on true, main.u";
  t.same(await faults(sql), [
    { code: 'function_refused', name: 'getenv', harm: 'settings', line: 1, column: 14 },
    { code: 'table_unknown', name: 'f.csv', line: 3, column: 8 },
    { code: 'table_qualified', name: 'main.u', line: 3, column: 25 },
  ]);
  t.same(await faults('select 1\nfrm t'), [{ code: 'syntax', name: 't', line: 2, column: 5 }]);
});

t.test('inputs behind catalogue and schema → only their three parts name them', async (t) => {
  const inputs = ['silver.acme.orders'].map((name) => name.split('.'));
  const judged = async (from: string) => {
    const sql = `select orders.id from ${from}`;
    return gate(await parse(sql), { inputs, sql }).map(({ code, name }) => [code, name]);
  };
  t.same(await judged('silver.acme.orders, Silver."acme".ORDERS o'), []);
  t.same(await judged('orders'), [['table_unknown', 'orders']]);
  t.same(await judged('acme.orders'), [['table_qualified', 'acme.orders']]);
  t.same(await judged('"silver.acme.orders"'), [['table_unknown', 'silver.acme.orders']]);
  t.same(await judged('"silver.acme".orders'), [['table_qualified', 'silver.acme.orders']]);
  t.same(await judged('silver.other.orders'), [['table_qualified', 'silver.other.orders']]);
});

t.test('every function of the pinned DuckDB is either allowed or has a harm', async (t) => {
  const found = (await rows(
    "select distinct lower(function_name), function_type like 'table%' from duckdb_functions() where function_type <> 'pragma'",
  )) as [string, boolean][];
  t.ok(found.length > 700);
  const judged = found.map(([name, table]) => {
    const allowed = table ? TABLE_FUNCTIONS.includes(name) : isAllowed(name);
    return { name, table, allowed, harm: harmOf(name) };
  });
  const both = judged.filter(({ allowed, harm, table }) => allowed && harm && !table);
  t.same(
    both.map(({ name }) => name).filter((name) => name !== 'histogram'),
    [],
    'never both',
  );
  t.same(
    judged.filter(({ allowed, harm }) => !allowed && !harm),
    [],
    'classify these in functions.ts',
  );
});

t.test('lists of functions → what the pinned DuckDB says of each, its macros expanded', async (t) => {
  const found = (await rows(
    `select lower(function_name), function_type, stability, macro_definition from duckdb_functions()
     where function_type in ('scalar', 'aggregate', 'macro')`,
  )) as [string, string, string | null, string | null][];
  const named = new Map(Map.groupBy(found, ([name]) => name));
  const calls = async (definition: string): Promise<string[]> =>
    selectFacts(await parse(`select ${definition}`))?.functions.map(({ name }) => name.toLowerCase()) ?? [];
  const aggregates = async (name: string): Promise<boolean> => {
    for (const [, type, , definition] of named.get(name) ?? []) {
      if (type === 'aggregate') return true;
      if (definition === null) continue;
      for (const inner of await calls(definition)) if (inner !== name && (await aggregates(inner))) return true;
    }
    return false;
  };
  const wrong: string[] = [];
  for (const name of named.keys()) {
    if (!isAllowed(name)) continue;
    if ((await aggregates(name)) !== AGGREGATES.has(name)) wrong.push(`${name}: an aggregate?`);
    for (const [, , stability, definition] of named.get(name) ?? []) {
      const inner = definition === null ? [] : await calls(definition);
      const reads = stability === 'CONSISTENT_WITHIN_QUERY' || inner.some((call) => CLOCK.has(call));
      if (reads && !CLOCK.has(name)) wrong.push(`${name}: a clock?`);
      if (stability === 'VOLATILE' && !CHANCE.has(name) && name !== 'error') wrong.push(`${name}: chance?`);
    }
  }
  t.same(wrong, []);
});

t.test('what a statement calls of clock and chance → named, once each', async (t) => {
  for (const [sql, clock, chance] of [
    ['select a from t', [], []],
    ['select NOW(), now() from t', ['now'], []],
    ['select current_date, t.current_time from t', ['current_date'], []],
    ['select age(a) from t', ['age'], []],
    ['select age(a, b) from t', [], []],
    ['select (select max(x) from u where x < ago(interval 1 day)) from t', ['ago'], []],
    ['with x as (select random() r) select r, uuid() from x', [], ['random', 'uuid']],
    ['select run_started_at() - interval 7 days', ['run_started_at'], []],
    ['not a statement', [], []],
  ] as const) {
    t.strictSame(volatileOf(await parse(sql)), { clock, chance }, sql);
  }
});

t.test('syntax that the walker does not know, and statements without bounds → refused', async (t) => {
  const ask = (node: object) => gate({ statements: [{ node }] }, { inputs: ['t'], sql: '' }).map(({ code }) => code);
  t.same(ask({ type: 'NEW_NODE' }), ['construct_refused']);
  t.same(ask({ type: 'SELECT_NODE', from_table: { type: 'NEW_TABLE' } }), ['construct_refused']);
  t.same(ask({ type: 'SELECT_NODE', select_list: [{ class: 'NEW', type: 'X' }] }), ['construct_refused']);
  let deep: object = {};
  for (let level = 0; level < 100_000; level++) deep = { deep };
  t.same(ask({ type: 'SELECT_NODE', deep }), ['too_complex']);
  t.same(ask({ type: 'SELECT_NODE', wide: Array.from({ length: 200_001 }, () => ({})) }), ['too_complex']);
  t.match(gate(null, { inputs: [], sql: '' }), [{ code: 'syntax', line: 1, column: 1 }]);
});
