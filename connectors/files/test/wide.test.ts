import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import t from 'tap';
import { cases } from '../../../test/lane.ts';
import { csvNames, openCsv } from '../src/csv-file.ts';
import { withDuckdb } from '../src/duckdb-session.ts';
import { csvScanner } from '../src/rejects/csv-records.ts';
import { fieldEnds, headerNames } from '../src/wide/field-ends.ts';
import { configured, dataOf, discover, errorOf, folder, logsOf, read, rejectedOf } from './kit.ts';

t.test('a file of more columns than are read at once → its types, rows and rejected lines', async (t) => {
  const names = Array.from({ length: 431 }, (_, at) => `c${at}`);
  names[0] = '"first, ""of"" all"';
  names[430] = 'c1';
  const row = (id: number) =>
    names.map((_, at) => [String(id * at), `"t,${id}\n"`, '', `${id}.5`, '2024-02-29'][at % 5]).join(',');
  const lines = [names.join(','), row(1), 'too,short', row(2), `${row(3)},more`, row(4)];
  const path = await folder({ 'w.csv': lines.join('\r\n') });
  const catalog = await discover({ path });
  const { properties } = catalog.streams[0].json_schema;
  t.strictSame(Object.keys(properties), ['first, "of" all', ...names.slice(1, 430), 'c1_1']);
  t.match(
    ['c5', 'c6', 'c7', 'c8', 'c9', 'c425'].map((name) => properties[name].weir_type),
    ['long', undefined, undefined, 'double', 'date', 'long'],
  );
  const said = await read({ path }, configured(catalog));
  t.equal(errorOf(said), undefined);
  t.match(
    dataOf(said),
    [1, 2, 4].map((id) => ({
      ...{ 'first, "of" all': 0, c1: `t,${id}\n`, c2: null, c3: id + 0.5, c4: '2024-02-29', c425: id * 425 },
      c1_1: id * 430,
    })),
  );
  t.match(rejectedOf(said), [
    // A row has 86 quoted line breaks.
    { reason: 'row_too_short', raw: 'too,short', line: 89 },
    { reason: 'row_too_wide', line: 177 },
  ]);
  t.match(logsOf(said).at(-1), /2 lines are no rows/);
});

t.test('the file of another person of 2,000 columns → all of its rows', async (t) => {
  const path = await folder({ 'w.csv': await readFile(new URL('./cases/wide_2000.csv', import.meta.url)) });
  const catalog = await discover({ path });
  t.equal(Object.keys(catalog.streams[0].json_schema.properties).length, 2000);
  const rows = dataOf(await read({ path }, configured(catalog)));
  t.equal(rows.length, 20);
  t.ok(rows.every((row) => Object.keys(row).length === 2000 && row.c1999 !== null));
});

const name = fc.oneof(
  fc.constantFrom('', 'a', 'A', 'a_1', 'é', '"a"', '"x,""y"""', ' b ', '1', '"l\nm"', '"" '),
  fc.stringMatching(/^[a-c_ ]{0,4}$/),
);
t.test('the names of a header line are those that DuckDB gives', async (t) => {
  const path = join(await folder(), 's.csv');
  const text = { path, from: 0, to: 0, isExact: true };
  const facts = { path, text, format: 'csv', delimiter: undefined, isEven: true, isRest: false } as const;
  const file = { ...facts, holdBack: () => undefined, where: () => 's.csv' };
  await fc.assert(
    fc.asyncProperty(fc.array(name, { minLength: 2, maxLength: 12 }), async (names) => {
      const line = names.join(',');
      if (line.trim() === '') return;
      await writeFile(path, `${line}\n${names.map(() => 'v').join(',')}\n`);
      const found = await withDuckdb(file, async (connection) => csvNames(connection, file, await openCsv(file)));
      t.strictSame(headerNames(Buffer.from(line), ','), found, line);
    }),
    { numRuns: cases(60) },
  );
});

t.test('the fields of a row end where the scanner divides them', async () => {
  const field = fc.oneof(
    fc.stringMatching(/^[ab "]{0,5}$/),
    fc.constantFrom('"a,b"', ' "a,""b"', '"a" ', '"a" "b,c"', '"l\nm"'),
  );
  fc.assert(
    fc.property(fc.array(field, { minLength: 1, maxLength: 6 }), (fields) => {
      const bytes = Buffer.from(fields.join(','));
      const scanner = csvScanner({ delimiter: ',', fields: 99 }, { byte: 0, line: 1 });
      const records = [...scanner.push(Buffer.concat([bytes, Buffer.from('x\n')]))];
      const [record] = records;
      if (records.length !== 1 || record === undefined || record.reason !== undefined) return true;
      return fieldEnds(record.bytes, ',').length === record.fields;
    }),
    { numRuns: 2000 },
  );
});
