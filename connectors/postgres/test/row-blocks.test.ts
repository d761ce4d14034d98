import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import t from 'tap';
import type { RowBlock } from '../src/copy-rows.ts';
import { findRows, noRows, takeOdd } from '../src/segment/binary-block.ts';
import { rowGroup } from '../src/segment/row-group.ts';

const RUNS = 1000;
const COLUMNS = [
  { kind: 'boolean', type: 'boolean' },
  { kind: 'text', type: 'text' },
  { kind: 'date', type: 'date' },
  { kind: 'decimal(12, 2)', type: 'numeric(12,2)' },
  { kind: 'long', type: 'oid' },
] as const;
const INFINITE_DATE = 0x7fff_ffff;

const numbers = (bytes: number, ...values: number[]) => {
  const buffer = Buffer.alloc(bytes * values.length);
  for (const [index, value] of values.entries()) buffer.writeIntBE(value, index * bytes, bytes);
  return buffer;
};
const fields = fc.tuple(
  fc.boolean().map((value) => Buffer.from([value ? 1 : 0])),
  fc.string({ maxLength: 300 }).map((text) => Buffer.from(text)),
  fc
    .oneof(
      { weight: 9, arbitrary: fc.integer({ min: 0, max: 9999 }) },
      { weight: 1, arbitrary: fc.constant(INFINITE_DATE) },
    )
    .map((days) => numbers(4, days)),
  // Of two groups of digits, the second one behind the point.
  fc.tuple(fc.nat(9999), fc.nat(99)).map(([whole, behind]) => numbers(2, 2, 0, 0, 2, whole, 100 * behind)),
  fc.nat(1_000_000).map((value) => numbers(4, value)),
);
const row = fc
  .tuple(fields, fc.array(fc.boolean(), { minLength: COLUMNS.length, maxLength: COLUMNS.length }))
  .map(([values, nulls]) =>
    Buffer.concat([
      numbers(2, COLUMNS.length),
      ...values.flatMap((value, index) => (nulls[index] ? [numbers(4, -1)] : [numbers(4, value.length), value])),
    ]),
  );
/** Blocks of rows, each row many times, so that memory grows on the way. */
const blocks = fc.array(
  fc
    .array(fc.tuple(row, fc.integer({ min: 1, max: 60 })), { maxLength: 4 })
    .map((rows) => rows.flatMap(([bytes, times]) => Array.from({ length: times }, () => bytes))),
  { maxLength: 5 },
);

function blockOf(rows: readonly Buffer[]): RowBlock {
  let end = 0;
  const spans = Int32Array.from(
    rows.flatMap(({ length }) => {
      end += length;
      return [end - length, end];
    }),
  );
  return { bytes: Buffer.concat(rows), count: rows.length, lastAt: spans.at(-2) ?? 0, spans };
}

/** The pages of rows that come in these blocks, and how many of them are odd. */
function pagesOf(list: readonly (readonly Buffer[])[]) {
  const [group, rows] = [rowGroup(COLUMNS), noRows(COLUMNS.length)];
  let odd = 0;
  for (const block of list) {
    findRows(rows, blockOf(block), Number.POSITIVE_INFINITY);
    if (group.add(rows)) continue;
    takeOdd(rows, () => {
      odd += 1;
    });
    if (!group.add(rows)) throw new Error('what is left is odd');
  }
  const [count, size] = [group.rows(), group.bytes()];
  const pages = group
    .take()
    .map(({ values, nulls, present }) => [values.toString('hex'), nulls, present?.toString('hex')]);
  return { count, size, odd, pages };
}

t.test(
  'columns have the same values however their rows are cut into blocks, and odd rows leave no trace',
  async (t) => {
    const law = fc.property(blocks, (list) =>
      isDeepStrictEqual(pagesOf(list), pagesOf(list.flat().map((one) => [one]))),
    );
    t.doesNotThrow(() => fc.assert(law, { numRuns: RUNS }));
  },
);
