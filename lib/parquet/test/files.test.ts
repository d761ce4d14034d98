import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import fc from 'fast-check';
import t from 'tap';
import {
  constantPage,
  emptyListPage,
  fileWriter,
  flatSchema,
  footerBytes,
  groupElement,
  isElementOf,
  leafElement,
  leafOf,
  type NamedType,
  nullPage,
  type PackedPage,
  ParquetError,
  placesPage,
  REPETITION,
  readFooter,
  readPage,
  storedType,
  TAIL_BYTES,
  type Thrift,
} from '../src/index.ts';
import { packedPage } from './packed-page.ts';

const stored = (name: string) => {
  const type = storedType(name);
  if (type === undefined) throw new Error(name);
  return type;
};
const NUMBER: NamedType = { name: 'n', type: stored('long') };
const TEXT: NamedType = { name: 'text', type: stored('string') };
const SAME: NamedType = { name: 'same', type: stored('string') };
const NOTHING: NamedType = { name: 'nothing', type: stored('decimal(12, 2)') };
const REPEATED: NamedType = { name: 'repeated', type: stored('string') };
const COLUMNS = [NUMBER, TEXT, SAME, NOTHING, REPEATED];

const lengthAndBytes = (text: string) => {
  const bytes = Buffer.from(text);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(bytes.length);
  return Buffer.concat([length, bytes]);
};
const int64 = (value: bigint) => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64LE(value);
  return bytes;
};

/** Which of some values are there. */
function presenceOf(values: readonly unknown[]) {
  const present = Buffer.alloc(Math.ceil(values.length / 8));
  values.forEach((value, row) => {
    if (value !== null) present[row >> 3] = (present[row >> 3] ?? 0) | (1 << (row & 7));
  });
  const nulls = values.filter((value) => value === null).length;
  return { nulls, present: nulls === 0 ? undefined : present };
}

/** The page of some values. */
function pageOf<Value>(values: readonly (Value | null)[], write: (value: Value) => Buffer): PackedPage {
  const own = values.filter((value) => value !== null);
  return packedPage(values.length, { values: Buffer.concat(own.map(write)), ...presenceOf(values) });
}

/** The page of some texts, each of which stands in its dictionary once; there is one, were they all NULL. */
function dictionaryPageOf(texts: readonly (string | null)[]): PackedPage {
  const known = ['Tokyo', '', 'Zürich'];
  const own = texts.filter((text) => text !== null);
  return packedPage(texts.length, {
    values: placesPage(Buffer.from(own.map((text) => known.indexOf(text)))),
    dictionary: { count: known.length, values: Buffer.concat(known.map(lengthAndBytes)) },
    ...presenceOf(texts),
  });
}

type Row = { readonly n: bigint | null; readonly text: string | null; readonly repeated: string | null };
const row = fc.record({
  n: fc.option(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })),
  text: fc.option(fc.string({ unit: 'grapheme', maxLength: 20 })),
  repeated: fc.option(fc.constantFrom('', 'Zürich', 'Tokyo')),
});
const groups = fc.array(fc.array(row, { minLength: 1, maxLength: 40 }), { minLength: 1, maxLength: 4 });

function fileOf(rowGroups: readonly (readonly Row[])[]): Buffer {
  const parts: Buffer[] = [];
  const writer = fileWriter({ schema: flatSchema(COLUMNS), leaves: COLUMNS.map(leafOf) }, (part) => parts.push(part));
  for (const rows of rowGroups) {
    writer.add(rows.length, [
      pageOf(
        rows.map(({ n }) => n),
        int64,
      ),
      pageOf(
        rows.map(({ text }) => text),
        lengthAndBytes,
      ),
      constantPage(rows.length, lengthAndBytes('always')),
      nullPage(rows.length),
      dictionaryPageOf(rows.map(({ repeated }) => repeated)),
    ]);
  }
  writer.end();
  const bytes = Buffer.concat(parts);
  if (bytes.length !== writer.bytes()) throw new Error('other bytes than were told');
  return bytes;
}

const footerOf = (file: Buffer) => {
  const tail = file.subarray(-TAIL_BYTES);
  const length = footerBytes(tail);
  return readFooter(file.subarray(Math.max(0, file.length - TAIL_BYTES - length), file.length - TAIL_BYTES));
};

