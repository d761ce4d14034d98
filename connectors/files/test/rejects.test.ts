import { appendFile, readFile, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import fc from 'fast-check';
import t from 'tap';
import { cases } from '../../../test/lane.ts';
import { configured, dataOf, discover, errorOf, folder, logsOf, read, rejectedOf, statesOf } from './kit.ts';

type Wanted = { readonly reason: string; readonly raw: string | Buffer; readonly line: number };
/** A file of rows `v` = 1 and 2, `w` = a and b, and what is not a row in it; `\n` stands for the line break. */
type Case = readonly [rule: string, text: string | Buffer, wanted: readonly Wanted[]];

const bytes = (text: string) => Buffer.from(text, 'latin1');
const long = `3,${'x'.repeat(2_100_000)}`;
const CSV: readonly Case[] = [
  ['a field too many', 'v,w\n1,a\n3,c,d\n2,b\n', [{ reason: 'row_too_wide', raw: '3,c,d', line: 3 }]],
  ['a field too few', 'v,w\n1,a\n3\n2,b\n', [{ reason: 'row_too_short', raw: '3', line: 3 }]],
  ['a footer', 'v,w\n1,a\n2,b\nTotal: 2', [{ reason: 'row_too_short', raw: 'Total: 2', line: 4 }]],
  ['text behind a quote', 'v,w\n1,a\n3,"c"d\n2,b\n', [{ reason: 'text_after_quote', raw: '3,"c"d', line: 3 }]],
  ['an open quote', 'v,w\n1,a\n2,b\n3,"c\n4,d\n', [{ reason: 'quote_unclosed', raw: '3,"c\n4,d\n', line: 4 }]],
  [
    'a byte that is no UTF-8',
    bytes('v,w\n1,a\n3,\xc3\xa9\xff\n2,b\n'),
    [{ reason: 'invalid_utf8', raw: bytes('3,\xc3\xa9\xff'), line: 3 }],
  ],
  ['a row that is too long', `v,w\n1,a\n${long}\n2,b\n`, [{ reason: 'line_too_large', raw: long, line: 3 }]],
  [
    'quoted line breaks',
    'v,w\n1,a\n"3\n3","c\nc",d\n2,b\n4\n',
    [
      { reason: 'row_too_wide', raw: '"3\n3","c\nc",d', line: 3 },
      { reason: 'row_too_short', raw: '4', line: 7 },
    ],
  ],
];
const JSONL: readonly Case[] = [
  ['a comment', '{"v":1,"w":"a"}\n{"v":2,"w":"b"}\n// end', [{ reason: 'malformed_json', raw: '// end', line: 3 }]],
  ['a cut end', '{"v":1,"w":"a"}\n{"v":2,"w":"b"}\n{"v":', [{ reason: 'truncated', raw: '{"v":', line: 3 }]],
  ['no object', '{"v":1,"w":"a"}\n["x"]\n{"v":2,"w":"b"}\n', [{ reason: 'not_object', raw: '["x"]', line: 2 }]],
  ['NaN', '{"v":1,"w":"a"}\n{"v":NaN}\n{"v":2,"w":"b"}\n', [{ reason: 'malformed_json', raw: '{"v":NaN}', line: 2 }]],
  [
    'half a pair',
    '{"v":1,"w":"a"}\n{"v":"\\ud800"}\n{"v":2,"w":"b"}\n',
    [{ reason: 'lone_surrogate', raw: '{"v":"\\ud800"}', line: 2 }],
  ],
  [
    'a byte that is no UTF-8',
    bytes('{"v":1,"w":"a"}\n{"v":"\xff\xc3\xa9"}\n{"v":2,"w":"b"}\n'),
    [{ reason: 'invalid_utf8', raw: bytes('{"v":"\xff\xc3\xa9"}'), line: 2 }],
  ],
  [
    'depth',
    `{"v":1,"w":"a"}\n${'['.repeat(300)}\n{"v":2,"w":"b"}\n`,
    [{ reason: 'too_deep', raw: '['.repeat(300), line: 2 }],
  ],
];
const JSON_TEXT: readonly Case[] = [
  ['a cut document', '[{"v":1,"w":"a"},\n{"v":2,"w":"b"},\n{"v":', [{ reason: 'truncated', raw: '{"v":', line: 3 }]],
  ['a cut list', '[{"v":1,"w":"a"},\n{"v":2,"w":"b"}', [{ reason: 'truncated', raw: '', line: 2 }]],
  [
    'a broken document',
    '[{"v":1,"w":"a"},\n{"v":x},\n{"v":2,"w":"b"}]',
    [{ reason: 'malformed_json', raw: '{"v":x}', line: 2 }],
  ],
  [
    'two lists',
    '[{"v":1,"w":"a"},{"v":2,"w":"b"}]\n[{"v":3}]',
    [{ reason: 'malformed_json', raw: '[{"v":3}]', line: 2 }],
  ],
  ['a comma at the end', '[{"v":1,"w":"a"},{"v":2,"w":"b"},\n]', [{ reason: 'malformed_json', raw: ']', line: 2 }]],
  ['a number', '[{"v":1,"w":"a"},{"v":2,"w":"b"},\n3]', [{ reason: 'not_object', raw: '3]', line: 2 }]],
];
const ROWS = [
  { v: 1, w: 'a' },
  { v: 2, w: 'b' },
];
const BREAKS = [
  ['LF', '\n'],
  ['CRLF', '\r\n'],
  ['CR', '\r'],
] as const;
const PACKINGS = [
  ['', (content: Buffer) => content],
  ['.gz', gzipSync],
  ['.zst', zstdCompressSync],
] as const;

const PACKED = { LF: '.zst', CRLF: '.gz', CR: '.gz' } as const;

/** A text with other line breaks, and where what is not a row begins in it. */
function written({ text, wanted, lineBreak }: { text: string | Buffer; wanted: readonly Wanted[]; lineBreak: string }) {
  const withBreaks = (one: string | Buffer) =>
    Buffer.from(one.toString('latin1').replaceAll('\n', lineBreak), 'latin1');
  const content = withBreaks(Buffer.from(text));
  return {
    content,
    rejected: wanted.map(({ raw, ...rest }) => {
      const own = withBreaks(Buffer.from(raw));
      const byte = own.length === 0 ? content.length : content.lastIndexOf(own);
      return { raw: own.toString(), ...rest, byte, bytes: own.length };
    }),
  };
}

for (const [format, table] of Object.entries({ csv: CSV, jsonl: JSONL, json: JSON_TEXT })) {
  for (const [rule, text, wanted] of table) {
    t.test(`a ${format} file with ${rule} → quarantine with bytes and position, and the rows`, async (t) => {
      for (const [name, lineBreak] of format === 'csv' ? BREAKS : BREAKS.slice(0, 2)) {
        const { content, rejected } = written({ text, wanted, lineBreak });
        // Each packing with each break would show no more.
        for (const [ending, pack] of PACKINGS.filter(([packing]) => packing === '' || packing === PACKED[name])) {
          const path = await folder({ [`s.${format}${ending}`]: pack(content) });
          // An end without a line break is waited for in a file that was written just now.
          await utimes(join(path, `s.${format}${ending}`), 1, 1);
          const said = await read({ path });
          const at = `${name} ${ending}`;
          t.equal(errorOf(said), undefined, at);
          t.strictSame(dataOf(said), ROWS, at);
          t.strictSame(
            rejectedOf(said),
            rejected.map((one) => ({ ...one, file: `s.${format}${ending}` })),
            at,
          );
          t.equal(statesOf(said)[0].sourceStats.recordCount, ROWS.length + wanted.length, at);
          t.match(logsOf(said)[0], new RegExp(`s\\.${format}.*, line ${wanted[0]?.line}: \\S`), at);
        }
      }
    });
  }
}

t.test('lines of a file in another encoding → quarantine as UTF-8, with their line and no byte', async (t) => {
  const path = await folder({ 's.csv': Buffer.from('\uFEFFv,w\r\n1,a\r\né\r\n2,b\r\n', 'utf16le') });
  const said = await read({ path });
  t.strictSame(dataOf(said), ROWS);
  t.strictSame(rejectedOf(said), [{ raw: 'é', reason: 'row_too_short', file: 's.csv', line: 3, bytes: 2 }]);
});

t.test('a bad last line that is still written → quarantine, and its row once it is whole', async (t) => {
  for (const [name, head, half, rest] of [
    ['s.csv', 'v,w\n1,a\n', '2', ',b\n'],
    ['s.csv', 'v,w\r\n1,a\r\n', '2,"b', '"\r\n'],
    ['s.jsonl', '{"v":1,"w":"a"}\n', '{"v":2,', '"w":"b"}\n'],
  ] as const) {
    const path = await folder({ [name]: head + half });
    const file = join(path, name);
    await utimes(file, 1, 1);
    const catalog = configured(await discover({ path }));
    const first = await read({ path }, catalog);
    t.strictSame(dataOf(first), ROWS.slice(0, 1), name);
    t.match(rejectedOf(first), [{ raw: half, byte: head.length }]);
    await utimes(file, 2, 2);
    const touched = await read({ path }, catalog, statesOf(first));
    t.strictSame([dataOf(touched), rejectedOf(touched)], [[], []], 'what was seen is not rejected again');
    await appendFile(file, rest);
    await utimes(file, 3, 3);
    const second = await read({ path }, catalog, statesOf(touched));
    t.strictSame(dataOf(second), ROWS.slice(1), name);
    t.strictSame(rejectedOf(second), []);
    t.strictSame(
      Object.values(statesOf(second)[0].stream.stream_state.files),
      [{ size: (head + half + rest).length, mtime_ms: 3000, bytes: (head + half + rest).length, sha256: /./ }].map(
        (entry) => ({
          ...entry,
          sha256: Object.values<{ sha256: string }>(statesOf(second)[0].stream.stream_state.files)[0]?.sha256,
        }),
      ),
    );
  }
});

t.test('rows that were sent before the first bad line are not sent again', async (t) => {
  // More than is looked at before the first rows go out.
  const far = Array.from({ length: 60_000 }, (_, row) => `${row},${'x'.repeat(300)}\n`).join('');
  const path = await folder({ 's.csv': `v,w\n${far}bad\n60000,y\nworse\n` });
  const said = await read({ path });
  t.equal(errorOf(said), undefined);
  const seen = dataOf(said).map(({ v }) => v);
  t.equal(seen.length, 60_001);
  t.ok(seen.every((v, row) => v === row));
  t.match(rejectedOf(said), [
    { raw: 'bad', line: 60_002 },
    { raw: 'worse', line: 60_004 },
  ]);
  t.match(logsOf(said).at(-1), /s\.csv: 2 lines are no rows/);
});

const field = fc.oneof(
  fc.stringMatching(/^[a-c ]{0,3}$/),
  fc.constantFrom('"a,b"', '"a\nb"', '"a""b"', '"', '"a"b', '"a" ', 'a"b', '\u00e9', '\xff'),
);
const record = fc.array(field, { minLength: 1, maxLength: 4 }).map((fields) => fields.join(','));
t.test('rows and rejected lines of any CSV file are the records behind its header, each once', async (t) => {
  const path = await folder();
  const file = join(path, 's.csv');
  const config = { path, encoding: 'utf-8' };
  const schema = {
    properties: Object.fromEntries(['p', 'q', 'r'].map((name) => [name, { type: ['null', 'string'] }])),
  };
  const catalog = configured({ streams: [{ name: 's', json_schema: schema }] });
  await fc.assert(
    fc.asyncProperty(
      fc.array(record, { maxLength: 8 }),
      fc.constantFrom('\n', '\r\n', '\r'),
      fc.boolean(),
      async (records, lineBreak, isEnded) => {
        const body = records.map((one) => one.replaceAll('\n', lineBreak)).join(lineBreak);
        // Rows enough for the header to be theirs.
        const fill = `a,b,c${lineBreak}`.repeat(10);
        await writeFile(file, bytes(`p,q,r${lineBreak}${fill}${body}${isEnded ? lineBreak : ''}`));
        await utimes(file, 1, 1);
        const said = await read(config, catalog);
        t.equal(errorOf(said), undefined);
        const content = (await readFile(file)).toString('latin1');
        const rejected = rejectedOf(said);
        const left = rejected.reduceRight(
          (text, { byte, bytes: length }) => text.slice(0, byte) + text.slice(byte + length),
          content,
        );
        // What is left when the rejected lines are cut out are rows and empty lines alone, and reads as such.
        await writeFile(file, bytes(left));
        await utimes(file, 1, 1);
        const clean = await read(config, catalog);
        t.strictSame(rejectedOf(clean), []);
        t.strictSame(dataOf(clean), dataOf(said));
      },
    ),
    { numRuns: cases(60) },
  );
});
