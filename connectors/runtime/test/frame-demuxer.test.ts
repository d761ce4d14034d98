import { Readable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import t from 'tap';
import { demuxFrames } from '../src/container/frame-demuxer.ts';

const [STDOUT, STDERR] = [1, 2] as const;
const HEADER_BYTES = 8;
const FRAME_BYTES = 32 * 1024;
/** More than is ever held: the bound on what is unread, what the source reads ahead, and a frame. */
const HELD_BYTES = 1024 * 1024;
const FLOOD_BYTES = 64 * 1024 * 1024;
const TURNS = 200;

function frame(kind: number, content: Uint8Array): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  header[0] = kind;
  header.writeUInt32BE(content.length, 4);
  return Buffer.concat([header, content]);
}

async function read(chunks: readonly Buffer[]) {
  const errors: Buffer[] = [];
  const { stdout, ended } = demuxFrames(Readable.from(chunks), (bytes) => errors.push(bytes));
  const output: Buffer[] = [];
  for await (const bytes of stdout) output.push(bytes as Buffer);
  return { stdout: Buffer.concat(output), stderr: Buffer.concat(errors), how: await ended };
}

function cutAt(bytes: Buffer, places: readonly number[]): Buffer[] {
  const at = [0, ...places.map((place) => place % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  return at
    .slice(1)
    .map((end, index) => bytes.subarray(at[index], end))
    .filter((piece) => piece.length > 0);
}

const frames = fc.array(fc.tuple(fc.constantFrom(STDOUT, STDERR), fc.uint8Array({ maxLength: 40 })), { maxLength: 12 });
const places = fc.array(fc.nat(), { maxLength: 30 });

t.test('frames give the bytes of each stream in their order, however the engine cuts them', async (t) => {
  const property = fc.asyncProperty(frames, places, async (sent, cuts) => {
    const found = await read(cutAt(Buffer.concat(sent.map(([kind, content]) => frame(kind, content))), cuts));
    const of = (wanted: number) => Buffer.concat(sent.flatMap(([kind, content]) => (kind === wanted ? [content] : [])));
    return found.how === 'whole' && found.stdout.equals(of(STDOUT)) && found.stderr.equals(of(STDERR));
  });
  await t.resolves(fc.assert(property, { numRuns: 1_000 }));
});

t.test('what a chunk has of stdout goes on in one piece and in its own memory, whatever stands between', async (t) => {
  const sent = Buffer.concat([
    frame(STDOUT, Buffer.from('one ')),
    frame(STDERR, Buffer.from('aside, of some length')),
    frame(STDOUT, Buffer.from('two ')),
    frame(STDOUT, Buffer.from('three')),
  ]);
  // In memory of its own: small buffers share the one of Node's pool, a copy of it too.
  const chunk = Buffer.alloc(sent.length, sent);
  const errors: Buffer[] = [];
  const { stdout } = demuxFrames(Readable.from([chunk]), (bytes) => errors.push(bytes));
  const pieces = (await stdout.toArray()) as Buffer[];
  t.strictSame(pieces.map(String), ['one two three']);
  t.equal(pieces[0]?.buffer, chunk.buffer, 'nothing is copied elsewhere');
  t.strictSame(errors.map(String), ['aside, of some length'], 'what was kept of stderr is not written over');
});

t.test('an output that ends within a frame, or within its header, was cut', async (t) => {
  const whole = frame(STDOUT, Buffer.from('{"type":"LOG"}\n'));
  for (let end = 1; end < whole.length; end += 1) t.equal((await read([whole.subarray(0, end)])).how, 'cut');
});

t.test('an unread output holds the engine back: nothing piles up here', async (t) => {
  let given = 0;
  const flood = Readable.from(
    (function* () {
      const one = frame(STDOUT, Buffer.alloc(FRAME_BYTES, 'x'));
      for (; given < FLOOD_BYTES; given += one.length) yield Buffer.from(one);
    })(),
    { highWaterMark: 1 },
  );
  const { stdout, ended } = demuxFrames(flood, () => undefined);
  for (let count = 0; count < TURNS; count += 1) await turn();
  t.ok(given < HELD_BYTES, `${given} bytes were taken`);
  let most = 0;
  let got = 0;
  for await (const bytes of stdout) {
    got += (bytes as Buffer).length;
    most = Math.max(most, given - got);
  }
  t.equal(got, (given / (FRAME_BYTES + HEADER_BYTES)) * FRAME_BYTES, 'every byte was read');
  t.ok(most < HELD_BYTES, `never more than ${most} bytes were held`);
  t.equal(await ended, 'whole');
});
