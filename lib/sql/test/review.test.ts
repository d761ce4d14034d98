import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { REVIEW_RULES, type RelationFacts, review } from '@weir/sql';
import t from 'tap';
import { parse, session } from './kit.ts';

interface Corpus {
  readonly inputs: Record<string, RelationFacts>;
  readonly bad: Record<string, string[]>;
  readonly good: string[];
}

interface Tpch {
  readonly tables: Record<string, string[]>;
  readonly queries: string[];
}

const KEYS: Record<string, string[]> = {
  ...{ part: ['p_partkey'], supplier: ['s_suppkey'], partsupp: ['ps_partkey', 'ps_suppkey'], customer: ['c_custkey'] },
  ...{
    orders: ['o_orderkey'],
    lineitem: ['l_orderkey', 'l_linenumber'],
    nation: ['n_nationkey'],
    region: ['r_regionkey'],
  },
};
const FOLDER = path.join(import.meta.dirname, 'fixtures');
const { inputs, bad, good } = JSON.parse(await readFile(path.join(FOLDER, 'review.json'), 'utf8')) as Corpus;
const found = async (sql: string, full = false) => review(await parse(sql, full), { sql, inputs });
const rulesOf = async (sql: string): Promise<string[]> => (await found(sql)).map(({ rule }) => rule);

const database = await session();
for (const [name, { columns }] of Object.entries(inputs)) {
  await database.run(`create table ${name} (${columns.map((column) => `"${column.name}" ${column.type}`).join(', ')})`);
}

t.test('each rule has a statement that breaks it, and one that does not', async (t) => {
  t.equal(new Set(REVIEW_RULES.map(({ id }) => id)).size, REVIEW_RULES.length);
  for (const rule of REVIEW_RULES) {
    t.ok((await rulesOf(rule.bad)).includes(rule.id), `${rule.id}: ${rule.bad}`);
    t.strictSame(await rulesOf(rule.good), [], `${rule.id}: ${rule.good}`);
  }
});

t.test('the corpus: statements with a fault and without', async (t) => {
  const seeded = Object.entries(bad).flatMap(([rule, statements]) => statements.map((sql) => ({ rule, sql })));
  const missed: string[] = [];
  for (const { rule, sql } of seeded) if (!(await rulesOf(sql)).includes(rule)) missed.push(`${rule}: ${sql}`);
  const blamed: string[] = [];
  for (const sql of good) for (const rule of await rulesOf(sql)) blamed.push(`${rule}: ${sql}`);
  t.comment(
    `recall ${seeded.length - missed.length} of ${seeded.length}; findings on ${good.length} good ones: ${blamed.length}`,
  );
  t.ok(seeded.length >= 60 && good.length >= 60);
  t.strictSame(missed, []);
  t.strictSame(blamed, []);
});

// Statements by others: each finding was read, and is true of a table that is made from the statement.
t.test('TPC-H: what is found is there', async (t) => {
  const { tables, queries } = JSON.parse(await readFile(path.join(FOLDER, 'tpch.json'), 'utf8')) as Tpch;
  const known = Object.entries(tables).map(([name, columns]): [string, RelationFacts] => [
    name,
    { columns: columns.map((column) => ({ name: column })), keys: [KEYS[name] ?? []] },
  ]);
  const byRule: Record<string, number[]> = {};
  for (const [at, sql] of queries.entries()) {
    const rules = review(await parse(sql), { sql, inputs: Object.fromEntries(known) }).map(({ rule }) => rule);
    for (const rule of new Set(rules)) byRule[rule] = [...(byRule[rule] ?? []), at + 1];
  }
  t.strictSame(byRule, {
    'order-without-limit': [1, 4, 5, 7, 8, 9, 11, 12, 13, 15, 16, 20, 22],
    'leading-wildcard': [2, 9, 16],
    'unguarded-division': [8, 14],
    'not-in-null': [16],
    'column-unnamed': [18],
  });
});

t.test('the engine takes all of the corpus', async () => {
  for (const sql of [...good, ...Object.values(bad).flat()]) {
    if (!/'a' = 'b'|p.sku = o.customer_id|country = 49|status in \(1/.test(sql)) await database.prepare(sql);
  }
});

t.test('a finding has the place and the name that are meant', async (t) => {
  const sql = 'select id,\n  total / quantity as größe from orders o, customers c';
  const at = (await found(sql)).map(({ rule, line, column, name }) => ({ rule, line, column, name }));
  t.match(at, [
    { rule: 'unguarded-division', line: 2, column: 9 },
    { rule: 'cross-join', line: 2, name: 'c' },
  ]);
});

t.test('a document with all its members reads the same', async (t) => {
  for (const sql of [...good, ...Object.values(bad).flat()]) t.same(await found(sql, true), await found(sql), sql);
});

t.test('what is not known breaks no rule', async (t) => {
  const sql = 'select a.x, sum(a.y) as y from a join b on a.id = b.id group by a.x';
  t.same(review(await parse(sql), { sql, inputs: {} }), []);
  t.same(await found('selec nothing'), []);
  t.same(await found('drop table orders'), []);
});
