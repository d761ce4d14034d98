import { tableFromIPC } from 'apache-arrow';
import fc from 'fast-check';
import t from 'tap';
import { cases } from '../../test/lane.ts';
import {
  CONDITION_OPS,
  type Condition,
  type LiveFile,
  parseCondition,
  planRead,
  type QueryPool,
  type ReadOrder,
  type RowPosition,
} from '../src/index.ts';
import { MAX_READ_FILES, MAX_SORTED_ROWS, readingOrder } from '../src/scan/plan-read.ts';
import { makeTable, type Row, someTable } from './deleted-rows.ts';
import { planned } from './lake.ts';
import { liveFile } from './live-file.ts';
import { readingPlace, schemaOf } from './typed-table.ts';
import { compareValues, fits, type TypedValue, VALUES } from './typed-values.ts';

const TABLES = 24;
/** Fewer cases meet too few kinds of conditions and orders. */
const RUNS = Math.max(40, cases(150));
const TYPES = VALUES.map(([type]) => type);
const SCHEMA = schemaOf(['int', ...TYPES]);

type Query = {
  conditions: { condition: Condition; constant: TypedValue; column: number }[];
  order: { column: number; descending: boolean } | undefined;
};

const value = (at: number) => VALUES[at]![1];
const someCondition = fc
  .nat(TYPES.length - 1)
  .chain((column) =>
    fc.record({ column: fc.constant(column), op: fc.constantFrom(...CONDITION_OPS), constant: value(column) }),
  );
const someQuery = fc.record({
  conditions: fc.array(someCondition, { maxLength: 2 }),
  order: fc.option(fc.record({ column: fc.nat(TYPES.length - 1), descending: fc.boolean() }), { nil: undefined }),
});

/** What the query means for a row. */
const holds = ({ conditions }: Query, { values }: Row): boolean =>
  conditions.every(({ condition, constant, column }) => fits(condition.op, values[column] ?? null, constant));

function expected(rows: readonly Row[], query: Query): number[] {
  const found = rows.filter((row) => holds(query, row));
  const { order } = query;
  if (order === undefined) return found.map(({ id }) => id);
  const compare = (a: TypedValue | null, b: TypedValue | null): number => {
    if (a === null || b === null) return Number(a === null) - Number(b === null);
    return order.descending ? compareValues(b, a) : compareValues(a, b);
  };
  return found
    .toSorted((a, b) => compare(a.values[order.column] ?? null, b.values[order.column] ?? null))
    .map(({ id }) => id);
}

/** All rows of a query by pages of one size, and the pages as Arrow. */
async function readAll(pool: QueryPool, live: readonly LiveFile[], query: Query, limit: number) {
  const conditions = query.conditions.map(({ condition }) => condition);
  const field = query.order && SCHEMA.fields[query.order.column + 1];
  const order: ReadOrder | undefined = field && { field, descending: query.order?.descending === true };
  const rows: unknown[][] = [];
  const arrowIds: number[] = [];
  let after: RowPosition | undefined;
  for (let pages = 0; pages < 100; pages++) {
    const files = planRead(live, { limit: limit + 1, conditions, sorted: order !== undefined, after });
    const request = { files, schema: SCHEMA, conditions, after, limit, ...(order === undefined ? {} : { order }) };
    const page = await pool.preview(request);
    rows.push(...page.rows.map((row) => [...row]));
    const { stream, more } = await pool.previewArrow(request, {});
    arrowIds.push(...(tableFromIPC(stream).getChild('c1')?.toArray() ?? []));
    if (more !== page.more || (page.more && page.rows.length !== limit)) throw new Error('a page is short');
    if (!page.more) return { rows, arrowIds };
    after = page.last;
  }
  throw new Error('the pages have no end');
}

