import { createRouter, streamKey } from '@weir/connector-runtime';
import fc from 'fast-check';
import t from 'tap';

type Routed = {
  records: Record<string, string>;
  counts: Record<string, number>;
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
  const out: Routed = { records: {}, counts: {}, events: [] };
  const router = createRouter({
    streams: STREAMS,
    onRecords(key, lines, count) {
      out.records[key] = (out.records[key] ?? '') + Buffer.from(lines).toString('latin1');
      out.counts[key] = (out.counts[key] ?? 0) + count;
    },
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
    { numRuns: 150 },
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
    { numRuns: 300 },
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

t.test('a broken record is no log line', async (t) => {
  for (const broken of [users('{"id":1'), users('{"id":"1}'), users('{"id":1}}}}'), users('')]) {
    t.equal(routeText(`${broken}\n${good}`).error, 'malformed_record', broken);
    t.equal(routeText(`${good}${broken}\n${good}`).error, 'malformed_record', broken);
  }
});

t.test('a last line without newline counts when it is whole and tells of the cut when not', async (t) => {
  t.match(routeText(good + good.trimEnd()), { counts: { [USERS]: 2 }, truncated: false });
  t.equal(routeText(good + good.trimEnd()).records[USERS], good + good);
  t.match(routeText(good + good.slice(0, 40)), { counts: { [USERS]: 1 }, truncated: true });
  t.match(routeText(`${good}{"type":"STA`), { truncated: true });
});

t.test('a line over the limit ends the run, at the limit it does not', async (t) => {
  const length = good.length - 1;
  for (const cut of [good.length, 10]) {
    const chunks = [Buffer.from(good.slice(0, cut)), Buffer.from(good.slice(cut))];
    t.equal(route(chunks, { maxLineBytes: length - 1 }).error, 'line_too_large');
    t.match(route(chunks, { maxLineBytes: length }), { counts: { [USERS]: 1 } });
  }
  t.equal(route([Buffer.alloc(200, 'x')], { maxLineBytes: 100 }).error, 'line_too_large');
});
