import fc from 'fast-check';
import t from 'tap';
import { decodeAvroFile } from '../src/avro/avro-decode.ts';
import { encodeAvroFile } from '../src/avro/avro-encode.ts';
import type { AvroRecord, AvroSchema } from '../src/avro/avro-schema.ts';

const schema: AvroSchema = {
  type: 'record',
  name: 'row',
  fields: [
    { name: 'flag', type: 'boolean', 'field-id': 1 },
    { name: 'small', type: 'int' },
    { name: 'large', type: ['null', 'long'], default: null },
    { name: 'ratio', type: 'double' },
    { name: 'raw', type: 'bytes' },
    { name: 'text', type: ['null', 'string'], default: null },
    {
      name: 'list',
      type: { type: 'array', items: { type: 'record', name: 'kv', fields: [{ name: 'key', type: 'int' }] } },
    },
  ],
};

const row = fc.record<AvroRecord>(
  {
    flag: fc.boolean(),
    small: fc.integer(),
    large: fc.option(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })),
    ratio: fc.double(),
    raw: fc.uint8Array().map((bytes) => Buffer.from(bytes)),
    text: fc.option(fc.string({ unit: 'binary' }).map((text) => text.toWellFormed())),
    list: fc.array(fc.record({ key: fc.integer() }, { noNullPrototype: true })),
  },
  { noNullPrototype: true },
);

t.test('rows come back from an Avro file as they went in', async (t) => {
  fc.assert(
    fc.property(fc.array(row), (rows) => {
      const read = decodeAvroFile(encodeAvroFile(schema, { note: 'ü' }, rows));
      t.strictSame(read.rows, rows);
      t.equal(read.metadata.note, 'ü');
    }),
    { numRuns: 100 },
  );
});

t.test('rows of several blocks come back in order', async (t) => {
  const rows = Array.from({ length: 4001 }, (_, key) => ({ key }));
  const keys: AvroSchema = { type: 'record', name: 'r', fields: [{ name: 'key', type: 'int' }] };
  t.strictSame(decodeAvroFile(encodeAvroFile(keys, {}, rows)).rows, rows);
});

t.test('a damaged or foreign file is avro_invalid, wherever it is cut', async (t) => {
  const bytes = encodeAvroFile(schema, {}, fc.sample(row, { numRuns: 5, seed: 1 }));
  t.throws(() => decodeAvroFile(Buffer.from('PAR1')), { code: 'avro_invalid' });
  const header = bytes.length - 40;
  for (let length = header; length < bytes.length; length++) {
    t.throws(() => decodeAvroFile(bytes.subarray(0, length)), { code: 'avro_invalid' });
  }
});

/** A number as Avro writes it: the sign last, seven bits a byte. */
function varint(value: number): number[] {
  const bytes: number[] = [];
  for (let left = value * 2; ; left >>= 7) {
    if (left < 128) return [...bytes, left];
    bytes.push((left & 127) | 128);
  }
}
const sized = (text: string) => Buffer.concat([Buffer.from(varint(Buffer.byteLength(text))), Buffer.from(text)]);

t.test('a file of types that Avro does not have is avro_invalid', async (t) => {
  for (const type of ['constructor', { type: 'constructor' }, { type: '__proto__' }, { type: 'array' }, {}]) {
    const text = JSON.stringify({ type: 'record', name: 'r', fields: [{ name: 'a', type }] });
    const header = [Buffer.from('Obj\u0001'), Buffer.from(varint(1)), sized('avro.schema'), sized(text)];
    const file = Buffer.concat([...header, Buffer.alloc(1 + 16)]);
    t.throws(() => decodeAvroFile(file), { code: 'avro_invalid' }, text);
  }
});
