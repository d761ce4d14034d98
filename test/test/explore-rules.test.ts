import { DuckDBInstance } from '@duckdb/node-api';
import fc from 'fast-check';
import t from 'tap';
import {
  conditions,
  instant,
  oneOf,
  params,
  parseSearch,
  snapshotId,
  stringifySearch,
  text,
  uuid,
} from '../../ui/src/app/search.ts';
import { openLines } from '../../ui/src/datasets/open-lines.ts';
import { namedTables, nameTree } from '../../ui/src/editor/sql-names.ts';
import { cellText, csvOf, isNumeric } from '../../ui/src/grid/cell.ts';
import { chartPoints, firstChoice, MAX_POINTS } from '../../ui/src/grid/chart-points.ts';
import { chartStatement } from '../../ui/src/grid/chart-statement.ts';
import { sqlHash, sqlOfHash } from '../../ui/src/query/sql-hash.ts';
import { percentiles } from '../../ui/src/runs/time/percentiles.ts';
import { outputFor } from '../../ui/src/statement/output-name.ts';
import { checkOf, EMPTY_CHECK } from '../../ui/src/transforms/checks/check-fields.ts';
import { changesOf, definitionOf, newOf } from '../../ui/src/transforms/draft/definition.ts';
import { cases } from '../lane.ts';

const column = (name: string, type = 'string') => ({ name, type });

t.test('values of cells → texts with all digits, NULL apart from an empty text, and CSV that says both', async (t) => {
  t.strictSame([null, '', '9007199254740993', false, { a: [1] }].map(cellText), [
    ...[undefined, '', '9007199254740993', 'false', '{"a":[1]}'],
  ]);
  t.equal(
    csvOf(
      [column('a,b'), column('c')],
      [
        [null, ''],
        ['"x"', 1],
      ],
    ),
    '"a,b",c\r\n,""\r\n"""x""",1\r\n',
  );
  const numeric = ['int', 'long', 'decimal(18,2)', 'double'].map((type) => isNumeric(column('x', type)));
  t.strictSame(
    [...numeric, isNumeric(column('x', 'interval')), isNumeric(column('x', 'list<int>'))],
    [...[true, true, true, true, false, false]],
  );
});

t.test('rows → one point for each value, which leaves out NULL, and a bound that is said', async (t) => {
  const rows = [
    ['a', '2'],
    ['b', null],
    ['a', '3'],
  ];
  t.strictSame(chartPoints(rows, { x: 0, y: 1, how: 'sum' }), { points: [{ x: 'a', y: 5 }], left: 0 });
  t.strictSame(chartPoints(rows, { x: 0, y: 1, how: 'average' }).points, [{ x: 'a', y: 2.5 }]);
  t.strictSame(chartPoints(rows, { x: 0, y: 1, how: 'count' }).points, [
    { x: 'a', y: 2 },
    { x: 'b', y: 1 },
  ]);
  const many = Array.from({ length: MAX_POINTS + 7 }, (_, i) => [String(i), 1]);
  t.equal(chartPoints(many, { x: 0, y: 1, how: 'sum' }).left, 7);
  const columns = [column('_at', 'timestamp'), column('city'), column('n', 'long')];
  t.strictSame(firstChoice(columns), { x: 'city', y: 'n' }, 'columns of the platform come last');
});

t.test('durations → the median and the 95th percentile by the nearest rank', async (t) => {
  t.equal(percentiles([]), undefined);
  t.strictSame(percentiles([7]), { p50: 7, p95: 7 });
  t.strictSame(percentiles(Array.from({ length: 100 }, (_, i) => 100 - i)), { p50: 50, p95: 95 });
});

t.test(
  'a chart of a whole table → the engine adds up what rows in hand would give, whatever columns are called',
  async (t) => {
    const database = await (await DuckDBInstance.create(':memory:')).connect();
    const day = `date '2020-02-28' + (i // 10)::int`;
    const clashing = `'k' || i % 3 as "a ""b", i % 2 as unit, 7 as days, i as n, 1 as x, 1 as y, 1 as w, 1 as r`;
    await database.run(`attach ':memory:' as bronze; create schema bronze.demo`);
    await database.run(`create table bronze.demo.t as select ${day} as day, ${clashing} from range(40) r(i)`);
    const drawn = async (x: string, type: string, how: 'sum' | 'count') => {
      const y = how === 'count' ? undefined : column('n', 'long');
      const sql = chartStatement({ datasetId: 'bronze.demo.t', x: column(x, type), y, how });
      return (await database.runAndReadAll(sql)).getRowsJson();
    };
    const perDay = [45, 145, 245, 345].map((sum, at) => [
      `2020-0${at < 2 ? `2-2${8 + at}` : `3-0${at - 1}`}`,
      String(sum),
      '4',
      'day',
    ]);
    t.strictSame(await drawn('day', 'date', 'sum'), perDay);
    t.strictSame(await drawn('unit', 'long', 'count'), [
      ['0', '20', '2', null],
      ['1', '20', '2', null],
    ]);
    t.strictSame(
      (await drawn('a "b', 'string', 'sum')).map(([name]) => name),
      ['k0', 'k2', 'k1'],
      'words by what they come to',
    );
  },
);

