import { createRouter, streamKey } from '@weir/connector-runtime';
import { recordEnvelope } from '@weir/connector-sdk';
import fc from 'fast-check';
import t from 'tap';
import { cases } from '../../../test/lane.ts';
import { hasShape, learnShape } from '../src/line-shape.ts';

type Routed = {
  records: Record<string, string>;
  counts: Record<string, number>;
  oversized?: string[];
  events: string[];
  error?: string;
  truncated?: boolean;
};
const STREAMS = [
  { name: 'users' },
  { name: 'orders' },
  { name: 'orders', namespace: 'shop' },
  { name: 'orders', namespace: 'bank' },
  { name: 'é"\\' },
];

/** Routes the chunks and writes down everything that came out, in order. */
function route(chunks: readonly Uint8Array[], options: { maxLineBytes?: number } = {}): Routed {
  const out: Routed = { records: {}, counts: {}, oversized: [], events: [] };
  const router = createRouter({
    streams: STREAMS,
    onRecords(key, lines, count) {
      out.records[key] = (out.records[key] ?? '') + Buffer.from(lines).toString('latin1');
      out.counts[key] = (out.counts[key] ?? 0) + count;
    },
    onOversized: (key, head) => out.oversized?.push(`${key} after ${out.counts[key] ?? 0}: ${Buffer.from(head)}`),
    onMessage: (message, line) => out.events.push(`${message.type} ${Object.values(out.counts).join()} ${line}`),
    onLogLine: (text) => out.events.push(`log ${text}`),
    ...options,
  });
  try {
    for (const chunk of chunks) router.push(chunk);
    out.truncated = router.end().truncated;
  } catch (error) {
    return { records: {}, counts: {}, events: [], error: (error as { code: string }).code };
  }
  return out;
}
const routeText = (text: string, options?: { maxLineBytes?: number }) => route([Buffer.from(text)], options);

const stream = fc.constantFrom<{ name: string; namespace?: string | null }>(
  { name: 'users' },
  { name: 'users', namespace: null },
  { name: 'users', namespace: '' },
  { name: 'users', namespace: 'users' },
  { name: 'orders' },
  { name: 'orders', namespace: 'shop' },
  { name: 'orders', namespace: 'bank' },
  { name: 'é"\\' },
);
const data = fc.dictionary(fc.string({ unit: 'grapheme', maxLength: 4 }), fc.jsonValue({ maxDepth: 2 }), {
  maxKeys: 4,
});
/** The order of stream, data, emitted_at, namespace and meta: those that serialisers use, and any other. */
const keyOrder: fc.Arbitrary<readonly number[]> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.constantFrom([0, 1, 2, 3], [0, 1, 2], [3, 0, 1, 2], [0, 3, 1, 2], [0, 1, 3, 4, 2], [0, 1, 4, 2]),
  },
  { weight: 1, arbitrary: fc.shuffledSubarray([0, 1, 2, 3, 4], { minLength: 5 }) },
);
/** A RECORD line in some key order and either spacing, beside the key that it must be routed to. */
const record = fc
  .record({ stream, data, order: keyOrder, swap: fc.integer({ max: 9, min: 0 }), spaced: fc.boolean() })
  .map(({ stream: of, data: value, order, swap, spaced }) => {
    const named = order.includes(3) ? of : { name: of.namespace ? 'users' : of.name };
    const members: [string, unknown][] = [
      ['stream', named.name],
      ['data', value],
      ['emitted_at', 1700000000000],
      ['namespace', named.namespace],
      ['meta', {}],
    ];
    const inner = Object.fromEntries(order.map((index) => members[index] ?? ['', undefined]));
    const whole = swap === 0 ? { record: inner, type: 'RECORD' } : { type: 'RECORD', record: inner };
    // Once through JSON, so that a namespace of undefined is an absent one.
    const line = JSON.parse(JSON.stringify(whole)) as unknown;
    return { line: spaced ? spacedJson(line) : JSON.stringify(line), key: streamKey(named) };
  });
