import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { openSession } from '../src/duckdb/duckdb-session.ts';
import {
  againRejected,
  createStager,
  createTable,
  currentSchema,
  type FileLine,
  localFileIO,
  prepareAppend,
  prepareRowDelta,
  QUARANTINE_COLUMNS,
  takeLines,
  toLocation,
} from '../src/index.ts';
import { writeRejected } from '../src/spool/stage-rewrite.ts';

const A = { position: 3, reason: 'malformed_json', raw: Buffer.from('{"a":') };
const B = { position: 9, reason: 'invalid_utf8', raw: Buffer.from([0x7b, 0xff, 0x00, 0x7d]) };
const C = { position: 1, reason: 'malformed_json', raw: Buffer.from('"ü"') };
const LONG = { position: 2, reason: 'line_too_large', raw: Buffer.from('{"a":"the beginning') };

/** A quarantine table with two files: lines A, B and a long one of run r1, line C of run r2. */
async function quarantineTable(t: { testdir(): string; teardown(work: () => unknown): void }) {
  const folder = t.testdir();
  const io = localFileIO({ root: folder });
  const stager = await createStager({ io, scratch: join(folder, 'stage') });
  t.teardown(() => stager.close());
  const location = toLocation(join(folder, 'table'));
  let at = await createTable({ io, location, columns: QUARANTINE_COLUMNS });
  const schema = currentSchema(at.metadata);
  for (const [runId, lines] of [
    ['r1', [A, B, LONG]],
    ['r2', [C]],
  ] as const) {
    const rejected = [await writeRejected(join(folder, `${runId}.ndjson`), lines)];
    const file = await stager.quarantine({ rejected, schema, folder: `${location}/data/${runId}`, runId, stream: 's' });
    const commit = await prepareAppend({ io, ...at, files: file === undefined ? [] : [file] });
    at = { metadata: commit.metadata, metadataLocation: commit.newMetadataLocation };
  }
  return { folder, io, stager, schema, location, ...at };
}

t.test('lines are taken byte for byte with where they come from, and the others of their files are kept', async (t) => {
  const { folder, io, metadata } = await quarantineTable(t);
  const take = (select: Parameters<typeof takeLines>[0]['select']) =>
    takeLines({ io, scratch: folder, metadata, select });
  const all = await take({});
  t.strictSame(
    all.origins,
    [A, B, C].map(({ position }) => ({ runId: position === 1 ? 'r2' : 'r1', stream: 's', position })),
    'the oldest first; a line without its bytes cannot be tried again',
  );
  t.ok((await readFile(all.spool)).equals(Buffer.concat([A, B, C].flatMap(({ raw }) => [raw, Buffer.from('\n')]))));
  t.equal(all.removed.length, 2);
  t.match(all.kept, [{ runId: 'r1', stream: 's', rejected: { count: 1, reasons: { line_too_large: 1 } } }]);
  const one = await take({ reasons: ['invalid_utf8'] });
  t.strictSame(
    one.origins.map(({ position }) => position),
    [B.position],
  );
  t.equal(one.removed.length, 1, 'a file without a taken line stays as it is');
  t.match(one.kept, [{ rejected: { count: 2, reasons: { malformed_json: 1, line_too_large: 1 } } }]);
  t.match(await take({ runId: 'r2' }), { origins: [{ runId: 'r2' }], kept: [] });
  t.match(await take({ runId: 'r2', reasons: ['invalid_utf8'] }), { origins: [], kept: [], removed: [] });
});

t.test('lines of runs whose rows were replaced are left where they are, and counted', async (t) => {
  const { folder, io, metadata } = await quarantineTable(t);
  const take = (select: Parameters<typeof takeLines>[0]['select']) =>
    takeLines({ io, scratch: folder, metadata, select });
  const newer = await take({ liveRuns: ['r2', 'r3'] });
  t.match(newer, { origins: [{ runId: 'r2' }], kept: [], superseded: 2 }, 'one without its bytes is none of them');
  t.equal(newer.removed.length, 1);
  t.match(await take({ liveRuns: ['r2'], runId: 'r1' }), { origins: [], removed: [], superseded: 2 });
  t.match(await take({ liveRuns: ['r2'], reasons: ['invalid_utf8'] }), { origins: [], superseded: 1 });
  t.match(await take({}), { superseded: 0 });
});

