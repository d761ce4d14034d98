import { isDeepStrictEqual } from 'node:util';
import type { ColumnPage } from '@weir/parquet';
import fc from 'fast-check';
import t from 'tap';
import type { RowBlock } from '../src/copy-rows.ts';
import { columnPlace, findRows, noRows, takeOdd } from '../src/segment/binary-block.ts';
import { columnValues } from '../src/segment/column-values.ts';
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

/** The values of a page of so many rows, each in the plain encoding, whether it has a dictionary or not. */
function plainOf({ values, dictionary, nulls }: ColumnPage, rows: number): Buffer {
  if (dictionary === undefined) return values;
  const known: Buffer[] = [];
  for (let at = 0; at < dictionary.values.length; ) {
    const end = at + 4 + dictionary.values.readUInt32LE(at);
    known.push(dictionary.values.subarray(at, end));
    at = end;
  }
  if (known.length === 0 || known.length !== dictionary.count)
    throw new Error('the dictionary has other values than it says');
  // Behind the width of a place, eight bits, and the number of eights, which is a variable length integer.
  let head = 1;
  while ((values[head] ?? 0) > 127) head += 1;
  const places = values.subarray(head + 1, head + 1 + rows - nulls);
  const used = new Set(places);
  if (known.some((_value, place) => !used.has(place))) throw new Error('a value of no row is in the dictionary');
  return Buffer.concat([...places].map((place) => known[place] ?? Buffer.alloc(0)));
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
    .map((page) => [plainOf(page, count).toString('hex'), page.nulls, page.present?.toString('hex')]);
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

/** Texts of which some come again and again, some differ only at an end or in the middle, and some are long or new. */
const someText = fc.oneof(
  { weight: 20, arbitrary: fc.constantFrom('', 'a', 'b', 'ab', 'abc', 'abcd', 'abcde', 'xbcde', 'abxde', 'abcdefghi') },
  { weight: 4, arbitrary: fc.nat(400).map((number) => `number ${number}`) },
  { weight: 1, arbitrary: fc.string({ minLength: 60, maxLength: 70 }) },
);
const textBlocks = fc.array(
  fc.record({
    texts: fc.array(fc.option(someText, { freq: 5 }), { maxLength: 120 }),
    times: fc.integer({ min: 1, max: 4 }),
    isTakenBack: fc.boolean(),
    endsGroup: fc.boolean(),
  }),
  { maxLength: 12 },
);
const VERSION = 1;

t.test('texts are those that were sent, in their order, whether each is kept once or not', async (t) => {
  let dictionaries = 0;
  const law = fc.property(textBlocks, fc.boolean(), (list, isJsonb) => {
    const values = columnValues(isJsonb ? 'json' : 'text', isJsonb);
    const rows = noRows(1);
    let wanted: Buffer[] = [];
    const isTaken = () => {
      const page = { ...values.take(), nulls: 0, present: undefined };
      const isSame = plainOf(page, wanted.length).equals(Buffer.concat(wanted));
      dictionaries += page.dictionary === undefined ? 0 : 1;
      wanted = [];
      return isSame;
    };
    for (const { texts, times, isTakenBack, endsGroup } of list) {
      const all = Array.from({ length: times }, () => texts).flat();
      const sent = all.map((text) => (text === null ? null : Buffer.from(text)));
      const version = isJsonb ? [Buffer.from([VERSION])] : [];
      const block = sent.map((text) =>
        Buffer.concat(
          text === null
            ? [numbers(2, 1), numbers(4, -1)]
            : [numbers(2, 1), numbers(4, text.length + version.length), ...version, text],
        ),
      );
      findRows(rows, blockOf(block), Number.POSITIVE_INFINITY);
      values.put(rows, columnPlace(0));
      if (isTakenBack) values.undo();
      else {
        wanted.push(
          ...sent.flatMap((text) => {
            const length = Buffer.alloc(4);
            length.writeUInt32LE(text?.length ?? 0);
            return text === null ? [] : [Buffer.concat([length, text])];
          }),
        );
      }
      if (endsGroup && !isTaken()) return false;
    }
    return isTaken();
  });
  t.doesNotThrow(() => fc.assert(law, { numRuns: RUNS }));
  t.ok(dictionaries > RUNS / 10, `${dictionaries} pages had a dictionary`);
});