/** As a serialiser with spaces after colons and commas writes it. */
function spacedJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spacedJson).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([key, inner]) => `${JSON.stringify(key)}: ${spacedJson(inner)}`)
    .join(', ')}}`;
}
const other = fc.constantFrom(
  '{"type":"STATE","state":{"type":"STREAM","stream":{"stream_descriptor":{"name":"users"}}}}',
  '{"type": "LOG", "log": {"level": "INFO", "message": "\\"type\\":\\"RECORD\\""}}',
  'plain text',
  '{"no":"type"}',
  '',
  '   ',
  '{broken',
  '[1,2]',
);
const newline = fc.constantFrom('\n', '\r\n');
const output = fc.array(
  fc.tuple(
    fc.oneof(
      record,
      other.map((line) => ({ line, key: undefined })),
    ),
    newline,
  ),
  { maxLength: 40 },
);

t.test('however the same bytes are cut into chunks, they are routed the same', async (t) => {
  fc.assert(
    fc.property(output, fc.boolean(), fc.boolean(), fc.array(fc.nat()), (lines, mark, closed, cuts) => {
      const text = lines.map(([{ line }, end]) => line + end).join('');
      const bytes = Buffer.from((mark ? '\uFEFF' : '') + (closed ? text : text.trimEnd()));
      const places = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
      const chunks = [0, ...places].map((from, index) => bytes.subarray(from, places[index] ?? bytes.length));
      const whole = route([bytes]);
      t.strictSame(route(chunks), whole);
      t.strictSame(route([...bytes].map((byte) => Uint8Array.of(byte))), whole);
    }),
    { numRuns: cases(150) },
  );
});

t.test('every record reaches its stream as the bytes it came in, whatever order its keys have', async (t) => {
  fc.assert(
    fc.property(fc.array(record, { maxLength: 40, size: 'max' }), (lines) => {
      const { records } = routeText(lines.map(({ line }) => `${line}\n`).join(''));
      const expected = Map.groupBy(lines, ({ key }) => key);
      t.strictSame(
        records,
        Object.fromEntries(
          [...expected].map(([key, own]) => [
            key,
            Buffer.from(own.map(({ line }) => `${line}\n`).join('')).toString('latin1'),
          ]),
        ),
      );
    }),
    { numRuns: cases(300) },
  );
});

const users = (rest: string) => `{"type":"RECORD","record":{"stream":"users","data":${rest}`;
const good = `${users('{"id":1}')},"emitted_at":1}}\n`;
const USERS = streamKey({ name: 'users' });

t.test('a message comes after all records before it', async (t) => {
  t.match(routeText(`${good}${good}{"type":"STATE","state":{}}\n${good}`).events, [
    'STATE 2 {"type":"STATE","state":{}}',
  ]);
});

t.test('lines that name their file are known by their shape, unless the name has a quote', (t) => {
  const lineOf = (file: string): Buffer => {
    const { prefix, suffix } = recordEnvelope({ name: 'users' }, 5, { file });
    return Buffer.from(`${prefix}{"id":1}${suffix}`.trimEnd());
  };
  const shapeOf = (bytes: Buffer) => learnShape({ bytes, start: 0, end: bytes.length }, USERS, true);
  const line = lineOf('2026/ä.csv');
  const shape = shapeOf(line);
  t.ok(shape && hasShape(shape, line, 0, line.length));
  const other = lineOf('2026/b.csv');
  t.notOk(shape && hasShape(shape, other, 0, other.length));
  t.equal(shapeOf(lineOf('a".csv')), undefined);
  t.equal(routeText(`${lineOf('a".csv')}\n`).records[USERS], `${lineOf('a".csv')}\n`);
  t.end();
});

t.test('values that JSON.parse refuses or damages pass as they are', async (t) => {
  const odd = [
    '{"a":NaN}',
    '{"a":-Infinity}',
    '{"a":123456789012345678901234567890}',
    '{"a":"\\ud800"}',
    '{"a":"\u2028\\u0000"}',
  ];
  const text = odd.map((value) => `${users(value)},"meta":null,"emitted_at":1}}\n`).join('');
  t.equal(routeText(text).records[USERS], Buffer.from(text).toString('latin1'));
});

t.test('a namespace behind the data is heeded, even when lines without one were seen', async (t) => {
  t.equal(routeText(`${good}${users('{"id":2}')},"emitted_at":1,"namespace":"other"}}\n`).error, 'protocol_violation');
  t.equal(routeText(`${good}${users('{"id":2}')},"namespace":"other","emitted_at":1}}\n`).error, 'protocol_violation');
});

t.test('a record of a stream that is not configured ends the run', async (t) => {
  t.equal(
    routeText('{"type":"RECORD","record":{"stream":"ghosts","data":{},"emitted_at":1}}\n').error,
    'protocol_violation',
  );
  t.equal(routeText('{"type":"RECORD","record":{"data":{},"emitted_at":1}}\n').error, 'protocol_violation');
});

t.test('a broken record goes on as it is where its stream shows, and is counted', async (t) => {
  const broken = [users('{"id":1'), users('{"id":"1}'), users('{"id":1}}}}'), users(''), users('\uFFFD{')];
  for (const line of [...broken, '{"record":{"stream":"users","data":{"id":1"}},"type":"RECORD"}']) {
    for (const text of [`${line}\n${good}`, `${good}${line}\r\n${good}`]) {
      t.match(routeText(text), { records: { [USERS]: Buffer.from(text).toString('latin1') }, events: [] }, line);
      t.equal(routeText(text).counts[USERS], text.split('\n').length - 1);
    }
  }
});

t.test('a broken record is never a log line: where its stream does not show, the run ends', async (t) => {
  const nobody = '{"type":"RECORD","record":{"data":{"id":1';
  const stranger = '{"type":"RECORD","record":{"stream":"ghosts","data":{"id":1';
  const anyOfThree = '{"type":"RECORD","record":{"stream":"orders","data":{"id":1';
  const inData = '{"type":"RECORD","record":{"data":{"stream":"users';
  for (const broken of [nobody, stranger, anyOfThree, inData]) {
    t.equal(routeText(`${broken}\n${good}`).error, 'malformed_record', broken);
    t.equal(routeText(`${good}${broken}\n${good}`).error, 'malformed_record', broken);
  }
  const shop = '{"type":"RECORD","record":{"namespace":"shop","stream":"orders","data":{"id":1';
  t.match(routeText(`${shop}\n`).counts, { [streamKey({ name: 'orders', namespace: 'shop' })]: 1 });
});

t.test(
  'however lines are broken and cut into chunks, each of them is a row of its stream or ends the run',
  async (t) => {
    const broken = fc
      .tuple(fc.constantFrom(good.trimEnd(), users('{"a":"x'), '{"type":"STATE"'), fc.uint8Array(), fc.nat())
      .map(([line, noise, place]) => {
        const at = place % (line.length + 1);
        const bytes = [...Buffer.from(line.slice(0, at)), ...noise, ...Buffer.from(line.slice(at))];
        return Buffer.from(bytes.filter((byte) => byte !== 10 && byte !== 13));
      });
    fc.assert(
      fc.property(fc.array(broken, { maxLength: 5 }), fc.array(fc.nat(), { maxLength: 4 }), (lines, cuts) => {
        const bytes = Buffer.concat(lines.flatMap((line) => [line, Buffer.from('\n')]));
        const places = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
        const whole = route([bytes]);
        t.strictSame(route([0, ...places].map((from, index) => bytes.subarray(from, places[index]))), whole);
        if (whole.error !== undefined) return;
        const rows = Object.values(whole.records).join('').split('\n').length - 1;
        const said = whole.events.filter((event) => !event.startsWith('log ')).length;
        t.equal(
          Object.values(whole.counts).reduce((sum, count) => sum + count, 0),
          rows,
        );
        t.ok(rows + said <= lines.length);
      }),
      { numRuns: 1000 },
    );
  },
);

t.test('a last line without newline counts when it is whole and tells of the cut when not', async (t) => {
  t.match(routeText(good + good.trimEnd()), { counts: { [USERS]: 2 }, truncated: false });
  t.equal(routeText(good + good.trimEnd()).records[USERS], good + good);
  t.match(routeText(good + good.slice(0, 40)), { counts: { [USERS]: 1 }, truncated: true });
  t.match(routeText(`${good}{"type":"STA`), { truncated: true });
});