t.test('what is rejected again stays with its run and its position, and with its new reason', async (t) => {
  const { folder, io, stager, schema, location, metadata, metadataLocation } = await quarantineTable(t);
  const { origins, kept, removed } = await takeLines({ io, scratch: folder, metadata, select: { runId: 'r1' } });
  const rejected = await writeRejected(join(folder, 'again.ndjson'), [{ ...B, position: 1, reason: 'no_data' }]);
  const again = await againRejected(rejected, { origins, scratch: folder });
  t.match(again, [{ runId: 'r1', stream: 's', rejected: { count: 1, reasons: { no_data: 1 } } }]);
  const files = [];
  for (const group of [...kept, ...again]) {
    const file = await stager.quarantine({
      ...group,
      rejected: [group.rejected],
      schema,
      folder: `${location}/data/x`,
    });
    if (file !== undefined) files.push(file);
  }
  const baseSnapshotId = metadata['current-snapshot-id'];
  const after = await prepareRowDelta({ io, metadata, metadataLocation, files, removed, baseSnapshotId });
  const left = await takeLines({ io, scratch: folder, metadata: after.metadata, select: {} });
  t.strictSame(left.origins, [
    { runId: 'r2', stream: 's', position: C.position },
    { runId: 'r1', stream: 's', position: B.position },
  ]);
  t.equal(left.removed.length, 2, 'the line without its bytes lies in a file that stays');
  const strange = { ...rejected, path: join(folder, 'strange.ndjson') };
  await writeFile(strange.path, '{"position":7,"reason":"x","raw":""}\n');
  await t.rejects(againRejected(strange, { origins, scratch: folder }), { code: 'lines_lost' });
});

t.test(
  'a line of a file that its source rejects → its own bytes and place, and back into the form that was sent',
  async (t) => {
    const folder = t.testdir();
    const io = localFileIO({ root: folder });
    const stager = await createStager({ io, scratch: join(folder, 'stage') });
    t.teardown(() => stager.close());
    const shape = { data: ['data'], extractedAt: ['at'], rejected: ['meta', 'rejected'] } as const;
    const raw = Buffer.from([0x31, 0x2c, 0xff, 0x00, 0x22]);
    const place = { file: 'a.csv', line: 7, byte: 2 ** 33, bytes: 5 };
    const asSent = ({ raw, ...rejected }: FileLine) =>
      Buffer.from(JSON.stringify({ data: raw.toString('latin1'), at: 0, meta: { rejected } }));
    const lines = [
      asSent({ reason: 'row_too_wide', raw, ...place }),
      Buffer.from('{"data":{"v":"1"},"at":0,"meta":{"rejected":{"reason":"row_too_wide","file":"a","line":1}}}'),
      Buffer.from('{"data":"x","at":0,"meta":{"rejected":{"reason":"something_else","file":"a","line":1}}}'),
      Buffer.from('{"data":"x","at":0,"meta":{"rejected":null}}'),
    ];
    const source = join(folder, 'spool.ndjson');
    await writeFile(source, Buffer.concat(lines.flatMap((line) => [line, Buffer.from('\n')])));
    const rows = await createTable({
      io,
      location: toLocation(join(folder, 'rows')),
      columns: [{ name: 'v', type: 'string' }],
    });
    const schema = currentSchema(rows.metadata);
    const copied = await stager.copy({
      source,
      shape,
      schema,
      folder: `${rows.metadata.location}/data/x`,
      runId: 'r',
      position: 0,
    });
    t.match(copied, { rows: 1, rejected: { count: 3, reasons: { row_too_wide: 1, malformed_json: 2 } } });
    const table = await createTable({ io, location: toLocation(join(folder, 'q')), columns: QUARANTINE_COLUMNS });
    const kept = copied.rejected === undefined ? [] : [copied.rejected];
    const request = { rejected: kept, schema: currentSchema(table.metadata), runId: 'r', stream: 's' };
    const file = await stager.quarantine({ ...request, folder: `${table.metadata.location}/data/x` });
    const { metadata } = await prepareAppend({ io, ...table, files: file === undefined ? [] : [file] });
    const taken = await takeLines({ io, scratch: folder, metadata, select: { reasons: ['row_too_wide'] }, asSent });
    t.ok((await readFile(taken.spool)).equals(Buffer.concat([lines[0] ?? raw, Buffer.from('\n')])));
    const session = await openSession({ memoryLimit: '100MB', threads: 1, tempDirectory: join(folder, 'spill') });
    t.teardown(() => session.close());
    const stored = `SELECT file, line, byte, bytes, hex(raw) AS raw FROM read_parquet('${new URL(file?.location ?? '').pathname}') ORDER BY position`;
    t.match(await session.rows(stored), [
      { file: 'a.csv', line: '7', byte: `${2 ** 33}`, bytes: '5', raw: '312CFF0022' },
      { file: null, line: null, raw: lines[2]?.toString('hex').toUpperCase() },
      { file: null, line: null },
    ]);
  },
);
