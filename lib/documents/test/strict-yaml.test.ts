import assert from 'node:assert/strict';
import fc from 'fast-check';
import t from 'tap';
import { stringify } from 'yaml';
import { DocumentFault } from '../src/document-fault.ts';
import { strictJson } from '../src/strict-json.ts';
import { strictYaml } from '../src/strict-yaml.ts';

const RUNS = { numRuns: 1_000 };

const read = (text: string) => strictYaml(Buffer.from(text));

/** The code that the text is refused with, or `accepted`; nothing of the text may be in the fault. */
async function codeOf(text: string | Buffer): Promise<string> {
  try {
    await strictYaml(Buffer.from(text as string));
    return 'accepted';
  } catch (error) {
    if (!(error instanceof DocumentFault)) return 'not a fault';
    return error.cause === undefined ? error.code : 'a cause that quotes the body';
  }
}

t.test('what is no single well-formed document is malformed_yaml', async (t) => {
  const refused: Record<string, string | Buffer> = {
    'an empty body': '',
    'only a comment': '# nothing',
    'an open bracket': 'a: [1, 2',
    'an open quote': 'a: "x',
    'a tab as indentation': 'a:\n\tb: 1',
    'two documents': 'a: 1\n---\nb: 2',
    'a repeated key': 'a: 1\na: 1',
    'a repeated key in another spelling': 'a: 1\n"a": 2',
    'a key that reaches a prototype': '__proto__: {x: 1}',
    'the same inside': 'a: {"constructor": {}}',
    'NUL in escape': 'a: "\\0"',
    'NUL in a key': '"a\\0": 1',
    'half of a surrogate pair': 'a: "\\ud800"',
    'half of a pair in a key': '"\\udc00": 1',
    NUL: 'a: x\0y',
    'a control character': 'a: x\x1fy',
    'not UTF-8': Buffer.from([0x61, 0x3a, 0x20, 0xff]),
    'UTF-16': Buffer.from('\ufeffa: 1', 'utf16le'),
    'an alias of nothing': 'a: *x',
    'an unclear token': 'a: @x',
    'nesting of 65': `${'['.repeat(65)}${']'.repeat(65)}`,
  };
  for (const [what, text] of Object.entries(refused)) t.equal(await codeOf(text), 'malformed_yaml', what);
  t.equal(({} as { x?: number }).x, undefined);
});

t.test(
  'what YAML can say and JSON cannot is yaml_not_json, and a number that no double holds unsafe_number',
  async (t) => {
    const beyond: Record<string, string> = {
      infinity: 'a: .inf',
      'the negative one': 'a: -.INF',
      'not a number': 'a: .nan',
      bytes: 'a: !!binary aGVsbG8=',
      'a set': 'a: !!set {x, y}',
      'a timestamp by tag': 'a: !!timestamp 2024-01-01',
      'a local tag': 'a: !thing {x: 1}',
      'a tag that the text does not fit': 'a: !!int abc',
      'a tag of the other kind': 'a: !!seq {x: 1}',
      'a number as key': '1: x',
      'a boolean as key': 'true: x',
      'no key': ': x',
      'null as key': '? ~\n: x',
      'a sequence as key': '? [a, b]\n: x',
      'a mapping as key': '{a: 1}: x',
      'an alias as key': 'a: &k b\n*k : 1',
      'a merge key': 'a: &a {x: 1}\nb:\n  <<: *a',
      'a value that holds itself': 'a: &a [*a]',
      'the same further down': 'a: &a {b: {c: *a}}',
      'another version of the language': '%YAML 1.1\n---\na: yes',
      'a tag directive': '%TAG ! tag:example.com,2000:\n---\na: !x 1',
    };
    for (const [what, text] of Object.entries(beyond)) t.equal(await codeOf(text), 'yaml_not_json', what);
    for (const number of [
      '9007199254740993',
      '-9007199254740993',
      '0x20000000000001',
      '1e400',
      '!!int "9007199254740993"',
    ])
      t.equal(await codeOf(`a: ${number}`), 'unsafe_number', number);
  },
);

t.test('depth, size and expansion are bounded before anything recurses', async (t) => {
  const bomb = [
    'a: &a [x,x,x,x,x,x,x,x,x]',
    ...'bcdefghi'.split('').map((name, n) => {
      const earlier = `*${'abcdefgh'[n]}`;
      return `${name}: &${name} [${Array(9).fill(earlier).join(',')}]`;
    }),
  ].join('\n');
  const refused: Record<string, string> = {
    'a list in a list, 20,000 deep': '- '.repeat(20_000),
    'a flow list 500,000 deep': '['.repeat(500_000),
    'a mapping in a mapping, 1,000 deep': Array.from({ length: 1_000 }, (_, n) => `${' '.repeat(n)}a:`).join('\n'),
    'keys of keys': '? '.repeat(20_000),
    'a billion laughs': bomb,
    'a long text a thousand times': `a: &a ${'x'.repeat(10_000)}\nb: [${Array(1_000).fill('*a').join(',')}]`,
    'an alias that takes the depth past 64': `a: &a ${'['.repeat(40)}${']'.repeat(40)}\nb: ${'['.repeat(30)}*a${']'.repeat(30)}`,
    '60,000 items': `[${'1,'.repeat(60_000)}]`,
    '60,000 lines': '- 1\n'.repeat(60_000),
    'a million commas': `[${','.repeat(1_000_000)}]`,
    'a million brackets that close nothing': ']'.repeat(1_000_000),
    'half a million anchors': '& '.repeat(500_000),
  };
  for (const [what, text] of Object.entries(refused)) t.equal(await codeOf(text), 'malformed_yaml', what);
  t.strictSame(await read(`${'['.repeat(64)}${']'.repeat(64)}`), JSON.parse(`${'['.repeat(64)}${']'.repeat(64)}`));
  t.equal(((await read('- 1\n'.repeat(39_999))) as unknown[]).length, 39_999, 'the most that is read');
});

