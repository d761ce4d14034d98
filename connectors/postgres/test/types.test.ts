import fc from 'fast-check';
import t from 'tap';
import { configured, database, dataOf, discover, parquetRows, read, readSegments } from './kit.ts';

const RUNS = 12;
const ROWS = 40;
const BASE64 = (hex: string) => Buffer.from(hex.slice(2), 'hex').toString('base64');
const same = (text: string) => text;
const iso = (text: string) => text.replace(' ', 'T').replace(/\+00$/, 'Z');

const digits = (most: number) => fc.bigInt({ min: -(10n ** BigInt(most)) + 1n, max: 10n ** BigInt(most) - 1n });
const scaled = (precision: number, scale: number) =>
  digits(precision).map((value) => {
    const text = String(value < 0n ? -value : value).padStart(scale + 1, '0');
    const point = text.length - scale;
    return `${value < 0n ? '-' : ''}${text.slice(0, point)}${scale > 0 ? '.' : ''}${text.slice(point)}`;
  });
const pad = (value: number, length = 2) => String(value).padStart(length, '0');
const day = fc
  .tuple(
    fc.oneof(fc.integer({ min: 1, max: 9999 }), fc.integer({ min: 10_000, max: 200_000 })),
    fc.integer({ min: 1, max: 12 }),
    fc.integer({ min: 1, max: 28 }),
  )
  .map(([y, m, d]) => `${pad(y, 4)}-${pad(m)}-${pad(d)}`);
const clock = fc
  .tuple(fc.nat(23), fc.nat(59), fc.nat(59), fc.nat(999_999))
  .map(([h, m, s, us]) => `${pad(h)}:${pad(m)}:${pad(s)}.${pad(us, 6)}`);
const moment = fc.tuple(day, clock).map(([d, c]) => `${d} ${c}`);
const word = fc.string({ unit: 'binary', maxLength: 12 }).map((text) => text.replaceAll('\0', '').toWellFormed());
const double = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => (Object.is(value, -0) ? '-0' : String(value))),
  fc.constantFrom('NaN', 'Infinity', '-Infinity', '5e-324', '1.7976931348623157e308'),
);

const single = fc.float({ noNaN: true, noDefaultInfinity: true }).map(String);
/** Of 32 bits: the shortest text that is read as this number, -34530030, is as near to the next one. */
const BESIDE_A_MIDDLE = '-34530032';

type Kind = {
  readonly type: string;
  readonly value: fc.Arbitrary<string>;
  /** The values that the type of the table does not hold. */
  readonly odd?: readonly string[];
  /** What a record has for Postgres' own text. */
  readonly shown?: (text: string) => unknown;
};

/** Columns of every kind. What is compared with is always Postgres' own text of the stored value. */
const KINDS: Readonly<Record<string, Kind>> = {
  i2: { type: 'smallint', value: fc.integer({ min: -32_768, max: 32_767 }).map(String), shown: Number },
  i4: { type: 'integer', value: fc.integer().map(String), shown: Number },
  i8: { type: 'bigint', value: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String), shown: BigInt },
  f4: { type: 'real', value: fc.oneof(single, fc.constant(BESIDE_A_MIDDLE)) },
  f8: { type: 'double precision', value: double },
  n: { type: 'numeric(38, 9)', value: scaled(38, 9), odd: ['NaN'] },
  n2: { type: 'numeric(6, 2)', value: scaled(6, 2), odd: ['NaN'] },
  free: { type: 'numeric', value: fc.oneof(scaled(60, 25), fc.constantFrom('NaN', 'Infinity', '-Infinity', '1e400')) },
  b: { type: 'boolean', value: fc.constantFrom('t', 'f'), shown: (text) => text === 't' },
  d: { type: 'date', value: day, odd: ['infinity', '-infinity', '0044-03-15 BC', '4713-01-01 BC'] },
  ts: { type: 'timestamp', value: moment, odd: ['infinity', '-infinity', '0044-03-15 12:00:00.5 BC'], shown: iso },
  tz: {
    type: 'timestamptz',
    value: moment.map((text) => `${text}+05:30`),
    odd: ['infinity', '-infinity', '294276-12-31 00:00:00+00'],
    shown: iso,
  },
  tm: { type: 'time', value: clock },
  tmz: { type: 'timetz', value: clock.map((text) => `${text}-03`) },
  iv: {
    type: 'interval',
    value: fc.tuple(fc.integer({ min: -99, max: 99 }), fc.integer()).map(([m, s]) => `${m} mons ${s} secs`),
  },
  u: { type: 'uuid', value: fc.uuid() },
  by: {
    type: 'bytea',
    value: fc.uint8Array({ maxLength: 20 }).map((bytes) => `\\x${Buffer.from(bytes).toString('hex')}`),
    shown: BASE64,
  },
  tx: {
    type: 'text',
    value: fc.oneof(word, fc.constantFrom('', '\\N', '\\.', '"', ',', '\n', '\r\n', 'NULL', '\u2028')),
  },
  j: { type: 'json', value: fc.json() },
  jb: { type: 'jsonb', value: fc.constantFrom('{"a": 12345678901234567890.10}', '[]', 'null', '"x"', '1e5') },
  arr: { type: 'text[]', value: fc.constantFrom('{}', '{a,NULL,"b c","\\"q"}', '{{1,2},{3,4}}') },
  m: { type: 'money', value: fc.constantFrom('1234.5', '-1', '92233720368547758.07') },
  r: { type: 'int8range', value: fc.constantFrom('[1,5)', 'empty', '(,9223372036854775807)') },
  e: { type: 'mood', value: fc.constantFrom('glad', 'so so') },
  dom: { type: 'cents', value: scaled(10, 2), odd: ['NaN'] },
};

