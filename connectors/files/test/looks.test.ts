import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { runSource } from '@weir/connector-sdk';
import { createEgress } from '@weir/egress';
import t from 'tap';
import { filesSource } from '../src/files-source.ts';
import { configured, discover, folder, parquet, read } from './kit.ts';

const looking = filesSource({
  egress: () => createEgress({}),
  bounds: async () => ({ roots: [], refused: [] }),
  looks: () => true,
});

/** What a discovery answers that is asked for looks. */
async function looked(config: Record<string, unknown>) {
  const file = join(await folder(), 'config');
  await writeFile(file, JSON.stringify(config));
  const stdout = new PassThrough();
  const said = text(stdout);
  await runSource(looking, ['discover', '--config', file], { stdout, stderr: new PassThrough().resume() });
  stdout.end();
  const messages = (await said)
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  return messages.find(({ type }) => type === 'CATALOG')?.catalog;
}

const typesOf = ({ streams }: { streams: { json_schema: { properties: Record<string, { weir_type?: string }> } }[] }) =>
  streams.map(({ json_schema }) => Object.entries(json_schema.properties).map(([name, one]) => [name, one.weir_type]));

t.test('a discovery that nobody asks for looks → none', async (t) => {
  const path = await folder({ 'a.csv': 'n\n1\n' });
  t.notOk('looks' in (await discover({ path })));
});

t.test('one odd value of many → the column stays text, and the look names the value with its line', async (t) => {
  const rows = Array.from({ length: 2_000 }, (_, at) => `${at},${at === 1_201 ? 'n/a' : `${at}.50`}\n`);
  const path = await folder({ 'Müller & Söhne.csv': `id,Amount €\n${rows.join('')}` });
  const { looks, streams } = await looked({ path });
  t.match(looks, [
    {
      name: 'Müller & Söhne',
      files: [{ name: 'Müller & Söhne.csv', format: 'csv', encoding: 'utf-8', delimiter: ',', header_line: 1 }],
      ...{ records: 2_000, is_whole: true, rejected: 0, columns: ['id', 'Amount €'] },
      notes: [
        {
          ...{ kind: 'kept_as_text', column: 'Amount €', mostly: 'number', fits: 1_999, count: 1 },
          places: [{ file: 'Müller & Söhne.csv', line: 1_203, text: 'n/a' }],
        },
      ],
    },
  ]);
  t.strictSame(looks[0].rows[1], ['1', '1.50'], 'rows as they land');
  t.equal(looks[0].rows.length, 5);
  t.match(typesOf({ streams }), [
    [
      ['id', 'long'],
      ['Amount €', undefined],
    ],
  ]);
});

t.test('a column that is given a type → it has it, and the value that does not fit is named', async (t) => {
  const path = await folder({ 'a.csv': 'id,zip,amount\n1,12345,1.5\n2,22222,n/a\n3,1,3\n' });
  const types = [
    { column: 'amount', type: 'number' },
    { column: 'zip', type: 'text' },
  ];
  const found = await looked({ path, types });
  t.strictSame(typesOf(found), [
    [
      ['id', 'long'],
      ['zip', undefined],
      ['amount', 'double'],
    ],
  ]);
  t.match(found.looks[0].notes, [
    { kind: 'value_misfit', column: 'amount', count: 1, places: [{ file: 'a.csv', line: 3, text: 'n/a' }] },
  ]);
  const own = { path, streams: [{ name: 's', glob: 'a.csv', types }] };
  const { messages } = await read(own, configured(await discover(own)));
  const sent = messages.filter(({ type }) => type === 'RECORD').map(({ record }) => record.data);
  t.strictSame(sent[1], { id: 2, zip: '22222', amount: 'n/a' }, 'the platform judges what does not fit');
});

