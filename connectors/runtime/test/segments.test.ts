import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  closeSync,
  existsSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { mkdtemp, readdir, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { DuckDBInstance } from '@duckdb/node-api';
import { type ConnectorProcess, createSpool, readSync, streamKey } from '@weir/connector-runtime';
import { MAX_SEGMENT_BYTES } from '@weir/connector-sdk';
import fc from 'fast-check';
import t from 'tap';
import { until } from '../../../test/until.ts';
import { parquetRows } from '../src/parquet-footer.ts';

async function folder(): Promise<string> {
  const path = await realpath(await mkdtemp(join(tmpdir(), 'segments-')));
  t.teardown(() => rm(path, { recursive: true, force: true }));
  return path;
}
const out = await folder();
/** Parquet files by name, each of as many rows as its name says. */
async function parquet(
  rows: number,
  columns = 'range AS id, [{a: range}] AS nested, {b: true} AS flag',
): Promise<Buffer> {
  const path = join(out, `${rows}.parquet`);
  const instance = await DuckDBInstance.create();
  const connection = await instance.connect();
  await connection.run(
    `COPY (SELECT ${columns} FROM range(${rows})) TO '${path}' (FORMAT parquet, KV_METADATA {k: 'v'})`,
  );
  connection.closeSync();
  instance.closeSync();
  return readFileSync(path);
}
const three = await parquet(3);

type Facts = Record<string, unknown>;
const A = { name: 'a' };
const B = { name: 'b' };
const factsOf = (content: Buffer, more: Facts = {}) => ({
  stream: 'a',
  file: '1.parquet',
  format: 'parquet',
  rows: 3,
  bytes: content.length,
  sha256: createHash('sha256').update(content).digest('hex'),
  schema_id: 's1',
  emitted_at: 7,
  ...more,
});
const segment = (facts: Facts) => ({ type: 'SEGMENT', segment: facts });
const record = (stream: string) => ({ type: 'RECORD', record: { stream, data: { id: 1 }, emitted_at: 1 } });
const state = (name: string, recordCount: number) => ({
  type: 'STATE',
  state: { type: 'STREAM', stream: { stream_descriptor: { name } }, sourceStats: { recordCount } },
});
const complete = (name: string) => ({
  type: 'TRACE',
  trace: { type: 'STREAM_STATUS', emitted_at: 1, stream_status: { stream_descriptor: { name }, status: 'COMPLETE' } },
});

/** Reads the lines of a connector that has done `prepare` in its folder; gives what came of streams a and b. */
async function read(lines: readonly object[], prepare: (folder: string) => void, offered = true) {
  const place = await folder();
  const spooled = await folder();
  prepare(place);
  const spool = createSpool({ dir: spooled });
  const exit = { code: 0, signal: undefined, oomKilled: false, stopped: false };
  const connector: ConnectorProcess = {
    name: 'fake',
    pid: undefined,
    stdout: Readable.from([Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(''))]),
    ...(offered ? { segments: { path: place, destroy: async () => undefined } } : {}),
    stderrTail: () => '',
    exit: Promise.resolve(exit),
    stop: async () => exit,
  };
  const segments = (async () => {
    const taken: { stream: string; format: string; lines: number; content: Buffer; state: string | undefined }[] = [];
    for await (const { stream, format, lines: rows, path, state: reached, release } of spool.segments()) {
      const content = path === undefined ? Buffer.alloc(0) : readFileSync(path);
      taken.push({ stream, format, lines: rows, content, state: reached });
      release();
    }
    return taken;
  })();
  const { streams } = await readSync({ connector, streams: [A, B], spool });
  const left = { offered: await readdir(place), spooled: await readdir(spooled) };
  const [a, b] = [A, B].map((one) => streams.get(streamKey(one)));
  return { a, b, segments: await segments, left };
}
const put =
  (content: Buffer, name = '1.parquet') =>
  (place: string) =>
    writeFileSync(join(place, name), content);

t.test('a segment is taken over byte for byte, in its place among records, and acknowledged', async (t) => {
  const lines = [record('a'), segment(factsOf(three)), state('a', 4), record('a'), complete('a'), complete('b')];
  const { a, segments, left } = await read(lines, put(three));
  t.match(a, { records: 5, verdict: { outcome: 'success' } });
  t.match(segments.slice(0, 3), [
    { format: 'lines', lines: 1 },
    { format: 'parquet', lines: 3, content: three },
    { format: 'lines', lines: 1 },
  ]);
  t.strictSame(left, { offered: [], spooled: [] });
});