const names = Object.keys(KINDS);
const anyOf = ({ value, odd = [] }: Kind) =>
  fc.option(
    odd.length === 0
      ? value
      : fc.oneof({ weight: 9, arbitrary: value }, { weight: 1, arbitrary: fc.constantFrom(...odd) }),
    { freq: 6 },
  );
const row = fc.record(Object.fromEntries(Object.entries(KINDS).map(([name, kind]) => [name, anyOf(kind)])));
const quoted = (value: string | null | undefined) => (value == null ? 'NULL' : `'${value.replaceAll("'", "''")}'`);

/** Exact: numbers that no double holds are compared by their digits. */
function shownAs(name: string, text: string): unknown {
  const { shown, type } = KINDS[name] as Kind;
  if (type === 'real' || type === 'double precision') return Number.isFinite(Number(text)) ? Number(text) : text;
  return (shown ?? same)(text);
}

t.test(`every value of every type is what Postgres prints, or its text beside a mark`, async (t) => {
  const { sql, config } = await database();
  await sql(`CREATE TYPE mood AS ENUM ('glad', 'so so'); CREATE DOMAIN base_cents AS numeric(12, 2); CREATE DOMAIN cents AS base_cents;
      CREATE TABLE v (id int PRIMARY KEY, ${names.map((name) => `${name} ${KINDS[name]?.type}`).join(', ')});
      CREATE TABLE filler (LIKE v);
      CREATE VIEW odd AS SELECT *, 'infinity'::date AS always FROM v`);
  const found = await discover(config());
  const [catalog, oddCatalog] = [configured(found, {}, 'v'), configured(found, {}, 'odd')];
  const check = async (rows: Record<string, string | null>[]) => {
    const values = rows.map((one, id) => `(${[String(id), ...names.map((name) => quoted(one[name]))].join(', ')})`);
    await sql(`TRUNCATE v; INSERT INTO v VALUES ${values.join(', ')}`);
    const texts = await sql(
      `SET TimeZone = 'UTC'; SELECT id, ${names.map((name) => `${name}::text`).join(', ')} FROM v ORDER BY id`,
    );
    const said = await read(config(), catalog);
    // A row with a value that no segment holds goes as a line, which is made of the server's binary form then.
    const { said: offered, segments } = await readSegments(config(), oddCatalog);
    if (segments.length > 0) throw new Error('a segment has an infinite date');
    return checkLines(said.lines, texts) && checkLines(offered.lines, texts);
  };
  const checkLines = (lines: readonly string[], texts: readonly Record<string, string | null>[]) => {
    const byId = new Map(exactRecords(lines).map((record) => [String(record.data.id), record]));
    for (const one of texts) {
      const { data, meta } = byId.get(one.id ?? '') as {
        data: Record<string, unknown>;
        meta?: { changes: { field: string }[] };
      };
      const marked = new Set(meta?.changes.map(({ field }) => field));
      for (const name of names) {
        const text = one[name] ?? null;
        const isOdd =
          text !== null &&
          (KINDS[name]?.odd ?? []).some(
            (word) => text.startsWith(word.split(' ')[0] ?? '') && /^[a-zA-Z-]|BC$|^29427/.test(text),
          );
        if (isOdd !== marked.has(name)) throw new Error(`${name}: ${text} is ${isOdd ? 'not ' : ''}marked`);
        const expected = text === null || isOdd ? null : shownAs(name, name === 'b' ? (text.at(0) ?? '') : text);
        if (data[name] !== expected) throw new Error(`${name}: ${String(data[name])} for ${text}`);
        if (isOdd && data[`${name}__text`] !== text) throw new Error(`${name}: no text for ${text}`);
      }
    }
    return byId.size === texts.length;
  };
  await fc.assert(fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: ROWS }), check), { numRuns: RUNS });
  t.pass();
});

