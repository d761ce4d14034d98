import { writeFileSync } from 'node:fs';
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
type Taken = Omit<SealedSegment, 'path' | 'release'> & { text: string };

/** Takes every segment, and releases it. */
async function drain(spool: Spool): Promise<Taken[]> {
  const taken: Taken[] = [];
  for await (const { path, release, ...segment } of spool.segments()) {
    taken.push({ ...segment, text: path === undefined ? '' : await readFile(path, 'utf8') });
    release();
  }
  return taken;
}
const line = (text: string) => Buffer.from(`${text}\n`);
/** Takes a file of these rows, as it would be of a connector's. */
const take = (spool: Spool, stream: string, rows: readonly string[]) => {
  const content = rows.map((text) => `${text}\n`).join('');
  const fill = ({ path }: { readonly path: string }) => writeFileSync(path, content);
  spool.take(stream, { format: 'parquet', rows: rows.length, bytes: content.length, extractedAt: 7, fill });
};

const some = <T extends string>(op: T) => fc.record({ op: fc.constant(op), stream: fc.constantFrom('a', 'b') });
const operation = fc.oneof(
  { weight: 5, arbitrary: some('write') },
  { weight: 1, arbitrary: some('mark') },
  { weight: 1, arbitrary: some('take') },
  { weight: 1, arbitrary: some('reject') },
  { weight: 1, arbitrary: some('replace') },
);

/** What came of the rows of one stream: those of files as their number, rejected ones as `-`, each in its place. */
function rowsOf(segments: readonly Taken[]): string[] {
  const rows: string[] = [];
  for (const { text, position, lines, rejected } of segments) {
    if (lines > 0) t.equal(position, rows.length);
    const own = text.split('\n').slice(0, -1);
    t.equal(own.length, lines);
    rows.push(...own);
    for (const { position: at } of rejected) {
      t.equal(at, rows.length);
      rows.push('-');
    }
  }
  return rows;
}

t.test(
  'no row is lost or doubled, each stands in its place, and a state closes exactly the rows before it',
  async (t) => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(operation, { maxLength: 60 }),
        fc.constantFrom('all', 'until-last-state'),
        (operations, rows) =>
          withSpool({ segmentBytes: 20 }, async (spool, dir) => {
            const written: Record<string, string[]> = { a: [], b: [] };
            const marks: Record<string, number> = {};
            const replaced: Record<string, string[]> = { a: [], b: [] };
            const replacedAt: string[] = [];
            const taken = drain(spool);
            for (const { op, stream } of operations) {
              const own = written[stream] ?? [];
              if (op === 'write') {
                own.push(`${own.length}`);
                spool.write(stream, line(own.at(-1) ?? ''), 1);
              } else if (op === 'take') {
                const two = [`${own.length}`, `${own.length + 1}`];
                own.push(...two);
                take(spool, stream, two);
              } else if (op === 'replace') {
                replaced[stream]?.push(`${replaced[stream].length}.csv`);
                spool.replaceFile(stream, replaced[stream]?.at(-1) ?? null);
              } else if (op === 'reject') {
                own.push('-');
                spool.reject(stream, { reason: 'line_too_large', head: Buffer.from('-') });
              } else {
                marks[stream] = own.length;
                replacedAt.push(`${stream} ${own.length} ${replaced[stream]?.length}`);
                spool.mark(stream, String(own.length));
              }
              await spool.ready();
            }
            spool.finish('a', rows);
            spool.finish('b', rows);
            spool.close();
            for (const [stream, own] of Object.entries(written)) {
              const segments = (await taken).filter((segment) => segment.stream === stream);
              const kept = rowsOf(segments);
              t.strictSame(kept, own.slice(0, kept.length));
              if (rows === 'all') t.equal(kept.length, own.length);
              const isLast = segments.map((_, index) => index === segments.length - 1);
              t.strictSame(
                segments.map(({ final }) => final),
                isLast,
              );
              t.strictSame(
                segments.map(({ sequence }) => sequence),
                segments.map((_, index) => index),
              );
              const names = (of: readonly Taken[]) => of.flatMap(({ replacedFiles }) => replacedFiles);
              t.strictSame(names(segments), replaced[stream]?.slice(0, names(segments).length));
              if (rows === 'all') t.equal(names(segments).length, replaced[stream]?.length);
              for (const [index, { state, final }] of segments.entries()) {
                const before = rowsOf(segments.slice(0, index + 1)).length;
                if (state === undefined || (final && rows === 'all')) continue;
                t.equal(state, String(before));
                t.ok(replacedAt.includes(`${stream} ${before} ${names(segments.slice(0, index + 1)).length}`));
              }
              // What lies behind the last state of a segment that was sealed at its size is for the reader to drop.
              const last = segments.findLast(({ state }) => state !== undefined);
              if (last?.final) t.equal(Number(last.state), marks[stream]);
            }
            t.strictSame(await readdir(dir), []);
          }),
      ),
      { numRuns: 1000 },
    );
  },
);

