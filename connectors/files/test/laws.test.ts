import { gzipSync, zstdCompressSync } from 'node:zlib';
import { parseExact } from '@weir/connector-sdk';
import fc from 'fast-check';
import t from 'tap';
import { cases } from '../../../test/lane.ts';
import { factsSchema } from '../src/columns/column-type.ts';
import { decodeText } from '../src/decode-text.ts';
import { encodingSniffer } from '../src/encoding-sniffer.ts';
import { noteFacts, type SeenFacts } from '../src/json-columns.ts';
import { documentFrames, type Frame, lineFrames } from '../src/json-frames.ts';
import { endingsOf } from '../src/source-file.ts';
import { unpack } from '../src/unpack.ts';

const RUNS = { numRuns: cases(1000) };
const cuts = fc.array(fc.nat(), { maxLength: 8 });

/** The bytes in pieces, cut anywhere. */
async function* pieces(bytes: Buffer, where: readonly number[]): AsyncGenerator<Buffer> {
  const ends = [...new Set(where.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
  let at = 0;
  for (const end of [...ends, bytes.length]) {
    if (end > at) yield bytes.subarray(at, end);
    at = Math.max(at, end);
  }
}
const joined = async (source: AsyncIterable<Buffer>) => Buffer.concat(await Array.fromAsync(source));

const numeral = fc.oneof(
  fc.bigInt({ min: -(2n ** 80n), max: 2n ** 80n }).map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
  fc.constantFrom('0.10', '1E400', '-0', '1.0', '0.1234567890123456789'),
);
const text = fc.string({ unit: 'binary' }).map((value) => JSON.stringify(value));
const space = fc.constantFrom('', ' ', '\n', '\r\n', '\t \n');
/** An object's text with any values, numbers and white space. */
const documentText = fc
  .array(fc.tuple(text, fc.oneof(numeral, text, fc.json({ maxDepth: 2 }), fc.constant('null')), space), {
    maxLength: 5,
  })
  .map((members) => `{${members.map(([name, value, gap]) => `${gap}${name}${gap}:${value}${gap}`).join(',')}}`);

const textOfFrame = ({ bytes, line, byte, isOpen }: Frame) => ({ text: String(bytes), line, byte, isOpen });

t.test('the documents of a JSON file come with their own text and line, wherever its bytes are cut', async (t) => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(documentText, { minLength: 1, maxLength: 5 }),
      fc.boolean(),
      space,
      cuts,
      async (texts, list, gap, where) => {
        const whole = list ? `${gap}[${texts.join(`${gap},${gap}`)}]${gap}` : `${gap}${texts.join(gap)}${gap}`;
        const frames = (await Array.fromAsync(documentFrames(pieces(Buffer.from(whole), where)))).map(textOfFrame);
        let at = 0;
        const expected = texts.map((one) => {
          at = whole.indexOf(one, at);
          const line = whole.slice(0, at).split('\n').length;
          const byte = Buffer.byteLength(whole.slice(0, at));
          at += one.length;
          return { text: one, line, byte, isOpen: false };
        });
        t.strictSame(frames, expected);
      },
    ),
    RUNS,
  );
});

t.test('the lines of a JSONL file come whole with their numbers, wherever its bytes are cut', async (t) => {
  const line = fc.oneof(
    documentText.map((one) => one.replaceAll(/[\r\n]/g, ' ')),
    fc.constant(''),
    fc.constant(' \r'),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(line, { maxLength: 6 }), fc.boolean(), cuts, async (lines, ended, where) => {
      const whole = lines.join('\n') + (ended ? '\n' : '');
      const frames = await Array.fromAsync(lineFrames(pieces(Buffer.from(whole), where), { byte: 0, line: 1 }));
      const last = lines.length - 1;
      let next = 0;
      t.strictSame(
        frames.map(textOfFrame),
        lines.flatMap((one, index) => {
          const byte = next;
          next += Buffer.byteLength(one) + 1;
          return one.trim() === '' ? [] : [{ text: one, line: index + 1, byte, isOpen: !ended && index === last }];
        }),
      );
    }),
    RUNS,
  );
});

t.test(
  'every cut of a JSON file that is not its end is told as cut short or broken, never as fewer rows',
  async (t) => {
    await fc.assert(
      fc.asyncProperty(fc.array(documentText, { minLength: 1, maxLength: 4 }), fc.nat(), async (texts, cut) => {
        const whole = Buffer.from(`[${texts.join(',')}]`);
        const part = whole.subarray(0, cut % whole.length);
        const last = (await Array.fromAsync(documentFrames(pieces(part, [])))).at(-1);
        t.match(last, { reason: 'truncated', isOpen: true });
      }),
      { numRuns: cases(200) },
    );
  },
);

