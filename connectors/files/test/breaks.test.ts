import { appendFile, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import t from 'tap';
import { cases } from '../../../test/lane.ts';
import { MAX_HEADER_BYTES } from '../src/csv-header.ts';
import { evenBreaks, rowBreaks } from '../src/even-breaks.ts';
import { configured, dataOf, discover, errorOf, folder, read, rejectedOf, statesOf } from './kit.ts';

const rowsOf = async (path: string, catalog: object, state: readonly unknown[] = []) => {
  const said = await read({ path }, catalog, state);
  t.equal(errorOf(said), undefined);
  return { rows: dataOf(said), state: statesOf(said).slice(-1) };
};

t.test('a CSV file with line breaks of many kinds is discovered and read exactly', async (t) => {
  const many = (end: string) => `1,a${end}`.repeat(100_000);
  const b = { v: 2, w: 'b' };
  for (const [rule, content, last, count] of [
    ['LF, then CRLF', 'v,w\n1,a\r\n2,b\n', b, 2],
    ['CRLF, then LF', 'v,w\r\n1,a\n2,b\r\n', b, 2],
    ['a CR alone', 'v,w\r1,a\r\n2,b\n', b, 2],
    ['a CR at the very end', 'v,w\n1,a\n2,b\r', b, 2],
    ['a late CRLF', `v,w\n${many('\n')}2,b\r\n`, b, 100_001],
    ['a late LF', `v,w\r\n${many('\r\n')}2,b\n`, b, 100_001],
    ['quoted breaks', 'v,w\r\n1,a\n2,"b\r\n\n\r""\r\n,"\n', { v: 2, w: 'b\r\n\n\r"\r\n,' }, 2],
    ['a quote that opens nothing', 'v;w\n1;5" x,"\r\n2;5" y,"\r\n', { v: 2, w: '5" y,"' }, 2],
    ['a mark and a quoted name', '\uFEFF"v\r\nx",w\n1,a\r\n2,b\n', { 'v\r\nx': 2, w: 'b' }, 2],
    ['LF, and others in a quoted name', '"v\r\nx",w\n1,"\r"\n2,b\n', { 'v\r\nx': 2, w: 'b' }, 2],
    ['UTF-16', Buffer.from('\uFEFFv,w\n1,a\r\n2,"é\r\n"\n', 'utf16le'), { v: 2, w: 'é\r\n' }, 2],
    ['Windows-1252', Buffer.from('v,w\r\n1,a\n2,é\r\n', 'latin1'), { v: 2, w: 'é' }, 2],
    ['a packed file', gzipSync('v,w\n1,a\r\n2,b\n'), b, 2],
  ] as const) {
    const path = await folder({ [rule === 'a packed file' ? 'a.csv.gz' : 'a.csv']: content });
    const catalog = await discover({ path });
    t.match(catalog, { streams: [{ name: 'a' }] }, rule);
    const { rows } = await rowsOf(path, configured(catalog));
    t.equal(rows.length, count, rule);
    t.strictSame(rows.at(-1), last, rule);
  }
});

t.test('rows with another line break than the file began with are read when they are added, each once', async (t) => {
  for (const [before, ...more] of [
    ['v,w\n1,a\n', '2,b\r\n3,c\r\n', '4,d\n5,"e\r\nf"\r\n'],
    ['v,w\r\n1,a\r\n', '2,b\n3,"c\nd"\n', '4,d\r\n5,e\n'],
    ['v,w\n1,a', '\r\n2,b\r\n3,c', '\n4,d\n5,e\r', '\n'],
  ]) {
    const path = await folder({ 'a.csv': before ?? '' });
    const file = join(path, 'a.csv');
    await utimes(file, 1, 1);
    const catalog = configured(await discover({ path }));
    let { rows, state } = await rowsOf(path, catalog);
    for (const [index, added] of more.entries()) {
      await appendFile(file, added);
      await utimes(file, 2 + index, 2 + index);
      const next = await rowsOf(path, catalog, state);
      rows = [...rows, ...next.rows];
      state = next.state;
    }
    t.strictSame(
      rows.map(({ v }) => v),
      [1, 2, 3, 4, 5],
    );
  }
});

t.test('a broken row of a file with many line breaks is told by its line', async (t) => {
  const path = await folder({ 'a.csv': 'v,w\n1,a\r\n2,b\n3\r\n4,d\n' });
  const catalog = configured(await discover({ path }));
  t.match(rejectedOf(await read({ path }, catalog)), [{ raw: '3', reason: 'row_too_short', line: 4, byte: 13 }]);
});

const breaks = fc.constantFrom('\n', '\r\n', '\r');
const cell = fc.oneof(
  fc.stringMatching(/^[ab ]{0,3}[ab][ab"; ]{0,3}$/),
  fc.stringMatching(/^[ab",;\r\n ]{0,6}$/).map((text) => `"${text.replaceAll('"', '""')}"`),
  fc.constant(' "a\r\n,"'),
);
const rows = fc.array(fc.tuple(cell, cell, breaks), { maxLength: 6 });
/** Rows of two fields, ended as the header is, of more bytes than are held together for the header. */
const full = (end: string) => `1,a${end}`.repeat(Math.ceil(MAX_HEADER_BYTES / 4));
for (const [where, filler, runs] of [
  ['the bytes are cut', () => '', 1000],
  ['they are cut behind what is held for the header', full, 100],
] as const) {
  t.test(`every row ends with LF and every field stays what it is, wherever ${where}`, async (t) => {
    await fc.assert(
      fc.asyncProperty(rows, breaks, fc.array(fc.nat(), { maxLength: 8 }), async (all, first, cuts) => {
        const textWith = (end: (own: string) => string) =>
          `v,w${end(first)}${filler(end(first))}${all.map(([v, w, own]) => `${v},${w}${end(own)}`).join('')}`;
        const mixed = Buffer.from(textWith((own) => own));
        // The last bytes are those of the rows: what is before them is cut off whole.
        const tail = Math.max(0, mixed.length - 200);
        const ends = [...cuts.map((cut) => tail + (cut % (mixed.length - tail))), mixed.length].sort((a, b) => a - b);
        const pieces = async function* () {
          for (const [index, end] of ends.entries()) yield mixed.subarray(ends[index - 1] ?? 0, end);
        };
        const even = Buffer.concat(await Array.fromAsync(evenBreaks(pieces(), undefined)));
        const expected = textWith(() => '\n');
        if (String(even) !== expected) t.equal(String(even).slice(-300), expected.slice(-300));
        const kinds = new Set([first, ...all.map(([, , own]) => own)]);
        const kind = kinds.size > 1 ? 'mixed' : first === '\n' ? 'lf' : 'other';
        t.equal(await rowBreaks(pieces(), undefined), kind);
      }),
      { numRuns: cases(runs) },
    );
  });
}

t.test('an empty file beside files with a header has no rows, and gets its rows once it has them', async (t) => {
  for (const [ending, header, row] of [
    ['csv', 'v\n', (v: number) => `${v}\n`],
    ['jsonl', '', (v: number) => `{"v":${v}}\n`],
  ] as const) {
    const name = (stem: string) => `${stem}.${ending}`;
    const path = await folder({
      [name('a')]: '',
      [name('b')]: header + row(1),
      [name('c')]: '',
      [`d.${ending}.gz`]: gzipSync(''),
    });
    const config = { path, streams: [{ name: 's', glob: `*.${ending}*` }] };
    const catalog = await discover(config);
    t.match(catalog, { streams: [{ json_schema: { properties: { v: { weir_type: 'long' } } } }] });
    let state: unknown[] = [];
    const next = async () => {
      const said = await read(config, configured(catalog), state);
      t.equal(errorOf(said), undefined);
      state = statesOf(said).length === 0 ? state : statesOf(said).slice(-1);
      return dataOf(said).map(({ v }) => v);
    };
    t.strictSame(await next(), [1], ending);
    t.strictSame(await next(), []);
    await appendFile(join(path, name('a')), header + row(2) + row(3));
    t.strictSame(await next(), [2, 3]);
    await writeFile(join(path, name('b')), '');
    t.strictSame(await next(), []);
    await writeFile(join(path, name('b')), header + row(1) + row(4));
    t.strictSame(await next(), [1, 4], 'its rows went with what it held: all of it is new');
  }
});

t.test('a stream of empty CSV files alone has no header, one of empty JSONL files has no columns', async (t) => {
  const path = await folder({ '1.csv': '', '2.csv': '', '3.csv.gz': gzipSync(''), '1.jsonl': '' });
  const csv = { path, streams: [{ name: 's', glob: '*.csv*' }] };
  t.equal(await discover(csv), 'csv_header_missing');
  const catalog = configured({ streams: [{ name: 's', json_schema: { properties: { v: {} } } }] });
  const said = await read(csv, catalog);
  t.match(errorOf(said), { internal_message: 'csv_header_missing', hint: /^1\.csv: / });
  t.equal(errorOf(await read(csv, catalog, statesOf(said).slice(-1)))?.internal_message, 'csv_header_missing');
  await writeFile(join(path, '2.csv'), 'v\nx\n');
  t.strictSame(dataOf(await read(csv, catalog, statesOf(said).slice(-1))), [{ v: 'x' }]);
  t.match(await discover({ path, glob: '*.jsonl' }), { streams: [{ json_schema: { properties: {} } }] });
});