t.test('files of a connector come in their place, with states folded over them', (t) =>
  withSpool({}, async (spool) => {
    const taken = drain(spool);
    spool.write('a', line('0'), 1);
    take(spool, 'a', ['1', '2']);
    spool.mark('a', 's1');
    take(spool, 'a', ['3']);
    spool.write('a', line('4'), 1);
    spool.mark('a', 's2');
    take(spool, 'a', ['5']);
    spool.finish('a', 'until-last-state');
    spool.close();
    t.match(await taken, [
      { format: 'lines', text: '0\n', position: 0, state: undefined },
      { format: 'parquet', text: '1\n2\n', position: 1, lines: 2, bytes: 4, extractedAt: 7, state: undefined },
      { format: 'parquet', text: '3\n', position: 3, state: undefined, final: false },
      { format: 'lines', text: '4\n', position: 4, state: 's2', final: true },
    ]);
  }),
);

t.test('a file that cannot be taken leaves nothing behind', (t) =>
  withSpool({}, async (spool, dir) => {
    const taken = drain(spool);
    const fill = ({ path }: { readonly path: string }) => {
      writeFileSync(path, 'half');
      throw new Error('not the file that was announced');
    };
    t.throws(() => spool.take('a', { format: 'parquet', rows: 1, bytes: 9, extractedAt: 7, fill }), {
      message: /announced/,
    });
    t.strictSame(await readdir(dir), []);
    spool.finish('a', 'all');
    spool.close();
    t.match(await taken, [{ lines: 0, text: '', position: 0, final: true }]);
  }),
);

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

t.test('the reader waits while more than one segment is not released, and the files of a sync are few', (t) =>
  withSpool({ segmentBytes: 1 }, async (spool, dir) => {
    for (const text of ['1', '2']) spool.write('a', line(text), 1);
    let open = false;
    const ready = spool.ready().then(() => {
      open = true;
    });
    const segments = spool.segments();
    const first = (await segments.next()).value;
    t.equal(open, false);
    t.equal((await readdir(dir)).length, 2);
    first?.release();
    await ready;
    const names = await readdir(dir);
    spool.write('a', line('four'), 1);
    t.strictSame(await readdir(dir), names, 'the file that was let go is written over');
    spool.finish('a', 'all');
    spool.close();
    const rest = await drain(spool);
    t.strictSame(
      rest.map(({ text }) => text),
      ['2\n', 'four\n', ''],
    );
    t.strictSame(await readdir(dir), [], 'nothing is left');
  }),
);

t.test('a segment tells whether a line was detected in it, and no other one does', (t) =>
  withSpool({ segmentBytes: 4, detect: (lines) => Buffer.from(lines).includes('7') }, async (spool) => {
    for (const text of ['1', '7', '2', '3']) spool.write('a', line(text), 1);
    spool.finish('a', 'all');
    spool.close();
    const segments = await drain(spool);
    t.strictSame(
      segments.map(({ text, detected }) => [text, detected]),
      [
        ['1\n7\n', true],
        ['2\n3\n', false],
        ['', false],
      ],
    );
  }),
);

t.test('a file that is written over holds the new lines and no others', (t) =>
  withSpool({ segmentBytes: 1_000_000, headBytes: 8 }, async (spool, dir) => {
    const segments = spool.segments();
    const seal = async (lines: readonly string[]) => {
      for (const text of lines) spool.write('a', line(text), 1);
      spool.finish('a', 'all');
      const { value } = await segments.next();
      const text = value?.path === undefined ? undefined : await readFile(value.path, 'utf8');
      value?.release();
      return text?.slice(8);
    };
    t.equal(await seal(['x'.repeat(3_000), 'y']), `${'x'.repeat(3_000)}\ny\n`);
    t.equal(await seal(['z']), 'z\n');
    t.equal(await seal(['long', 'again']), 'long\nagain\n');
    t.equal((await readdir(dir)).length, 1);
    spool.close();
    t.strictSame(await readdir(dir), []);
  }),
);

t.test('two files do for a stream, also when lines stand behind a seal before the reader can be held', (t) =>
  withSpool({ segmentBytes: 4 }, async (spool, dir) => {
    const segments = spool.segments();
    const names = new Set<string>();
    const texts: string[] = [];
    for (let time = 0; time < 3; time += 1) spool.write('a', line('0'), 1);
    for (const text of ['1', '2', '3', '4', '5']) {
      const { value } = await segments.next();
      texts.push(await readFile(value?.path ?? '', 'utf8'));
      // A chunk ends one segment and begins the next.
      for (let time = 0; time < 2; time += 1) spool.write('a', line(text), 1);
      for (const name of await readdir(dir)) names.add(name);
      value?.release();
      await spool.ready();
    }
    t.equal(names.size, 2);
    t.strictSame(texts, ['0\n0\n', '0\n1\n', '1\n2\n', '2\n3\n', '3\n4\n']);
    spool.close(new Error('ended'));
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

t.test('a file of lines begins with a line of spaces of the asked size, which counts for nothing', async (t) => {
  await withSpool({ headBytes: 16 }, async (spool, dir) => {
    spool.write('a', line('one'), 1);
    spool.mark('a', '{}');
    spool.write('a', line('two'), 1);
    spool.finish('a', 'until-last-state');
    spool.write('b', line('three'), 1);
    spool.finish('b', 'all');
    spool.close();
    const head = `${' '.repeat(15)}\n`;
    const taken = await drain(spool);
    t.match(taken, [
      { text: `${head}one\n`, lines: 1, bytes: 4, position: 0 },
      { text: `${head}three\n`, lines: 1, bytes: 6, position: 0 },
    ]);
    t.strictSame(await readdir(dir), []);
  });
});