/** RECORDs whose integers are exact. */
function exactRecords(
  lines: readonly string[],
): { data: Record<string, unknown>; meta?: { changes: { field: string }[] } }[] {
  return lines
    .filter((line) => line.startsWith('{"type":"RECORD"'))
    .map(
      (line) =>
        JSON.parse(line, (key, value, context?: { source?: string }) =>
          key === 'i8' && value !== null ? BigInt(context?.source ?? 0) : value,
        ).record,
    );
}

t.test('segments hold the values that lines do, and rows with an odd one go as lines', async (t) => {
  const { sql, config } = await database();
  await sql(`CREATE TYPE pair AS (a int, b text); CREATE TABLE s (id int PRIMARY KEY, i8 bigint, f8 float8, n numeric(20, 4), free numeric, b bool, d date, ts timestamp, tz timestamptz,
      tm time, u uuid, bin bytea, tx text, i2 smallint, o oid, f4 real, small numeric(6, 2), middle numeric(12, 2), wide numeric(38, 9), jb jsonb, arr int[],
      pair pair, ch char(5), ip inet, often int);
    INSERT INTO s SELECT i, 9223372036854775807 - i, CASE WHEN i % 5 = 0 THEN 'NaN' ELSE 1.0 / i END, CASE WHEN i = 7 THEN 'NaN' ELSE -i / 7.0 END,
      i + 0.12345678901234567890123, i % 2 = 0, CASE WHEN i = 9 THEN '0044-03-15 BC' WHEN i = 10 THEN 'infinity' ELSE date '20240-01-01' + i END,
      timestamp '2024-02-29 23:59:59.999999' + i * interval '1 microsecond', CASE WHEN i = 11 THEN '-infinity' ELSE timestamptz '1900-01-01 00:00:00.000001+05' END,
      time '23:59:59.999999', md5(i::text)::uuid, decode(md5(i::text), 'hex'), CASE i % 4 WHEN 0 THEN NULL WHEN 1 THEN '' WHEN 2 THEN E'a,"b"\\n' ELSE repeat('x', 200) END,
      -32768 + i, 4294967295 - i, i / 8.0, i - 2000.25, (i - 2000) * 12345.67, CASE WHEN i % 9 <> 0 THEN (2000 - i) * 12345678901234567890123.000000001 END,
      CASE WHEN i % 3 <> 0 THEN jsonb_build_object('a', i, 'b', repeat('y', i % 300)) END, ARRAY[i, NULL], CASE WHEN i % 2 = 0 THEN ROW(NULL, NULL)::pair WHEN i % 3 = 0 THEN ROW(i, 'b')::pair END,
      'c' || i % 10, ('10.0.0.' || i % 250)::inet, CASE WHEN i < 2500 THEN i END
    FROM generate_series(1, 4000) i`);
  const catalog = configured(await discover(config()));
  const { said, files } = await readSegments(config(), catalog);
  const lines = dataOf(said);
  t.strictSame(
    lines.map(({ id }) => id).sort((a, b) => a - b),
    [7, 9, 10, 11],
  );
  t.match(
    lines.find(({ id }) => id === 10),
    { d: null, d__text: 'infinity' },
  );
  const list = `[${files.map((file) => `'${file}'`).join(', ')}]`;
  const found =
    await parquetRows(`SELECT id, i8::VARCHAR, f8::VARCHAR, n::VARCHAR, free, b::VARCHAR, d::VARCHAR, ts::VARCHAR, epoch_us(tz)::VARCHAR, tm::VARCHAR,
    u::VARCHAR, base64(bin), tx, i2::VARCHAR, o::VARCHAR, f4::DOUBLE::BIGINT::VARCHAR, small::VARCHAR, middle::VARCHAR, wide::VARCHAR, jb, arr, pair, ch, ip, often::VARCHAR
    FROM read_parquet(${list}) ORDER BY id`);
  const expected =
    await sql(`SELECT id, i8::text, f8::text, n::text, free::text, b::text, d::text, ts::text, (extract(epoch FROM tz) * 1000000)::bigint::text AS tz, tm::text,
    u::text, encode(bin, 'base64') AS bin, tx, i2::text, o::text, f4::float8::bigint::text, small::text, middle::text, wide::text, jb::text, arr::text, pair::text, format('%s', ch) AS ch, format('%s', ip) AS ip, often::text
    FROM s WHERE id NOT IN (7, 9, 10, 11) ORDER BY id`);
  const normal = (value: unknown) => (value === 'nan' ? 'NaN' : value);
  const mine = found.map((one) =>
    one
      .map(normal)
      .map((value, at) => (at === 2 && value !== 'NaN' ? Number(value) : at === 0 ? String(value) : value)),
  );
  const theirs = expected.map((one) =>
    Object.values(one).map((value, at) => (at === 2 && value !== 'NaN' ? Number(value) : value)),
  );
  t.equal(mine.length, theirs.length);
  const different = mine.findIndex((one, at) => JSON.stringify(one) !== JSON.stringify(theirs[at]));
  t.strictSame(mine[different], theirs[different]);
});
