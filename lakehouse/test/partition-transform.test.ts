import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import t from 'tap';
import { applyTransform } from '../src/index.ts';
import { murmur3 } from '../src/partition/murmur3.ts';
import type { Transform } from '../src/partition/partition-spec.ts';
import { transformType } from '../src/partition/partition-type.ts';
import { encodeUnscaled, encodeValue } from '../src/schema/bounds.ts';
import { encodeInteger } from '../src/schema/single-value.ts';
import type { PrimitiveType } from '../src/schema/types.ts';
import { runPython } from './python.ts';

const of = (type: PrimitiveType, text: string): Buffer => encodeValue(type, text)!;

t.test('hashes are those of the specification’s table (Appendix B)', async (t) => {
  const table: [PrimitiveType, string, number][] = [
    ['int', '34', 2017239379],
    ['long', '34', 2017239379],
    ['decimal(9, 2)', '14.20', -500754589],
    ['date', '2017-11-16', -653330422],
    ['time', '22:31:08', -662762989],
    ['timestamp', '2017-11-16 22:31:08', -2047944441],
    ['timestamp', '2017-11-16 22:31:08.000001', -1207196810],
    ['timestamptz', '2017-11-16 22:31:08.000001+00', -1207196810],
    ['string', 'iceberg', 1210000089],
    ['uuid', 'f79c3e09-677c-4bbd-a479-3f349cb785e7', 1488055340],
    ['fixed[4]', '00010203', -188683207],
    ['binary', '00010203', -188683207],
  ];
  const width = 2 ** 31 - 1;
  for (const [type, text, hash] of table) {
    const bucket = applyTransform(`bucket[${width}]`, type, of(type, text));
    t.equal(bucket?.readInt32LE(), (hash & 0x7fffffff) % width, `${type} ${text}`);
  }
  t.equal(murmur3(Buffer.from('iceberg')), 1210000089);
});

t.test('values are truncated and dated as the specification’s tables say', async (t) => {
  const table: [Transform, PrimitiveType, string, string][] = [
    ['truncate[10]', 'int', '1', '0'],
    ['truncate[10]', 'int', '-1', '-10'],
    ['truncate[10]', 'long', '-1', '-10'],
    ['truncate[50]', 'decimal(9, 2)', '10.65', '10.50'],
    ['truncate[3]', 'string', 'iceberg', 'ice'],
    ['truncate[2]', 'string', '😀é!', '😀é'],
    ['truncate[3]', 'binary', '0102030405', '010203'],
    ['year', 'date', '1969-12-31', '-1'],
    ['month', 'date', '1969-12-31', '-1'],
    ['month', 'timestamp', '2017-12-01 10:12:55.038194', '575'],
    ['day', 'timestamp', '1969-12-31 23:59:59.999999', '1969-12-31'],
    ['hour', 'timestamptz', '1969-12-31 23:59:59.999999', '-1'],
    ['hour', 'timestamp', '2017-12-01 10:12:55.038194', '420034'],
    ['identity', 'string', 'as it is', 'as it is'],
  ];
  for (const [transform, type, text, wanted] of table) {
    const result = applyTransform(transform, type, of(type, text));
    t.strictSame(result, of(transformType(transform, type), wanted), `${transform} of ${text}`);
    t.equal(applyTransform(transform, type, null), null);
  }
  t.equal(applyTransform('void', 'string', of('string', 'x')), null);
});

t.test('what a transform does not take is partition_invalid', async (t) => {
  const refused: [string, PrimitiveType][] = [
    ['bucket[16]', 'double'],
    ['bucket[16]', 'boolean'],
    ['bucket[0]', 'int'],
    ['truncate[4]', 'date'],
    ['hour', 'date'],
    ['day', 'string'],
    ['zorder', 'int'],
  ];
  for (const [transform, type] of refused) {
    t.throws(() => applyTransform(transform as Transform, type, null), { code: 'partition_invalid' });
  }
});

const ORACLE = `
import sys, json
from pyiceberg.conversions import from_bytes, to_bytes
from pyiceberg.transforms import parse_transform
from pyiceberg.types import *
def kind(text):
  return NestedField.model_validate({'id': 1, 'name': 'a', 'required': False, 'type': text}).field_type
out = []
for transform, name, raw in json.load(open(sys.argv[1])):
  source, t = kind(name), parse_transform(transform)
  result = t.transform(source)(from_bytes(source, bytes.fromhex(raw)))
  target = t.result_type(source)
  out.append(to_bytes(target, result).hex())
print(json.dumps(out))`;

t.test('transforms agree with PyIceberg’s on any value', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'weir-transforms-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const long = (bits: bigint) => fc.bigInt({ min: -(2n ** (bits - 1n)), max: 2n ** (bits - 1n) - 1n });
  // PyIceberg's calendar has the years 1 to 9999.
  const [days, micros] = [1n, 86_400_000_000n].map((unit) =>
    fc.bigInt({ min: -719_162n * unit, max: 2_932_896n * unit }),
  );
  const integer = (type: PrimitiveType, values: fc.Arbitrary<bigint>) =>
    values.map((value) => [type, encodeInteger(type, value)] as const);
  const bytes = fc.uint8Array({ maxLength: 20 }).map((raw) => ['binary' as PrimitiveType, Buffer.from(raw)] as const);
  const text = fc
    .string({ unit: 'binary' })
    .map((one) => ['string' as PrimitiveType, Buffer.from(one.toWellFormed())] as const);
  const decimal = long(100n).map((value) => ['decimal(38, 4)' as PrimitiveType, encodeUnscaled(value)] as const);
  // Near the least integer a truncation wraps here and in Java, and cannot be written in PyIceberg.
  const tame = (bits: bigint) => long(bits).map((value) => value / 2n);
  const ints = [integer('int', tame(32n)), integer('long', tame(64n))];
  const dates = integer('date', days!);
  const stamps = [integer('timestamp', micros!), integer('timestamptz', micros!)];
  const uuid = fc
    .uint8Array({ minLength: 16, maxLength: 16 })
    .map((raw) => ['uuid' as PrimitiveType, Buffer.from(raw)] as const);
  const one = (transforms: readonly Transform[], values: fc.Arbitrary<readonly [PrimitiveType, Buffer]>[]) =>
    fc.tuple(fc.constantFrom(...transforms), fc.oneof(...values));
  const sized = (kind: string, widths: readonly number[]) => widths.map((width) => `${kind}[${width}]` as Transform);
  const cases = fc.oneof(
    one(sized('bucket', [1, 2, 16, 1000, 2 ** 31 - 1]), [...ints, decimal, dates, ...stamps, text, uuid, bytes]),
    one(sized('truncate', [1, 2, 7, 10, 1000]), [...ints, decimal, text, bytes]),
    one(['year', 'month', 'day'], [dates, ...stamps]),
    one(['hour', 'identity'], stamps),
  );
  const sample = fc.sample(cases, { numRuns: 4000, seed: 7 });
  const path = `${folder}/cases.json`;
  await writeFile(
    path,
    JSON.stringify(sample.map(([transform, [type, raw]]) => [transform, type, raw.toString('hex')])),
  );
  const wanted = (await runPython(ORACLE, path)) as string[];
  const wrong = sample.filter(
    ([transform, [type, raw]], at) => applyTransform(transform, type, raw)?.toString('hex') !== wanted[at],
  );
  t.strictSame(wrong, []);
  t.equal(wanted.length, 4000);
});
