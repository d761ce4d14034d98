import fc from 'fast-check';
import t from 'tap';
import { binaryText } from '../src/segment/binary-text.ts';
import { database } from './kit.ts';

const RUNS = 20;
const NUMBERS = 2_000;

/** Numbers of a few bits behind the point: many of them lie in the middle between two texts of their length. */
const beside = fc
  .tuple(fc.integer({ min: 1, max: 2 ** 24 - 1 }), fc.integer({ min: 0, max: 12 }), fc.boolean())
  .map(([bits, places, isBelow]) => ((isBelow ? -1 : 1) * bits) / 2 ** places);
const single = fc.oneof(beside, fc.float({ noNaN: true, noDefaultInfinity: true }));

/** The text that is made of the binary form of a number of 32 bits. */
function textOf(value: number): string {
  const bytes = Buffer.alloc(4);
  bytes.writeFloatBE(value);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  return binaryText('float', false, { bytes, view }, 0, bytes.length);
}

t.test('the text of a real is read as the number that the text of Postgres is read as', async (t) => {
  const { sql } = await database();
  const check = async (values: readonly number[]) => {
    // Through a number of 64 bits, which names one of 32 bits without rounding.
    const list = values.map((value) => `(${Object.is(value, -0) ? "'-0'" : value}::float8::real)`);
    const texts = await sql(`SELECT v::text FROM (VALUES ${list.join(', ')}) AS list (v)`);
    values.forEach((value, at) => {
      const [own, theirs] = [textOf(value), texts[at]?.v];
      if (!Object.is(Number(own), Number(theirs))) throw new Error(`${own} for ${theirs}`);
    });
    return texts.length === values.length;
  };
  const numbers = fc.array(single, { minLength: 1, maxLength: NUMBERS, size: 'max' });
  await fc.assert(fc.asyncProperty(numbers, check), { numRuns: RUNS });
  t.pass();
});