const FAULTS: readonly [rule: string, code: string, facts: Facts, prepare: (place: string) => void][] = [
  ['another size', 'segment_mismatch', { bytes: three.length - 1 }, put(three)],
  ['another digest', 'segment_mismatch', { sha256: '0'.repeat(64) }, put(three)],
  ['other rows than the footer has', 'segment_mismatch', { rows: 4 }, put(three)],
  ['no Parquet file', 'segment_mismatch', factsOf(Buffer.from('id\n1\n')), put(Buffer.from('id\n1\n'))],
  ['a file cut short', 'segment_mismatch', factsOf(three.subarray(0, -9)), put(three.subarray(0, -9))],
  ['no file', 'segment_unsafe', {}, () => undefined],
  ['a folder', 'segment_unsafe', {}, (place) => mkdirSync(join(place, '1.parquet'))],
  [
    'a link',
    'segment_unsafe',
    {},
    (place) => {
      put(three, 'real.parquet')(place);
      symlinkSync(join(place, 'real.parquet'), join(place, '1.parquet'));
    },
  ],
  [
    'a file of two names',
    'segment_unsafe',
    {},
    (place) => {
      put(three, 'real.parquet')(place);
      linkSync(join(place, 'real.parquet'), join(place, '1.parquet'));
    },
  ],
  ['a pipe', 'segment_unsafe', {}, (place) => void spawnSync('mkfifo', [join(place, '1.parquet')])],
  ['another format', 'segment_invalid', { format: 'arrow' }, put(three)],
  ['no rows', 'segment_invalid', { rows: 0 }, put(three)],
  ['rows that are no number', 'segment_invalid', { rows: '3' }, put(three)],
  ['more bytes than a segment has', 'segment_invalid', { bytes: MAX_SEGMENT_BYTES + 1 }, put(three)],
  ['a digest that is none', 'segment_invalid', { sha256: '../../x' }, put(three)],
  ['no schema', 'segment_invalid', { schema_id: undefined }, put(three)],
  [
    'more files than may wait',
    'segment_backlog',
    {},
    (place) => {
      for (const name of ['1', '2', '3', '4', '5', '6']) put(three, `${name}.parquet`)(place);
    },
  ],
];
for (const [rule, code, facts, prepare] of FAULTS) {
  t.test(`${rule}: the stream fails by its code, nothing of the file is kept, and other streams go on`, async (t) => {
    const broken = [record('a'), state('a', 1), segment(factsOf(three, facts)), state('a', 3), complete('a')];
    const { a, b, segments, left } = await read([...broken, record('b'), complete('b')], prepare);
    t.match(a, { verdict: { outcome: 'failure', code } });
    t.match(b, { records: 1, verdict: { outcome: 'success' } });
    t.strictSame(
      segments.map(({ stream, format, lines }) => [JSON.parse(stream)[1], format, lines]),
      [
        ['a', 'lines', 1],
        ['b', 'lines', 1],
      ],
    );
    t.notOk(left.offered.includes('1.parquet'));
    t.strictSame(left.spooled, []);
  });
}

t.test('what comes behind a segment that was refused is not taken, yet acknowledged', async (t) => {
  const second = segment(factsOf(three, { file: '2.parquet' }));
  const lines = [segment(factsOf(three, { rows: 9 })), second, record('a'), state('a', 13), complete('a')];
  const { a, segments, left } = await read(lines, (place) => {
    put(three)(place);
    put(three, '2.parquet')(place);
  });
  t.match(a, { records: 13, verdict: { code: 'segment_mismatch' } });
  t.strictSame(
    segments.map(({ lines: rows, state: reached }) => [rows, reached]),
    [
      [0, undefined],
      [0, undefined],
    ],
  );
  t.strictSame(left.offered, []);
});

t.test('a name that is none ends the run: it leads out of no folder', async (t) => {
  for (const file of ['../1.parquet', '/etc/passwd', '.parquet', 'a/b.parquet', 'a.parquet\n', '', 7, null]) {
    const { a, b } = await read([segment(factsOf(three, { file }))], put(three));
    t.match([a, b], [{ verdict: { code: 'segment_invalid' } }, { verdict: { code: 'segment_invalid' } }]);
  }
});

t.test('a segment of a stream that is not configured, or one that nobody asked for, breaks the protocol', async (t) => {
  for (const line of [segment(factsOf(three, { stream: 'ghosts' })), { type: 'SEGMENT' }]) {
    t.match((await read([line], put(three))).a, { verdict: { code: 'protocol_violation' } });
  }
  t.match((await read([segment(factsOf(three))], put(three), false)).a, { verdict: { code: 'protocol_violation' } });
});

