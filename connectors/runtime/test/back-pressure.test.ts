import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import {
  type ConnectorProcess,
  createSpool,
  MAX_WAITING_SEGMENTS,
  readSync,
  type SealedSegment,
  streamKey,
} from '@weir/connector-runtime';
import t from 'tap';

const SEGMENT_BYTES = 256 * 1024;
const CHUNK_LINES = 100;
const CHUNKS = 400;
const TURNS = 200;
const STREAM = { name: 'a' };
const LINE = `${JSON.stringify({ type: 'RECORD', record: { stream: 'a', data: { text: 'x'.repeat(100) }, emitted_at: 1 } })}\n`;
const CHUNK = Buffer.from(LINE.repeat(CHUNK_LINES));
const END = `${JSON.stringify({
  type: 'TRACE',
  trace: {
    ...{ type: 'STREAM_STATUS', emitted_at: 1 },
    stream_status: { stream_descriptor: STREAM, status: 'COMPLETE' },
  },
})}\n`;
/** What is filled when the reader stops, what is sealed before that, and a chunk of each reader on the way. */
const HELD_BYTES = (MAX_WAITING_SEGMENTS + 1) * (SEGMENT_BYTES + CHUNK.length) + 2 * CHUNK.length;

t.test('while nobody takes what was read, a connector is held back; then every row comes', async (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'pressure-'));
  t.teardown(() => rmSync(dir, { recursive: true, force: true }));
  let given = 0;
  const output = (function* () {
    for (let at = 0; at < CHUNKS; at += 1) {
      given += CHUNK.length;
      yield CHUNK;
    }
    yield Buffer.from(END);
  })();
  const exit = { code: 0, signal: undefined, oomKilled: false, stopped: false };
  const connector: ConnectorProcess = {
    ...{ name: 'fake', pid: undefined, stdout: Readable.from(output, { highWaterMark: 1 }) },
    ...{ stderrTail: () => '', exit: Promise.resolve(exit), stop: async () => exit },
  };
  const spool = createSpool({ dir, segmentBytes: SEGMENT_BYTES });
  const reading = readSync({ connector, streams: [STREAM], spool });
  let rows = 0;
  const held: SealedSegment[] = [];
  for await (const segment of spool.segments()) {
    rows += segment.lines;
    held.push(segment);
    if (held.length <= MAX_WAITING_SEGMENTS) continue;
    for (let count = 0; count < TURNS; count += 1) await turn();
    const waiting = held.reduce((sum, { bytes }) => sum + bytes, 0);
    t.ok(given - rows * LINE.length + waiting <= HELD_BYTES, `${given} bytes were given, ${waiting} wait`);
    for (const { release } of held.splice(0)) release();
  }
  t.equal(rows, CHUNKS * CHUNK_LINES);
  t.match((await reading).streams.get(streamKey(STREAM)), { verdict: { outcome: 'success' } });
});
