import { DuckDBInstance } from '@duckdb/node-api';
import fc from 'fast-check';
import t from 'tap';
import { cases } from '../../test/lane.ts';
import { currentSchema, localPath, type PrimitiveType } from '../src/index.ts';
import { decodeUnscaled, encodeBound, encodeUnscaled, truncateBytes, truncateString } from '../src/schema/bounds.ts';
import { line, openLake } from './lake.ts';

const LONG = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
const MICROS = fc.bigInt({ min: -60_000_000_000_000_000n, max: 250_000_000_000_000_000n });
const iso = (micros: bigint): string => {
  const rest = ((micros % 1000n) + 1000n) % 1000n;
  return new Date(Number((micros - rest) / 1000n)).toISOString().slice(0, -1) + String(rest).padStart(3, '0');
};
const wellFormed = fc.string({ unit: 'binary', maxLength: 40 }).map((text) => text.toWellFormed());
// An integer that no double holds is marked as rounded, even where it is how a double prints itself.
const DOUBLE = fc
  .double({ noNaN: true, noDefaultInfinity: true })
  .filter((value) => Number.isSafeInteger(value) || !/^-?\d+$/.test(String(value)));

/** How a random value of a type is written in a line, and the SQL that turns a column into a comparable bigint. */
const EXACT: readonly [PrimitiveType, fc.Arbitrary<unknown>, (column: string) => string, (raw: Buffer) => bigint][] = [
  ['boolean', fc.boolean(), (v) => `${v}::INT`, (raw) => BigInt(raw.readUInt8())],
  ['int', fc.integer(), (v) => v, (raw) => BigInt(raw.readInt32LE())],
  ['long', LONG.map(String), (v) => v, (raw) => raw.readBigInt64LE()],
  [
    'date',
    MICROS.map((micros) => iso(micros).slice(0, 10)),
    (v) => `${v} - DATE '1970-01-01'`,
    (raw) => BigInt(raw.readInt32LE()),
  ],
  ['time', MICROS.map((micros) => iso(micros).slice(11)), (v) => `epoch_us(${v})`, (raw) => raw.readBigInt64LE()],
  ['timestamp', MICROS.map(iso), (v) => `epoch_us(${v})`, (raw) => raw.readBigInt64LE()],
  ['timestamptz', MICROS.map((micros) => `${iso(micros)}Z`), (v) => `epoch_us(${v})`, (raw) => raw.readBigInt64LE()],
  ...(['decimal(9, 2)', 'decimal(18, 4)', 'decimal(38, 9)'] as const).map(
    (type) =>
      [
        type,
        fc.integer({ min: -9_999_999, max: 9_999_999 }).map((value) => (value / 100).toFixed(2)),
        (v) => `(${v} * 10::DECIMAL(2,0) ** ${/(\d)\)$/.exec(type)?.[1]})::HUGEINT`,
        decodeUnscaled,
      ] as (typeof EXACT)[number],
  ),
];