t.test(
  'a connector that keeps its file open, or puts a link for its folder, changes nothing of what was taken',
  async (t) => {
    const place = await folder();
    put(three)(place);
    const held = openSync(join(place, '1.parquet'), 'r+');
    t.teardown(() => closeSync(held));
    t.teardown(() => rm(`${place}-moved`, { recursive: true, force: true }));
    const spool = createSpool({ dir: await folder() });
    const exit = { code: 0, signal: undefined, oomKilled: false, stopped: false };
    const stdout = (async function* () {
      yield Buffer.from(`${JSON.stringify(segment(factsOf(three)))}\n${JSON.stringify(state('a', 3))}\n`);
      await until('the segment to be taken', () => !existsSync(join(place, '1.parquet')), 'often');
      writeSync(held, 'JUNK', 0);
      renameSync(place, `${place}-moved`);
      symlinkSync(out, place);
      yield Buffer.from(`${JSON.stringify(segment(factsOf(three, { file: '3.parquet' })))}\n`);
    })();
    const connector: ConnectorProcess = {
      name: 'fake',
      pid: undefined,
      stdout: Readable.from(stdout),
      segments: { path: place, destroy: async () => undefined },
      stderrTail: () => '',
      exit: Promise.resolve(exit),
      stop: async () => exit,
    };
    const { streams } = await readSync({ connector, streams: [A], spool });
    t.match(streams.get(streamKey(A)), { verdict: { code: 'segment_unsafe' } });
    const { value: taken } = await spool.segments().next();
    t.strictSame(readFileSync(taken?.path ?? ''), three);
    t.ok(existsSync(join(out, '3.parquet')));
  },
);

t.test('the rows of a footer are those of the file, and no other bytes make it fail', async (t) => {
  const readAt = (content: Buffer) => (at: number, length: number) => content.subarray(at, at + length);
  const rowsOf = (content: Buffer) => parquetRows(readAt(content), content.length);
  t.equal(rowsOf(three), 3n);
  t.equal(rowsOf(await parquet(300_000, 'range AS id, range % 7 AS seven')), 300_000n);
  const one = fc.record({ at: fc.nat(), byte: fc.nat(255) });
  fc.assert(
    fc.property(fc.array(one, { minLength: 1, maxLength: 8 }), fc.option(fc.nat()), (changes, cut) => {
      const content = Buffer.from(cut === null ? three : three.subarray(0, cut % three.length));
      for (const { at, byte } of changes) if (content.length > 0) content[at % content.length] = byte;
      const rows = rowsOf(content);
      t.ok(rows === undefined || typeof rows === 'bigint');
    }),
    { numRuns: 1000 },
  );
});

t.test('a file that shrinks behind its announcement is not the file that was announced', async (t) => {
  const { a } = await read([segment(factsOf(three))], (place) => {
    put(three)(place);
    truncateSync(join(place, '1.parquet'), three.length - 1);
  });
  t.match(a, { verdict: { code: 'segment_mismatch' } });
});

t.test('a file of lines → each ends, and they are as many as announced; else nothing of it is taken', async (t) => {
  const own = (text: string, more: Facts = {}) => {
    const content = Buffer.from(text);
    const facts = factsOf(content, { file: '1.jsonl', format: 'jsonl', rows: 2, ...more });
    return read([segment(facts), state('a', 2), complete('a'), complete('b')], put(content, '1.jsonl'));
  };
  const taken = await own('{"id":1}\n{"id":2}\n');
  t.match(taken.a, { records: 2, verdict: { outcome: 'success' } });
  t.match(taken.segments, [{ format: 'jsonl', lines: 2, content: Buffer.from('{"id":1}\n{"id":2}\n') }]);
  t.strictSame(taken.left, { offered: [], spooled: [] });
  for (const [text, more] of [
    ['{"id":1}\n{"id":2}', {}],
    ['{"id":1}\n{"id":2}\n', { rows: 3 }],
    ['{"id":1}\n{"id":2}\n', { format: 'parquet' }],
  ] as const) {
    const refused = await own(text, more);
    t.match(refused.a, { verdict: { outcome: 'failure', code: 'segment_mismatch' } }, JSON.stringify([text, more]));
    t.strictSame(refused.left, { offered: [], spooled: [] });
  }
});