t.test('other requests get their turn while a long document is read', async (t) => {
  let turns = 0;
  let isOver = false;
  const turn = () => {
    turns += 1;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  await read('- 1\n'.repeat(39_999));
  isOver = true;
  t.ok(turns > 10, `${turns} turns`);
});

t.test('scalars keep the types of the core schema, anchors and a byte order mark are fine', async (t) => {
  t.strictSame(await read('\ufeff# a source\nname: shop\n'), { name: 'shop' });
  t.strictSame(
    await read('a: [yes, No, on, ~, null, true, FALSE, 0o17, 0x1F, 007, 1_000, 1.50, .5, 1e3, -0.1, +12, "1", 1.2.3]'),
    {
      a: ['yes', 'No', 'on', null, null, true, false, 15, 31, 7, '1_000', 1.5, 0.5, 1000, -0.1, 12, '1', '1.2.3'],
    },
  );
  t.strictSame(await read('a: !!str 5\nb: ! 5\nc: !!int "5"\nd: !!map {x: !!null ~}'), {
    a: '5',
    b: '5',
    c: 5,
    d: { x: null },
  });
  t.strictSame(await read('a: |\n  x\n  y\nb: >-\n  x\n  y\nc: "\\u00e9\\n"\nd:\n'), {
    a: 'x\ny\n',
    b: 'x y',
    c: 'é\n',
    d: null,
  });
  t.strictSame(await read('%YAML 1.2\n---\na: 1\n...\n'), { a: 1 });
  t.strictSame(await read('"<<": 1'), { '<<': 1 }, 'a quoted key is a key');
  t.strictSame(
    await read('a: &x {k: &y 1}\nb: *x\nc: &y 2\nd: *x\ne: *y'),
    { a: { k: 1 }, b: { k: 1 }, c: 2, d: { k: 1 }, e: 2 },
    'an alias means the newest anchor before it',
  );
});

t.test('any JSON document that strictJson reads says the same as YAML', async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.jsonValue({ maxDepth: 6 }), async (value) => {
      const json = JSON.stringify(value);
      fc.pre(!/"(__proto__|constructor|prototype)":|\\u(0000|d[89a-f])/.test(json));
      const expected = outcome(() => strictJson(Buffer.from(json)));
      fc.pre(expected !== 'unsafe_number');
      // The printer leaves `<<` bare, which asks for a merge.
      const keys = json.includes('"<<":') ? 'QUOTE_DOUBLE' : 'PLAIN';
      assert.deepEqual(await read(stringify(JSON.parse(json), { defaultKeyType: keys })), expected);
      assert.deepEqual(await read(json), expected, 'JSON is YAML');
    }),
    RUNS,
  );
  t.pass('holds');
});

const outcome = (work: () => unknown): unknown => {
  try {
    return work();
  } catch (error) {
    return (error as DocumentFault).code;
  }
};

const dateParts = fc.record({
  day: fc.date({ min: new Date('0000-01-01T00:00:00Z'), max: new Date('9999-12-31T23:59:59Z'), noInvalidDate: true }),
  fraction: fc.constantFrom('', '.5', '.123456'),
  offset: fc.constantFrom('', 'Z', '+05:30', '-11:00'),
});

t.test(
  'an unquoted date stays a date, a datetime keeps its offset and gets a T; quoted ones are left alone',
  async (t) => {
    await fc.assert(
      fc.asyncProperty(
        dateParts,
        fc.constantFrom('T', 't', ' ', '  \t'),
        async ({ day, fraction, offset }, between) => {
          const [date = '', time = ''] = day.toISOString().split(/[T.]/);
          const written = `${date}${between}${time}${fraction}${offset}`;
          const iso = `${date}T${time}${fraction}${offset}`;
          const document = await read(
            `d: ${date}\nt: ${written}\nl: [{t: ${written}}]\nq: "${written}"\ns: !!str ${written}`,
          );
          assert.deepEqual(document, { d: date, t: iso, l: [{ t: iso }], q: written, s: written });
        },
      ),
      RUNS,
    );
    t.strictSame(await read('[2024-1-5 3:04:05 Z, 2024-01-05 3:04:05. +5, 2024-01-05T03:04:05 -3:30]'), [
      '2024-01-05T03:04:05Z',
      '2024-01-05T03:04:05+05:00',
      '2024-01-05T03:04:05-03:30',
    ]);
    const asWritten = ['2024-02-30 10:00:00', '2024-01-01 24:00:00', '2024-01-01 10:60:00', '2024-13-01', '2024-1-5'];
    t.strictSame(await read(`[${asWritten.join(', ')}]`), asWritten, 'what is no time of the calendar');
    t.strictSame(
      await read('2024-01-01: 1\n2024-01-01 10:00:00: 2'),
      { '2024-01-01': 1, '2024-01-01T10:00:00': 2 },
      'as keys',
    );
  },
);