const duckdb = await (await DuckDBInstance.create()).connect();
t.teardown(() => duckdb.closeSync());
const read = async (file: string, columns = '*') => {
  const found = await duckdb.runAndReadAll(
    `SELECT ${columns} FROM read_parquet('${file}', file_row_number = true) ORDER BY file_row_number`,
  );
  return found.getRowObjectsJson();
};

t.test('another reader finds the rows that were written, and the pages are found again', async (t) => {
  const folder = t.testdir();
  let files = 0;
  const property = fc.asyncProperty(groups, async (rowGroups) => {
    const bytes = fileOf(rowGroups);
    const path = join(folder, `${files++}.parquet`);
    await writeFile(path, bytes);
    const wanted = rowGroups.flat().map(({ n, text, repeated }) => ({
      ...{ n: n === null ? null : String(n), text, same: 'always', nothing: null, repeated },
    }));
    t.strictSame(await read(path, 'n, text, same, nothing, repeated'), wanted);
    const footer = footerOf(bytes);
    t.strictSame(
      footer.groups.map(({ rows }) => rows),
      rowGroups.map(({ length }) => length),
    );
    for (const { rows, chunks } of footer.groups) {
      const [number, text, , , repeated] = chunks.map(({ offset, bytes: size }) =>
        bytes.subarray(offset, offset + size),
      );
      t.ok(readPage(number ?? bytes, { rows, type: NUMBER.type }));
      t.ok(readPage(text ?? bytes, { rows, type: TEXT.type }));
      t.notOk(readPage(text ?? bytes, { rows: rows + 1, type: TEXT.type }));
      t.equal(readPage(repeated ?? bytes, { rows, type: TEXT.type })?.dictionary?.count, 3);
      t.notOk(readPage(repeated ?? bytes, { rows: rows + 8, type: TEXT.type }));
    }
    for (const column of COLUMNS) {
      const element = footer.columns.get(column.name) ?? new Map();
      t.ok(isElementOf(element, { ...column, fieldId: 7 }));
      t.notOk(isElementOf(element, { ...column, type: stored('timestamptz') }));
    }
  });
  await fc.assert(property, { numRuns: 60 });
});

t.test('a list that is empty in every row is read as one', async (t) => {
  const parts: Buffer[] = [];
  const group = (name: string, repetition: number, isList = false): Thrift =>
    groupElement({ name, children: 1, repetition, isList });
  const schema = [
    groupElement({ name: 'schema', children: 2 }),
    leafElement(NUMBER),
    group('all', REPETITION.optional, true),
    group('list', REPETITION.repeated),
    group('element', REPETITION.optional),
    leafElement({ name: 'what', type: stored('string') }),
  ];
  const path = ['all', 'list', 'element', 'what'];
  const writer = fileWriter({ schema, leaves: [leafOf(NUMBER), { path, physical: TEXT.type.physical }] }, (part) =>
    parts.push(part),
  );
  writer.add(2, [pageOf([1n, 2n], int64), emptyListPage(2)]);
  writer.end();
  const file = join(t.testdir(), 'list.parquet');
  await writeFile(file, Buffer.concat(parts));
  t.strictSame(await read(file, 'n, "all"'), [
    { n: '1', all: [] },
    { n: '2', all: [] },
  ]);
});

t.test('whatever the bytes are, a footer and a page are read, or refused as no Parquet', async (t) => {
  const change = fc.tuple(fc.nat(), fc.nat(255));
  const property = fc.property(
    groups,
    fc.array(change, { minLength: 1, maxLength: 8 }),
    fc.nat(),
    (rowGroups, changes, cut) => {
      const whole = fileOf(rowGroups);
      const bytes = whole.subarray(cut % 2 === 0 ? 0 : cut % whole.length);
      for (const [at, byte] of changes) bytes[at % bytes.length] = byte;
      try {
        for (const { rows, chunks } of footerOf(bytes).groups) {
          for (const { offset, bytes: size } of chunks)
            readPage(bytes.subarray(offset, offset + size), { rows, type: TEXT.type });
        }
      } catch (error) {
        if (!(error instanceof ParquetError)) throw error;
      }
    },
  );
  fc.assert(property, { numRuns: 1_000 });
  t.pass();
});
