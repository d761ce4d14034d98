import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import {
  createQueryPool,
  createScanner,
  createStager,
  createTable,
  currentSchema,
  type FileIO,
  localFileIO,
  prepareAppend,
  prepareRowDelta,
  withMetaColumns,
} from '../src/index.ts';
import { plannedFiles } from '../src/scan/plan-read.ts';
import { line, PATIENT, SHAPE } from './lake.ts';

/** More files than one statement of a merge reads. */
const FILES = 70;
/** Those of one statement, the batch, and the deletes that go with them. */
const HELD_AT_ONCE = 66;

/** A store that counts how many of its files are held on this machine. */
function counted(io: FileIO): { io: FileIO; most: () => number } {
  let [held, most] = [0, 0];
  const materialize: FileIO['materialize'] = async (location) => {
    const file = await io.materialize(location);
    held += 1;
    most = Math.max(most, held);
    let isHeld = true;
    const release = (): void => {
      held -= isHeld ? 1 : 0;
      isHeld = false;
      file.release();
    };
    return { path: file.path, release };
  };
  return { io: { ...io, materialize }, most: () => most };
}

t.test('a merge over more files than it may hold at once is exact, and holds no more', async (t) => {
  const root = t.testdir();
  const { io, most } = counted(localFileIO({ root }));
  const stager = await createStager({ io, scratch: join(root, 'scratch') });
  const pool = createQueryPool(PATIENT);
  t.teardown(async () => {
    stager.close();
    await pool.close();
  });
  const columns = withMetaColumns([
    { name: 'id', type: 'long' },
    { name: 'v', type: 'string' },
  ]);
  let at = await createTable({ io, location: `file://${root}/table`, columns });
  const schema = currentSchema(at.metadata);
  let places = 0;
  const folder = () => `${at.metadata.location}/data/${++places}`;
  const staged = async (rows: readonly object[]) => {
    const source = join(root, `${++places}.ndjson`);
    await writeFile(source, rows.map((row) => line(row)).join(''));
    const request = {
      source,
      shape: SHAPE,
      schema,
      folder: folder(),
      runId: 'r',
      ordered: true,
      key: [1],
      position: 0,
    };
    return (await stager.copy(request)).files;
  };
  const files = [];
  // Every file spans all keys, so that bounds rule none of them out.
  for (let n = 0; n < FILES; n += 1) {
    files.push(...(await staged([n - 1_000, n, n + 1_000].map((id) => ({ id, v: 'old' })))));
  }
  const first = await prepareAppend({ io, ...at, files });
  at = { metadata: first.metadata, metadataLocation: first.newMetadataLocation };
  const changed = Array.from({ length: FILES }, (_, id) => ({ id, v: 'new' }));
  for (const strategy of ['positions', 'copy'] as const) {
    const { metadata } = at;
    const live = await createScanner({ io }).files(metadata);
    const batch = await staged(changed.map((row) => ({ ...row, v: strategy })));
    const request = {
      schema,
      key: [1],
      batch,
      live,
      table: metadata,
      folder: folder(),
      runId: 'r',
      mode: 'merge',
    } as const;
    const merged = await stager.merge({ ...request, strategy });
    t.match(merged, { inserted: 0, updated: FILES, deleted: 0 });
    const done = await prepareRowDelta({ io, ...at, ...merged, baseSnapshotId: metadata['current-snapshot-id'] });
    at = { metadata: done.metadata, metadataLocation: done.newMetadataLocation };
    const read = { files: plannedFiles(await createScanner({ io }).files(at.metadata)), schema, table: at.metadata };
    const { rows } = await pool.preview({ ...read, columns: ['id', 'v'], limit: 10 * FILES });
    t.equal(rows.length, 3 * FILES, 'no row is lost or doubled');
    const now = new Map(rows.map(([id, v]) => [Number(id), v]));
    t.equal(now.size, 3 * FILES);
    t.ok(changed.every(({ id }) => now.get(id) === strategy));
    t.equal([...now.values()].filter((v) => v === 'old').length, 2 * FILES);
  }
  t.ok(most() <= HELD_AT_ONCE, `${most()} files are held at once`);
});