const digits = (number: string) =>
  number
    .replace(/[eE].*/, '')
    .replaceAll(/[.-]/g, '')
    .replaceAll(/^0+|0+$/g, '');
t.test('columns do not depend on the order of the documents, and hold each of them', async (t) => {
  const document = fc.dictionary(
    fc.constantFrom('a', 'b'),
    fc.oneof(numeral, fc.constantFrom('true', '"x"', '[]', '{}', 'null')),
  );
  const textOf = (value: Record<string, string>) =>
    `{${Object.entries(value)
      .map(([name, one]) => `"${name}":${one}`)
      .join(',')}}`;
  fc.assert(
    fc.property(fc.array(document, { minLength: 1, maxLength: 6 }), (documents) => {
      const columns = (some: readonly Record<string, string>[]) => {
        const seen: SeenFacts = new Map();
        for (const one of some) noteFacts(seen, parseExact(textOf(one)) as Record<string, unknown>, textOf(one));
        return Object.fromEntries([...seen].map(([name, facts]) => [name, factsSchema(facts)]));
      };
      const found = columns(documents);
      t.same(columns(documents.toReversed()), found);
      for (const [name, one] of documents.flatMap((value) => Object.entries(value))) {
        const type = found[name]?.weir_type;
        if (one === 'null') continue;
        if (type === 'long') t.equal(BigInt.asIntN(64, BigInt(one)), BigInt(one));
        if (type === 'double') t.equal(digits(String(Number(one))), digits(one));
        if (type === 'boolean') t.equal(one, 'true');
      }
    }),
    RUNS,
  );
});

t.test('a packed file unpacks to what was packed, whatever its members and wherever its bytes are cut', async (t) => {
  const parts = fc.array(fc.string({ maxLength: 400 }), { minLength: 1, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(parts, fc.constantFrom('gzip' as const, 'zstd' as const), cuts, async (texts, packing, where) => {
      const packed = texts.map((one) => (packing === 'gzip' ? gzipSync(one) : zstdCompressSync(one)));
      // Cuts that lie between members, too: a reader may stop there for another reason.
      const ends = packed.map((_, index) => packed.slice(0, index + 1).reduce((sum, { length }) => sum + length, 0));
      const source = pieces(Buffer.concat(packed), [...where, ...ends.filter((_, index) => where.includes(index))]);
      t.equal(String(await joined(unpack(source, packing, 'a'))), texts.join(''));
    }),
    RUNS,
  );
});

t.test('an encoding is the same wherever the bytes are cut, and text in it is kept', async (t) => {
  const encoding = (source: readonly Buffer[]) => {
    const sniffer = encodingSniffer();
    for (const piece of source) sniffer.push(piece);
    return sniffer.answer();
  };
  const encoded = fc
    .tuple(fc.string({ unit: 'grapheme', minLength: 1 }), fc.constantFrom('utf8', 'utf16le', 'latin1'))
    .map(([value, kind]) => Buffer.from(kind === 'utf16le' ? `\uFEFF${value}` : value, kind as BufferEncoding));
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(
        encoded,
        fc.uint8Array().map((bytes) => Buffer.from(bytes)),
      ),
      cuts,
      async (bytes, where) => {
        const cut = await Array.fromAsync(pieces(bytes, where));
        const found = encoding([bytes]);
        t.strictSame(encoding(cut), found);
        if (found.encoding !== 'utf-16le') return;
        const decoded = await joined(decodeText(pieces(bytes, where), found.encoding, 'a')).catch(() => undefined);
        if (decoded !== undefined) t.equal(decoded.toString(), bytes.toString('utf16le').slice(1));
      },
    ),
    RUNS,
  );
});

t.test('endings say format, packing and the name before them', async (t) => {
  for (const [name, stem, format, packing] of [
    ['a.csv', 'a', 'csv', undefined],
    ['x/y.z/a.b.CSV.GZ', 'a.b', 'csv', 'gzip'],
    ['a.ndjson.zst', 'a', 'jsonl', 'zstd'],
    ['a.json', 'a', 'json', undefined],
    ['a.gz', 'a', undefined, 'gzip'],
    ['a.txt', 'a', undefined, undefined],
    ['csv', 'csv', undefined, undefined],
    ['a.constructor', 'a', undefined, undefined],
  ] as const) {
    t.strictSame(endingsOf(name), { stem, format, packing }, name);
  }
});