t.test('a record over the limit is let go and told of in its place; at the limit it is a row', async (t) => {
  const limit = good.length - 1;
  const large = good.replace('"id":1', '"id":12');
  const text = `${good}${large}${good}`;
  for (const size of [1, 7, limit + 1, text.length]) {
    const chunks = Array.from({ length: Math.ceil(text.length / size) }, (_, index) =>
      Buffer.from(text.slice(index * size, (index + 1) * size)),
    );
    const routed = route(chunks, { maxLineBytes: limit });
    const oversized = [`${USERS} after 1: ${large.slice(0, limit)}`];
    t.match(routed, { counts: { [USERS]: 2 }, oversized, events: [] }, `chunks of ${size}`);
    t.equal(routed.records[USERS], good + good);
  }
  t.match(routeText(large.replace('\n', '\r\n'), { maxLineBytes: limit + 1 }), { counts: { [USERS]: 1 } });
  t.match(routeText(good + large.trimEnd(), { maxLineBytes: limit }), { counts: { [USERS]: 1 }, truncated: true });
});

t.test('a line over the limit that shows no stream ends the run', async (t) => {
  const length = good.length - 1;
  t.equal(route([Buffer.alloc(200, 'x')], { maxLineBytes: 100 }).error, 'line_too_large');
  t.equal(routeText(`${'x'.repeat(200)}\n`, { maxLineBytes: 100 }).error, 'line_too_large');
  t.equal(routeText(good.replace('users', 'ghosts'), { maxLineBytes: length - 1 }).error, 'line_too_large');
  t.equal(routeText(`{"type":"LOG","log":"${good}"}\n`, { maxLineBytes: length }).error, 'line_too_large');
});
