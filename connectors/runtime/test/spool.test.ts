import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSpool, type SealedSegment, type Spool, type SpoolOptions } from '@weir/connector-runtime';
import fc from 'fast-check';
import t from 'tap';

async function withSpool<T>(
  options: Omit<SpoolOptions, 'dir'>,
  use: (spool: Spool, dir: string) => Promise<T>,
): Promise<T> {
  const dir = await mkdtemp(join(tmpdir(), 'spool-'));
  try {
    return await use(createSpool({ dir, ...options }), dir);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}
type Taken = Pick<SealedSegment, 'stream' | 'sequence' | 'lines' | 'state' | 'final'> & { text: string };

/** Takes every segment, and releases it. */
async function drain(spool: Spool): Promise<Taken[]> {
  const taken: Taken[] = [];
  for await (const { stream, sequence, lines, state, final, path, release } of spool.segments()) {
    taken.push({ stream, sequence, lines, state, final, text: path === undefined ? '' : await readFile(path, 'utf8') });
    release();
  }
  return taken;
}
const line = (text: string) => Buffer.from(`${text}\n`);

const operation = fc.oneof(
  { weight: 5, arbitrary: fc.record({ op: fc.constant('write' as const), stream: fc.constantFrom('a', 'b') }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('mark' as const), stream: fc.constantFrom('a', 'b') }) },
);

t.test('no line is lost or doubled, and a state closes exactly the lines before it', async (t) => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(operation, { maxLength: 60 }),
      fc.constantFrom('all', 'until-last-state'),
      (operations, rows) =>
        withSpool({ segmentBytes: 20 }, async (spool) => {
          const written: Record<string, string[]> = { a: [], b: [] };
          const taken = drain(spool);
          for (const { op, stream } of operations) {
            const own = written[stream] ?? [];
            if (op === 'write') {
              own.push(`${own.length}`);
              spool.write(stream, line(own.at(-1) ?? ''), 1);
            } else spool.mark(stream, String(own.length));
            await spool.ready();
          }
          spool.finish('a', rows);
          spool.finish('b', rows);
          spool.close();
          for (const [stream, own] of Object.entries(written)) {
            const segments = (await taken).filter((segment) => segment.stream === stream);
            const lines = segments
              .map((segment) => segment.text)
              .join('')
              .split('\n')
              .slice(0, -1);
            t.strictSame(lines, own.slice(0, lines.length));
            if (rows === 'all') t.equal(lines.length, own.length);
            t.equal(
              segments.reduce((sum, segment) => sum + segment.lines, 0),
              lines.length,
            );
            t.strictSame(
              segments.map((segment) => segment.final),
              segments.map((_, index) => index === segments.length - 1),
            );
            t.strictSame(
              segments.map((segment) => segment.sequence),
              segments.map((_, index) => index),
            );
            let before = 0;
            for (const segment of segments) {
              before += segment.lines;
              const exact = !segment.final || rows === 'until-last-state';
              if (segment.state !== undefined && exact) t.equal(segment.state, String(before));
            }
          }
        }),
    ),
    { numRuns: 100 },
  );
});

t.test('states fold into the last until the segment is large or old enough', (t) =>
  withSpool({ segmentBytes: 1000, sealAfterMs: 50, now: () => time }, async (spool) => {
    const taken = drain(spool);
    spool.write('a', line('1'), 1);
    spool.mark('a', 's1');
    spool.write('a', line('2'), 1);
    spool.mark('a', 's2');
    time += 50;
    spool.write('a', line('3'), 1);
    spool.mark('a', 's3');
    spool.mark('a', 's4');
    spool.finish('a', 'all');
    spool.close();
    t.match(await taken, [
      { text: '1\n2\n3\n', state: 's3', final: false },
      { text: '', lines: 0, state: 's4', final: true },
    ]);
  }),
);
let time = 0;

t.test('rows after the last state of a failed stream are dropped', (t) =>
  withSpool({}, async (spool) => {
    const taken = drain(spool);
    spool.write('a', line('1'), 1);
    spool.mark('a', 's1');
    spool.write('a', line('2'), 1);
    spool.write('b', line('1'), 1);
    spool.finish('a', 'until-last-state');
    spool.finish('b', 'until-last-state');
    spool.close();
    t.match(await taken, [
      { stream: 'a', text: '1\n', state: 's1' },
      { stream: 'b', text: '', lines: 0, state: undefined },
    ]);
  }),
);

t.test('the reader waits while more than two segments are not released, and files go with their release', (t) =>
  withSpool({ segmentBytes: 1 }, async (spool, dir) => {
    for (const text of ['1', '2', '3']) spool.write('a', line(text), 1);
    let open = false;
    const ready = spool.ready().then(() => {
      open = true;
    });
    const segments = spool.segments();
    const first = (await segments.next()).value;
    t.equal(open, false);
    t.equal((await readdir(dir)).length, 3);
    first?.release();
    await ready;
    t.equal((await readdir(dir)).length, 2);
  }),
);

t.test('an error closes both ends', (t) =>
  withSpool({ segmentBytes: 1 }, async (spool) => {
    for (const text of ['1', '2', '3']) spool.write('a', line(text), 1);
    const ready = spool.ready();
    spool.close(new Error('gone'));
    await t.rejects(ready, { message: 'gone' });
    await t.rejects(spool.segments().next(), { message: 'gone' });
  }),
);
