import fc from 'fast-check';

/** A token as it stands in a line, and what a column of each type makes of it. */
const NUMBERS = [
  '0',
  '-1',
  '12',
  '1.5',
  '-0.5',
  '1e2',
  '1E-3',
  '100000000000000000000',
  '9007199254740993',
  '-9007199254740993',
  '9223372036854775807',
  '9223372036854775808',
  '123456789012345678901234567890',
  '12345678901234567890.123',
  '0.1234567890123456789',
  '1.00000000000000000001',
  '0.10000000000000000555',
  '1e400',
  '1e-400',
  '99999999999999999999.5',
  '0.1',
  '1.10',
  '123456.7891',
  '123456.78915',
  '1e16',
  '1e22',
  '1.7976931348623157e308',
  '5e-324',
  '123456789.123456789e-3',
];
const TEXTS = [
  '',
  'x',
  'true',
  ' 12',
  '12',
  '-1',
  '1.5',
  '1_0',
  '0x1F',
  '2024-02-30',
  '2024-02-29',
  '20240-01-01',
  'ü😀',
  'a\\b"c',
  'null',
  'NaN',
  'Infinity',
  '\u0000',
  '\u2028',
  '2024-01-01T00:00:00+02:00',
  '2024-01-01T00:00:00',
  '2024-01-01T00:00:00.123456789Z',
  '20240-01-01T00:00:00Z',
  'epoch',
  '{"a":1}',
];

const scalar = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(...NUMBERS) },
  { weight: 5, arbitrary: fc.constantFrom(...TEXTS).map((text) => JSON.stringify(text)) },
  { weight: 1, arbitrary: fc.string().map((text) => JSON.stringify(text.toWellFormed())) },
  { weight: 1, arbitrary: fc.double({ noNaN: true, noDefaultInfinity: true }).map(String) },
  { weight: 1, arbitrary: fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }).map(String) },
  { weight: 2, arbitrary: fc.constantFrom('true', 'false', 'null') },
);
const token = fc.oneof(
  { weight: 8, arbitrary: scalar },
  { weight: 1, arbitrary: fc.array(scalar, { maxLength: 3 }).map((all) => `[${all.join(', ')}]`) },
  {
    weight: 1,
    arbitrary: fc
      .array(fc.tuple(fc.constantFrom('p', 'q', 'r'), scalar), { maxLength: 2 })
      .map((all) => `{${[...new Map(all)].map(([name, value]) => `"${name}":${value}`).join(',')}}`),
  },
);

export const COLUMNS = ['l', 'd', 'm', 's', 't', 'b', 'day'] as const;
const member = fc.tuple(
  fc.oneof(
    { weight: 20, arbitrary: fc.constantFrom(...COLUMNS) },
    { weight: 1, arbitrary: fc.constantFrom('L', 'u', 'ü') },
  ),
  token,
);
const good = fc
  .uniqueArray(member, { selector: ([name]) => name, maxLength: 7 })
  .map(
    (all) =>
      `{"record":{"data":{${all.map(([name, value]) => `"${name}":${value}`).join(',')}},"emitted_at":1700000000123}}`,
  );

const BROKEN = ['\\ud800', '\\udc00x', '\\ud83d\\ud83d'].map(
  (text) => `{"record":{"data":{"s":"${text}"},"emitted_at":1}}`,
);
const oddities = fc.constantFrom(
  ...BROKEN,
  '{"record":{"data":{"s":"a","s":"b"},"emitted_at":1}}',
  '{"record":{"data":{"u":1,"u":2},"emitted_at":1}}',
  '{"record":{"data":{},"data":{},"emitted_at":1}}',
  '{"record":{"data":null,"emitted_at":1}}',
  '{"record":{}}',
  '{}',
  '[]',
  '5',
  'null',
  'hello',
  '{"record":{"data":{"d":NaN,"s":Infinity,"l":-Infinity},"emitted_at":1}}',
  '{"record":{"data":{"s":"x"},"emitted_at":"soon"}}',
);

const whole = good.map((text) => Buffer.from(text));
const anything = fc.oneof(
  { weight: 12, arbitrary: whole },
  { weight: 2, arbitrary: oddities.map((text) => Buffer.from(text)) },
  {
    weight: 2,
    arbitrary: fc.tuple(good, fc.nat(), fc.integer({ min: 0, max: 255 })).map(([text, at, byte]) => {
      const bytes = Buffer.from(text);
      bytes[at % bytes.length] = byte === 10 ? 32 : byte;
      return bytes;
    }),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(good, fc.nat()).map(([text, at]) => Buffer.from(text).subarray(0, 1 + (at % text.length))),
  },
);

/** Lines as bytes without a line break: sometimes only good ones, else of all kinds, some with a byte changed. */
export const spool: fc.Arbitrary<Buffer[]> = fc.oneof(
  fc.array(whole, { minLength: 1, maxLength: 20, size: 'large' }),
  fc.array(anything, { minLength: 1, maxLength: 40, size: 'large' }),
);