t.test('the bounds of a written file', async (t) => {
  const lake = await openLake();
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  await connection.run("SET TimeZone = 'UTC'");
  t.teardown(async () => {
    connection.closeSync();
    await lake.close();
  });
  /** Writes rows of columns of these types, `c0` and so on; the bounds are by column. */
  const writeRows = async (types: readonly PrimitiveType[], rows: readonly (readonly unknown[])[]) => {
    const { metadata } = await lake.table(types.map((type, at) => ({ name: `c${at}`, type })));
    const lines = rows.map((values) => line(Object.fromEntries(values.map((value, at) => [`c${at}`, value]))));
    const staged = await lake.stage(metadata, currentSchema(metadata), lines.join(''));
    t.equal(staged.rowsWithErrors, 0);
    const { location = '', lower_bounds = {}, upper_bounds = {} } = staged.file ?? {};
    const bytes = (text: string | undefined) => (text === undefined ? undefined : Buffer.from(text, 'base64'));
    const query = async (sql: string) =>
      (await connection.runAndReadAll(`select ${sql} from read_parquet('${localPath(location)}')`)).getRows();
    const bounds = types.map((_, at) => ({
      lower: bytes(lower_bounds[String(at + 1)]),
      upper: bytes(upper_bounds[String(at + 1)]),
    }));
    return { bounds, query };
  };
  const write = async (type: PrimitiveType, values: readonly unknown[]) => {
    const { bounds } = await writeRows(
      [type],
      values.map((value) => [value]),
    );
    return bounds[0]!;
  };

  t.test('of an exact type are its smallest and largest value', async (t) => {
    const row = fc.tuple(...EXACT.map(([, value]) => fc.option(value)));
    const types = EXACT.map(([type]) => type);
    const sql = EXACT.flatMap(([, , of], at) => [`min(${of(`c${at}`)})::VARCHAR`, `max(${of(`c${at}`)})::VARCHAR`]);
    const expected = (text: unknown) => (text === null ? undefined : BigInt(String(text).replace(/\.0*$/, '')));
    const property = fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 30 }), async (rows) => {
      const { bounds, query } = await writeRows(types, rows);
      const [found = []] = await query(sql.join(', '));
      for (const [at, { lower, upper }] of bounds.entries()) {
        const [type, , , decode] = EXACT[at]!;
        t.equal(lower && decode(lower), expected(found[2 * at]), type);
        t.equal(upper && decode(upper), expected(found[2 * at + 1]), type);
      }
    });
    await fc.assert(property, { numRuns: 15 });
  });

  t.test('of floating types are its smallest and largest number, with zero signed outwards', async (t) => {
    const property = fc.asyncProperty(fc.array(fc.option(DOUBLE), { minLength: 1, maxLength: 30 }), async (values) => {
      const { lower, upper } = await write('double', values);
      const numbers = values.filter((value) => value !== null);
      t.equal(lower?.readDoubleLE(), numbers.length ? Math.min(...numbers) || -0 : undefined);
      t.equal(upper?.readDoubleLE(), numbers.length ? Math.max(...numbers) || 0 : undefined);
    });
    await fc.assert(property, { numRuns: cases(30) });
    const floats = await write('float', [0.5, 3.25]);
    t.strictSame([floats.lower?.readFloatLE(), floats.upper?.readFloatLE()], [0.5, 3.25]);
  });

  t.test('are left out where a column holds NaN', async (t) => {
    const { lower, upper } = await write('double', [1, 'NaN', 3]);
    t.strictSame([lower, upper], [undefined, undefined]);
  });

  t.test('of a string enclose every value in byte order', async (t) => {
    const property = fc.asyncProperty(fc.array(wellFormed, { minLength: 1, maxLength: 20 }), async (values) => {
      const { lower, upper } = await write('string', values);
      for (const value of values) {
        const bytes = Buffer.from(value);
        t.ok(lower && Buffer.compare(lower, bytes) <= 0);
        t.ok(upper === undefined || Buffer.compare(upper, bytes) >= 0);
      }
    });
    await fc.assert(property, { numRuns: cases(40) });
  });

  t.test('of a binary and a uuid enclose every value in byte order', async (t) => {
    const bytes = fc.uint8Array({ minLength: 1, maxLength: 24 }).map((raw) => Buffer.from(raw));
    const property = fc.asyncProperty(fc.array(bytes, { minLength: 1, maxLength: 10 }), async (values) => {
      const { lower, upper } = await write(
        'binary',
        values.map((value) => value.toString('base64')),
      );
      for (const value of values) {
        t.ok(lower && Buffer.compare(lower, value) <= 0);
        t.ok(upper === undefined || Buffer.compare(upper, value) >= 0);
      }
    });
    await fc.assert(property, { numRuns: cases(20) });
    const uuids = ['00000000-0000-4000-8000-000000000000', 'ffffffff-ffff-4fff-bfff-ffffffffffff'];
    const { lower, upper } = await write('uuid', uuids);
    t.strictSame(
      [lower?.toString('hex'), upper?.toString('hex')],
      uuids.map((one) => one.replaceAll('-', '')),
    );
  });
});

t.test('an unscaled decimal takes the fewest bytes and comes back', async (t) => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(10n ** 38n), max: 10n ** 38n }), (value) => {
      const bytes = encodeUnscaled(value);
      t.equal(decodeUnscaled(bytes), value);
      t.ok(bytes.length === 1 || BigInt.asIntN(8 * (bytes.length - 1), value) !== value);
    }),
  );
});

t.test('an upper bound is raised at the last place that can be raised, or left out', async (t) => {
  t.equal(truncateString('a'.repeat(16), 'upper'), 'a'.repeat(16));
  t.equal(truncateString('a'.repeat(17), 'upper'), `${'a'.repeat(15)}b`);
  t.equal(truncateString('a'.repeat(17), 'lower'), 'a'.repeat(16));
  t.equal(truncateString(`${'a'.repeat(15)}\u{10ffff}z`, 'upper'), `${'a'.repeat(14)}b`);
  t.equal(truncateString(`${'a'.repeat(15)}\ud7ffz`, 'upper'), `${'a'.repeat(15)}\ue000`);
  t.equal(truncateString('\u{10ffff}'.repeat(17), 'upper'), undefined);
  t.equal(truncateString('\u{1f600}'.repeat(17), 'lower'), '\u{1f600}'.repeat(16));
  t.equal(truncateBytes(Buffer.alloc(17, 255), 'upper'), undefined);
  t.strictSame(truncateBytes(Buffer.concat([Buffer.alloc(15, 1), Buffer.alloc(2, 255)]), 'upper')?.at(-1), 2);
});

t.test('a bound that cannot be expressed is left out', async (t) => {
  for (const text of ['infinity', '10000-01-01 00:00:00', '0044-03-15 (BC) 00:00:00']) {
    t.equal(encodeBound('timestamp', text, 'upper'), undefined, text);
  }
  t.equal(encodeBound('double', 'nan', 'lower'), undefined);
});