t.test(
  'pages of any size are the rows of one read less the deleted ones, in any order and with any filter',
  async (t) => {
    const { writer, pool } = await readingPlace(t);
    const tables: { live: LiveFile[]; rows: Row[] }[] = [];
    let gone = 0;
    for (const table of fc.sample(someTable, TABLES)) {
      const made = await makeTable(writer, SCHEMA, table);
      gone += made.gone;
      tables.push({
        live: made.live,
        rows: readingOrder(made.live).flatMap(({ location }) => made.left.get(location) ?? []),
      });
    }
    t.ok(gone > 0, `${gone} rows were deleted`);
    let found = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.nat(TABLES - 1),
        someQuery,
        fc.integer({ min: 1, max: 12 }),
        async (at, { conditions, order }, limit) => {
          const { live, rows } = tables[at]!;
          const parsed = conditions.flatMap(({ column, op, constant }) => {
            const bare = op === 'is_null' || op === 'not_null';
            const condition = parseCondition(SCHEMA.fields[column + 1]!, op, bare ? undefined : constant.text);
            return typeof condition === 'object' ? [{ condition, constant, column }] : [];
          });
          const query = { conditions: parsed, order };
          const wanted = expected(rows, query);
          const paged = await readAll(pool, live, query, limit);
          const whole = await readAll(pool, live, query, 500);
          found += wanted.length;
          const ids = paged.rows.map(([id]) => id);
          if (JSON.stringify(ids) !== JSON.stringify(wanted)) throw new Error(`${ids} instead of ${wanted}`);
          if (JSON.stringify(paged.arrowIds) !== JSON.stringify(wanted)) throw new Error(`Arrow has ${paged.arrowIds}`);
          if (JSON.stringify(paged.rows) !== JSON.stringify(whole.rows))
            throw new Error('a page shows a row otherwise');
        },
      ),
      { numRuns: RUNS },
    );
    t.ok(found > RUNS, `${found} rows were found`);
  },
);

t.test('a page begins with deleted rows: it is full, and another one follows', async (t) => {
  const { writer, pool } = await readingPlace(t);
  const nothing = TYPES.map(() => null);
  const file = { rows: Array.from({ length: 12 }, () => nothing), sequence: 1n, partitionKey: 'p0' };
  const targets = Array.from({ length: 6 }, (_, at): [number, number] => [0, at]);
  const deletes = [{ kind: 'positions' as const, sequence: 1n, targets, spelling: (path: string) => path }];
  const { live } = await makeTable(writer, SCHEMA, { files: [file as never], deletes });
  const { rows } = await readAll(pool, live, { conditions: [], order: undefined }, 2);
  t.strictSame(
    rows.map(([id]) => id),
    [6, 7, 8, 9, 10, 11],
  );
});

t.test('a sort over more than it may look at is refused before anything is read', async (t) => {
  const large = (recordCount: bigint): LiveFile => liveFile({ recordCount });
  const plan = (live: LiveFile[], sorted: boolean) =>
    planRead(live, { limit: 2, conditions: [], sorted, after: undefined });
  const half = large(MAX_SORTED_ROWS / 2n);
  t.equal(plan([half, half], true).length, 2);
  t.throws(() => plan([half, half, large(1n)], true), { code: 'query_too_large' });
  t.equal(plan([half, half, large(1n)], false).length, 1, 'without an order it is one file');
  const many = Array.from({ length: MAX_READ_FILES + 1 }, () => large(1n));
  t.throws(() => plan(many, true), { code: 'query_too_large' });
  t.equal(plan(many, false).length, 2);
});

t.test('a place that no file holds is position_missing when rows have an order', async (t) => {
  const { writer, pool } = await readingPlace(t);
  const schema = schemaOf(['int']);
  const { location } = await writer.write(schema, [['1'], ['2']]);
  const order = { field: schema.fields[0]!, descending: false };
  const at = (file: number, row: string) =>
    pool.preview({ files: planned([location]), schema, order, after: { file, row }, limit: 1 });
  await t.rejects(at(0, '2'), { code: 'position_missing' });
  await t.rejects(at(1, '0'), { code: 'position_missing' });
  t.match(await at(0, '0'), { rows: [[2]], more: false, last: { file: 0, row: '1' } });
});
