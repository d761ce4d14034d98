import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { connectorConformance } from '@weir/connector-sdk/testing';
import t from 'tap';
import { configured, dataOf, discover, folder, PROGRAM, parquet, read, type Said } from './kit.ts';

const DOCUMENTS = ['{"id":1,"name":"x"}', '{"id":2,"tags":["y"]}'];
const ALL = { csv: 'id,name\n1,x\n2,y\n', jsonl: `${DOCUMENTS.join('\n')}\n`, json: `[${DOCUMENTS.join(',')}]` };
const conforming = await folder(
  Object.fromEntries(
    Object.entries(ALL).flatMap(([format, text]) => [
      [`${format}-plain.${format}`, text],
      [`${format}-gz.${format}.gz`, gzipSync(text)],
      [`${format}-zst.${format}.zst`, zstdCompressSync(text)],
    ]),
  ),
);
await parquet(join(conforming, 'parquet.parquet'), 'SELECT 1 AS id');
await writeFile(join(conforming, 'other.csv'), 'v\n1.5\n');
await writeFile(
  join(conforming, 'parquet-gz.parquet.gz'),
  gzipSync(await readFile(join(conforming, 'parquet.parquet'))),
);
for (const { name, run: check } of connectorConformance({
  command: [process.execPath, '--conditions=@weir/source', PROGRAM],
  config: { path: conforming },
  badConfig: { path: join(conforming, 'nowhere') },
})) {
  t.test(`for every format and packing: ${name}`, check);
}

