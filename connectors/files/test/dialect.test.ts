import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import t from 'tap';
import { cases } from '../../../test/lane.ts';
import { standardQuotes } from '../src/csv/standard-csv.ts';
import { configured, dataOf, discover, errorOf, folder, read, run, type Said, statesOf } from './kit.ts';

const logsOf = ({ messages }: Said) => messages.filter((m) => m.type === 'LOG').map((m) => m.log.message);
const rowsOf = async (config: unknown) => dataOf(await read(config));
const codeOf = async (verb: string, config: unknown) => errorOf(await run(verb, { config }))?.internal_message;

t.test('tabs stand between the fields of a .tsv file, a packed one too', async (t) => {
  const path = await folder({ 'a.tsv': 'id,x\tn\n1\ta;b\n', 'b.TSV.gz': gzipSync('id\tn\n2\ty\n'), 'a.csv': 'c\n3\n' });
  const streams = (await discover({ path })).streams.map(({ name }: { name: string }) => name);
  t.strictSame(streams, ['a', 'a.tsv', 'b'], 'the stem stays the name of the CSV file');
  t.strictSame(await rowsOf({ path, glob: 'a.tsv' }), [{ 'id,x': 1, n: 'a;b' }]);
  t.strictSame(await rowsOf({ path, glob: 'b.*' }), [{ id: 2, n: 'y' }]);
});

t.test('files without a header → columns by their number, and rows that are added later', async (t) => {
  const path = await folder({ 'a.csv': '1,ada\n2,bob\n' });
  const config = { path, header: false };
  const catalog = configured(await discover(config));
  const first = await read(config, catalog);
  t.strictSame(dataOf(first), [
    { column_1: 1, column_2: 'ada' },
    { column_1: 2, column_2: 'bob' },
  ]);
  await appendFile(join(path, 'a.csv'), '3,cyd\n4\n');
  const later = await read(config, catalog, statesOf(first));
  t.strictSame(dataOf(later)[0], { column_1: 3, column_2: 'cyd' });
  t.match(logsOf(later), [/row_too_short/]);
});

t.test('lines above the header are left out, and places count them', async (t) => {
  const path = await folder({ 'a.csv': 'Sales; 2024\r\n\r\n \r\nid,n\r\n1,x\r\n2\r\n' });
  const config = { path, skip_lines: 1 };
  const catalog = configured(await discover(config));
  const first = await read(config, catalog);
  t.strictSame(dataOf(first)[0], { id: 1, n: 'x' });
  t.match(logsOf(first), [/a\.csv, line 6/]);
  await appendFile(join(path, 'a.csv'), '3,z\r\n');
  t.strictSame(dataOf(await read(config, catalog, statesOf(first))), [{ id: 3, n: 'z' }]);
});

t.test('a first line of one text above wider rows → the refusal names skip_lines', async (t) => {
  const path = await folder({ 'a.csv': 'Sales report 2024\nid,amount\n1,5\n2,6\n' });
  const said = await run('discover', { config: { path } });
  t.match(errorOf(said), { internal_message: 'schema_changed_in_file', hint: /skip_lines/ });
});

t.test('other quotes and escapes are read', async (t) => {
  const path = await folder({
    'single.csv': `id,'a,b'\n1,'it''s, "x"'\n2, "y\n3,'two\nlines'\n`,
    'slash.csv': `id,n\n1,"a \\"b\\" \\\\ c"\n2,"d,e"\n`,
    'none.csv': `id,n\n1,"5 inches\n2,a "b"\n3, "c"\n`,
  });
  t.strictSame(await rowsOf({ path, glob: 'single.csv', quote: "'" }), [
    { id: 1, 'a,b': `it's, "x"` },
    { id: 2, 'a,b': ' "y' },
    { id: 3, 'a,b': 'two\nlines' },
  ]);
  t.strictSame(await rowsOf({ path, glob: 'slash.csv', escape: '\\' }), [
    { id: 1, n: 'a "b" \\ c' },
    { id: 2, n: 'd,e' },
  ]);
  t.strictSame(await rowsOf({ path, glob: 'none.csv', quote: 'none' }), [
    { id: 1, n: '"5 inches' },
    { id: 2, n: 'a "b"' },
    { id: 3, n: ' "c"' },
  ]);
});

t.test('fields in other quotes are the same fields in those of RFC 4180, wherever the text is cut', async (t) => {
  const field = fc.stringMatching(/^[a ,'"\\\n]{0,5}$/);
  const table = fc.array(fc.array(field, { minLength: 2, maxLength: 2 }), { minLength: 1, maxLength: 3 });
  const property = fc.asyncProperty(table, fc.constantFrom("'", '\\'), fc.nat(), async (rows, sign, cut) => {
    const own = (text: string) => `'${sign === "'" ? text.replaceAll("'", "''") : text.replaceAll(/['\\]/g, '\\$&')}'`;
    const text = Buffer.from(`h,i\n${rows.map((row) => row.map(own).join(',')).join('\n')}\n`);
    const at = cut % (text.length + 1);
    const pieces = async function* () {
      yield text.subarray(0, at);
      yield text.subarray(at);
    };
    const writing = { delimiter: ',', quote: "'", escape: sign as "'" } as const;
    const standard = Buffer.concat(await Array.fromAsync(standardQuotes(pieces(), writing))).toString();
    const quoted = rows.map((row) => row.map((one) => `"${one.replaceAll('"', '""')}"`).join(','));
    t.equal(standard, `h,i\n${quoted.join('\n')}\n`);
  });
  await fc.assert(property, { numRuns: cases(1000) });
});

t.test('a header that looks like a row → the log of discovery says how to declare it', async (t) => {
  const warned = async (text: string, config = {}) => {
    const path = await folder({ 'a.csv': text });
    return logsOf(await run('discover', { config: { path, ...config } }));
  };
  t.match(await warned('1,ada,10.5\n2,bob,20.5\n'), [/^a\.csv: .* header: false/]);
  t.match(await warned('2024-01-01,x\n2024-01-02,y\n'), [/header: false/]);
  t.strictSame(await warned('1,ada,10.5\n2,bob,20.5\n', { header: false }), []);
  t.strictSame(await warned('country,2020,2019\nDE,1,2\n'), []);
  t.strictSame(await warned('id,n\n1,x\n'), []);
  t.strictSame(await warned('x,y\na,b\n'), []);
});

t.test('what is no text is refused by name', async (t) => {
  const path = await folder({ 'a.xlsx': 'PK', 'b.csv.zip': 'PK', 'c.csv': 'a\0,b\n1,2\n' });
  t.equal(await codeOf('discover', { path, glob: '*.xlsx' }), 'spreadsheet_unread');
  t.equal(
    await codeOf('discover', { path, streams: [{ name: 's', glob: 'a.*' }], format: 'csv' }),
    'spreadsheet_unread',
  );
  t.equal(await codeOf('discover', { path, glob: '*.zip' }), 'archive_unread');
  t.equal(await codeOf('discover', { path, glob: '*.none' }), 'no_files_matched');
  t.equal(await codeOf('discover', { path, glob: '*.csv' }), 'csv_header_invalid');
});

t.test('a dialect is checked', async (t) => {
  const path = await folder({ 'a.csv': 'a\n1\n' });
  for (const [key, value] of [
    ['header', 'no'],
    ['skip_lines', -1],
    ['skip_lines', 1.5],
    ['quote', '`'],
    ['escape', '""'],
  ] as const) {
    const said = errorOf(await run('discover', { config: { path, [key]: value } }));
    t.match(said, { internal_message: 'config_invalid', hint: new RegExp(key) }, key);
  }
});