t.test('days whose order is open → text and named, and a date once the order is said', async (t) => {
  const path = await folder({ 'd.csv': 'id,day\n1,01/02/2024\n2,03/04/2024\n' });
  const open = await looked({ path });
  t.strictSame(open.looks[0].notes, [{ kind: 'order_open', column: 'day', count: 0, places: [] }]);
  const said = await looked({ path, types: [{ column: 'day', type: 'day_first' }] });
  t.match(typesOf(said), [
    [
      ['id', 'long'],
      ['day', 'date'],
    ],
  ]);
  t.strictSame(said.looks[0].rows, [
    ['1', '2024-02-01'],
    ['2', '2024-04-03'],
  ]);
  t.strictSame(said.looks[0].notes, []);
});

t.test('a footer, a title and quoted line breaks → lines of the file itself, and how it was read', async (t) => {
  const content = 'Revenue 2024\n\nmonth;revenue;note\n1;10;"two\nlines"\n2;x;\nTotal: 2 rows\n';
  const path = await folder({ 'revenue.csv': Buffer.from(content.replace('2024', '2024 für Köln'), 'latin1') });
  const { looks } = await looked({ path, skip_lines: 1, types: [{ column: 'revenue', type: 'integer' }] });
  t.match(looks, [
    {
      files: [{ encoding: 'windows-1252', delimiter: ';', header_line: 3 }],
      ...{ records: 3, rejected: 1, is_whole: true },
      rows: [
        ['1', '10', 'two\nlines'],
        ['2', 'x', null],
      ],
      notes: [
        { kind: 'line_rejected', reason: 'row_too_short', count: 1, places: [{ line: 7, text: 'Total: 2 rows' }] },
        { kind: 'value_misfit', column: 'revenue', count: 1, places: [{ line: 6, text: 'x' }] },
      ],
    },
  ]);
});

t.test('JSON lines and Parquet → exact numbers, and lines that go to quarantine', async (t) => {
  const path = await folder({ 'l.jsonl': '{"a":9007199254740993,"b":{"c":[1]}}\n{"a":\n{"a":2}\n' });
  await parquet(join(path, 'p.parquet'), 'SELECT 9007199254740993 AS big, NULL::VARCHAR AS gap');
  const { looks } = await looked({ path });
  t.match(looks, [
    {
      ...{
        name: 'l',
        records: 3,
        rejected: 1,
        rows: [
          ['9007199254740993', '{"c":[1]}'],
          ['2', null],
        ],
      },
      notes: [{ kind: 'line_rejected', reason: 'malformed_json', places: [{ line: 2 }] }],
    },
    { name: 'p', records: 1, rejected: 0, is_whole: true, rows: [['9007199254740993', null]], notes: [] },
  ]);
});

t.test('more rows than are looked at → their number, and that there are more', async (t) => {
  const path = await folder({ 'many.csv': `n\n${'1\n'.repeat(10_050)}` });
  const { looks } = await looked({ path });
  t.match(looks, [{ records: 10_000, is_whole: false }]);
});

t.test('a stream that cannot be described → its files are named beside those that can', async (t) => {
  const path = await folder({ 'good.csv': 'n\n1\n', 'page.csv': '<!DOCTYPE html>\n<p>' });
  const { looks, undescribed } = await looked({ path });
  t.match(undescribed, [{ name: 'page', code: 'file_is_page' }]);
  t.match(looks, [{ name: 'good' }, { name: 'page', files: [{ name: 'page.csv' }], records: 0, rows: [] }]);
});

t.test('a type of a column that is not there, or of no known name → the configuration is invalid', async (t) => {
  const path = await folder({ 'a.csv': 'n\n1\n' });
  t.equal(await discover({ path, types: [{ column: 'm', type: 'text' }] }), 'config_invalid');
  t.equal(await discover({ path, types: [{ column: 'n', type: 'day_first' }] }), 'config_invalid');
  t.equal(await discover({ path, types: [{ column: 'n', type: 'money' }] }), 'config_invalid');
  t.equal(await discover({ path, types: Array(2).fill({ column: 'n', type: 'text' }) }), 'config_invalid');
});