/** The text of each record's data, as it is on the line. */
const textsOf = ({ lines }: { lines: string[] }) =>
  lines.flatMap(
    (line) => (/"data":(.*),"emitted_at":\d+,"meta":\{"file":"[^"]*"\}\}\}$/.exec(line)?.[1] ?? []) as string | never[],
  );

t.test('a document arrives with the text that it has in the file, every number as it is written', async (t) => {
  const rows = [
    '{"id":9007199254740993,"big":123456789012345678901234567890,"f":0.1234567890123456789,"e":1E400,"z":-0,"one":1.0}',
    '{ "id" : 9223372036854775807, "n": {"deep": [9007199254740993, {"x": 1.10}]}, "l": [ ] , "s":"\\u0000é\\ud83d\\ude00"}',
    '{"id":-9223372036854775808,"__proto__":{"a":1},"constructor":1,"":2,"id2":null}',
  ];
  const path = await folder({ 'a.jsonl': `${rows.join('\r\n\n')}\n`, 'b.json': `[\n${rows.join(',\n')}\n]\n` });
  const catalog = configured(await discover({ path }));
  const said = await read({ path }, catalog);
  // What no double holds is a text, and so is what a decimal holds.
  const sent = rows.map((row) =>
    row
      .replace('"big":123456789012345678901234567890', '"big":"123456789012345678901234567890"')
      .replace('"f":0.1234567890123456789,"e":1E400', '"f":"0.1234567890123456789","e":"1E400"'),
  );
  const [first = '', ...others] = textsOf(said);
  t.equal(first, sent[0]);
  t.equal(others.map((text) => text.trim()).at(0), sent[1]);
  t.equal(textsOf(said).length, 6);
});

t.test('columns come from what the documents have in common, and other members go along', async (t) => {
  const path = await folder({
    'a.jsonl': [
      '{"l":1,"d":1,"b":true,"s":"x","list":[1],"o":{"a":1},"mixed":1,"round":9007199254740993,"huge":1,"nothing":null}',
      '{"l":9223372036854775807,"d":0.5,"b":null,"s":"2024-01-01","list":[],"o":{},"mixed":"x","round":0.5,"huge":9223372036854775808}',
      '{"late":{"a":[1]},"mixed":[9007199254740993]}',
      '{"mixed":0.10}',
    ].join('\n'),
  });
  const catalog = await discover({ path });
  const text = { type: ['null', 'string'] };
  t.strictSame(catalog.streams[0].json_schema.properties, {
    l: { type: ['null', 'integer'], weir_type: 'long' },
    d: { type: ['null', 'number'], weir_type: 'double' },
    b: { type: ['null', 'boolean'], weir_type: 'boolean' },
    s: text,
    list: { type: ['null', 'array'] },
    o: { type: ['null', 'object'] },
    mixed: text,
    round: { type: ['null', 'string'], airbyte_type: 'big_number', weir_type: 'decimal(18, 1)' },
    huge: text,
    nothing: text,
    late: { type: ['null', 'object'] },
  });
  const said = await read({ path }, configured(catalog));
  t.match(textsOf(said)[0], '"mixed":"1","round":"9007199254740993","huge":"1","nothing":null');
  t.strictSame(textsOf(said).slice(2), ['{"late":{"a":[1]},"mixed":[9007199254740993]}', '{"mixed":"0.10"}']);
  t.strictSame(await discover({ path }), catalog, 'asked again, the same');
});

t.test(
  'the documents of all files of a stream are taken together, and later ones may have other members',
  async (t) => {
    const path = await folder({ '1.json': '{"a":1}', '2.json': '{"a":0.5}\n{"b":true}', '3.json': '[]' });
    const config = { path, streams: [{ name: 's', glob: '*.json' }] };
    const catalog = await discover(config);
    t.match(catalog.streams[0].json_schema.properties, { a: { weir_type: 'double' }, b: { weir_type: 'boolean' } });
    const path2 = await folder({ '1.json': '{"other":1}' });
    t.strictSame(dataOf(await read({ ...config, path: path2 }, configured(catalog))), [{ other: 1 }]);
  },
);

t.test('a packed file of many members or frames is read to its end', async (t) => {
  const parts = Array.from({ length: 300 }, (_, part) =>
    Array.from({ length: 50 }, (_, row) => `${part},${row}\n`).join(''),
  );
  const all = ['p,r\n', ...parts];
  const path = await folder({
    'gz.csv.gz': Buffer.concat(all.map((part) => gzipSync(part))),
    'zst.csv.zst': Buffer.concat(all.map((part) => zstdCompressSync(part))),
    'one.csv.zst': zstdCompressSync(all.join('')),
    'skip.csv.zst': Buffer.concat([Buffer.from('502a4d1803000000787878', 'hex'), zstdCompressSync(all.join(''))]),
  });
  for (const name of ['gz', 'zst', 'one', 'skip']) {
    const found = dataOf(await read({ path, streams: [{ name, glob: `${name}.*` }] }));
    t.equal(found.length, 15_000, name);
    t.strictSame(found.at(-1), { p: 299, r: 49 });
  }
});

const logsOf = ({ messages }: Said) => messages.filter((m) => m.type === 'LOG').map((m) => m.log.message);

t.test('encodings are seen from the file, or are declared', async (t) => {
  const text = 'name;größe\nZoë “x” €;1\n';
  const narrow = Buffer.from(
    text.replace(/[“”€]/g, (c) => ({ '“': '\x93', '”': '\x94' })[c] ?? '\x80'),
    'latin1',
  );
  const wide = Buffer.from(`\uFEFF${text}`, 'utf16le');
  const big = Buffer.from(wide).swap16();
  const json = '{"name":"Zoë “x” €","größe":1}';
  const path = await folder({
    'plain.csv': text,
    'mark.csv': `\uFEFF${text}`,
    'narrow.csv': narrow,
    'little.csv': wide,
    'big.csv': big,
    'packed.csv.gz': gzipSync(big),
    'mark.jsonl': `\uFEFF${json}\n`,
    'wide.json': Buffer.from(`\uFEFF[${json}]`, 'utf16le'),
  });
  for (const glob of [
    'plain.csv',
    'mark.csv',
    'narrow.csv',
    'little.csv',
    'big.csv',
    'packed.*',
    'mark.jsonl',
    'wide.json',
  ]) {
    const said = await read({ path, glob });
    t.strictSame(dataOf(said), [{ name: 'Zoë “x” €', größe: 1 }], glob);
    const guessed = [`narrow.csv is no UTF-8 and is read as Windows-1252: declare its encoding to be sure`];
    t.strictSame(logsOf(said), glob === 'narrow.csv' ? guessed : [], `${glob}: the log says what was guessed`);
  }
  const bare = await folder({
    'a.csv': wide.subarray(2),
    'b.csv': big.subarray(2),
    'c.csv': Buffer.from('v\nÃ©\n', 'latin1'),
  });
  for (const [glob, encoding, found] of [
    ['a.csv', 'utf-16le', { name: 'Zoë “x” €', größe: 1 }],
    ['b.csv', 'utf-16be', { name: 'Zoë “x” €', größe: 1 }],
    ['c.csv', 'windows-1252', { v: 'Ã©' }],
    ['c.csv', 'iso-8859-1', { v: 'Ã©' }],
    ['c.csv', 'utf-8', { v: 'é' }],
  ] as const) {
    const said = await read({ path: bare, streams: [{ name: 's', glob, encoding }] });
    t.strictSame([dataOf(said), logsOf(said)], [[found], []], `${glob} ${encoding}`);
  }
  t.equal(await discover({ path, glob: 'narrow.csv', encoding: 'utf-8' }), 'encoding_invalid');
});

t.test('a declared delimiter and format win over what the file looks like', async (t) => {
  const path = await folder({
    'a.csv': 'a;b,c;d\n1;2,3;4\n',
    'b.txt': '{"a":1}\n',
    'c.data.gz': gzipSync('a|b\n1|2\n'),
  });
  t.strictSame(dataOf(await read({ path, glob: 'a.csv' })), [{ a: 1, 'b,c': '2,3', d: 4 }]);
  t.strictSame(dataOf(await read({ path, glob: 'a.csv', delimiter: ',' })), [{ 'a;b': '1;2', 'c;d': '3;4' }]);
  const streams = [
    { name: 'b', glob: '*.txt', format: 'jsonl' },
    { name: 'c', glob: 'c.*' },
  ];
  t.strictSame(dataOf(await read({ path, format: 'csv', streams })), [{ a: 1 }, { a: 1, b: 2 }]);
});

t.test('a stream has the name of its files without endings; beside a plain file the others keep theirs', async (t) => {
  const names = async (...files: string[]) => {
    const path = await folder(
      Object.fromEntries(files.map((name) => [name, name.includes('json') ? '{"a":1}\n' : 'a\n1\n'])),
    );
    const catalog = await discover({ path });
    return catalog.streams?.map(({ name }: { name: string }) => name) ?? catalog;
  };
  t.strictSame(await names('a.csv', 'b.v2.json', 'c.ndjson'), ['a', 'b.v2', 'c']);
  t.strictSame(await names('a.csv', 'a.json', 'a.jsonl'), ['a', 'a.json', 'a.jsonl']);
  t.equal(await names('a.json', 'a.jsonl'), 'stream_names_alike');
});