t.test('a search parameter that is empty or no legal value → absent, and no address has an empty member', async (t) => {
  const rules = {
    tab: oneOf('preview', 'schema'),
    snapshot: snapshotId,
    q: text,
    run: uuid,
    filter: conditions,
    from: instant,
  };
  const read = (search: string) => stringifySearch(params(rules)(parseSearch(search) as never));
  t.equal(read('?tab=schema&snapshot='), '?tab=schema');
  t.equal(read('?snapshot=9007199254740993'), '?snapshot=9007199254740993', 'no digit is lost');
  t.equal(read('?tab=Schema&snapshot=12a&run=1&filter=id%3Alike%3A1&from=2026-02-30T00%3A00%3A00.000Z&more=1'), '');
  t.equal(read('?filter=a%3Ab%3Aeq%3A1%0Anote%3Anot_null'), '?filter=a%3Ab%3Aeq%3A1%0Anote%3Anot_null');
  const names = fc.constantFrom(...Object.keys(rules), '__proto__', 'other');
  const search = fc.dictionary(names, fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom('', 'schema', '12')));
  fc.assert(
    fc.property(search, (given) => {
      const found = params(rules)(parseSearch(stringifySearch(given)) as never);
      t.strictSame(Object.keys(found), Object.keys(rules), 'what is absent covers what the address says');
      t.notMatch(stringifySearch(found), /=(&|$)/);
      t.equal(found.q, given.q === '' ? undefined : given.q?.slice(0, 255));
    }),
    { numRuns: cases(200) },
  );
});

t.test('a statement → its fragment and back, and the known tables that it names', async (t) => {
  const sql = 'select "a%b" # c\nfrom gold.demo.x, "bronze"."demo"."y", bronze.other.z';
  t.equal(sqlOfHash(`#${sqlHash(sql)}`), sql);
  t.strictSame([sqlOfHash(''), sqlOfHash('#page'), sqlOfHash('#sql=%E0%A4%A')], [undefined, undefined, undefined]);
  t.strictSame(namedTables(sql, new Set(['gold.demo.x', 'bronze.demo.y'])), ['bronze.demo.y', 'gold.demo.x']);
  t.strictSame(nameTree(['gold.demo.x', 'gold.demo.y'], new Map([['gold.demo.x', ['id']]])), {
    gold: { demo: { x: ['id'], y: [] } },
  });
});

t.test('a metadata file → lines for three engines, at the snapshot that is viewed', async (t) => {
  const at = openLines("file:///it's/v1.json", '9223372036854775807').map(([, line]) => line);
  t.match(at, [
    /from_metadata\('file:\/\/\/it\\'s\/v1\.json'\)\.scan\(snapshot_id=9223372036854775807\)/,
    /iceberg_scan\('file:\/\/\/it''s\/v1\.json', snapshot_from_id = 9223372036854775807\)/,
    /option\('snapshot-id', '9223372036854775807'\)/,
  ]);
  for (const [, line] of openLines('s3://b/v1.json', undefined)) t.notMatch(line, /snapshot/);
});

t.test(
  'what was typed of a transform → the members that changed, without those of another materialization',
  async (t) => {
    const saved = {
      ...{ name: 'a', description: null, sql: 'select 1', output: 'gold.demo.a', materialization: 'merge' },
      ...{ key: ['id'], partition_by: [], incremental: null, tags: [], checks: [] },
    } as unknown as Parameters<typeof definitionOf>[0];
    const typed = definitionOf(saved);
    t.strictSame(changesOf(saved, typed), {});
    t.strictSame(changesOf(saved, { ...typed, materialization: 'full', incremental: 'bronze.demo.x' }), {
      materialization: 'full',
      key: [],
    });
    t.strictSame(changesOf(saved, { ...typed, description: 'why' }), { description: 'why' });
    t.notOk('description' in newOf(typed));
    t.equal(outputFor(' By City! ', 'demo'), 'gold.demo.by_city');
  },
);

t.test('what was typed of a check → a check of its kind, or nothing while a part is missing', async (t) => {
  const draft = { ...EMPTY_CHECK, name: 'c' };
  const common = { name: 'c', severity: 'fail' };
  t.equal(checkOf({ ...draft, name: '' }), undefined);
  t.equal(checkOf(draft), undefined);
  t.strictSame(checkOf({ ...draft, columns: ['id', 'x'] }), { ...common, kind: 'not_null', columns: ['id', 'x'] });
  t.strictSame(checkOf({ ...draft, kind: 'row_count', min: '1' }), { ...common, kind: 'row_count', min: 1 });
  t.equal(checkOf({ ...draft, kind: 'row_count', min: 'x' }), undefined);
  t.strictSame(checkOf({ ...draft, kind: 'freshness', columns: ['at'], hours: '0.5' }), {
    ...common,
    ...{ kind: 'freshness', column: 'at', max_age_seconds: 1_800 },
  });
  t.strictSame(checkOf({ ...draft, kind: 'relationship', columns: ['id'], to: 'gold.demo.x' }), {
    ...common,
    ...{ kind: 'relationship', column: 'id', to: 'gold.demo.x' },
  });
});
