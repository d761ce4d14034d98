import t from 'tap';
import { createQueryPool, type DeleteFile, type FileIO, LakehouseError, localPath } from '../src/index.ts';
import { DELETED_PATH_ID } from '../src/manifest/match-deletes.ts';
import { plannedFiles } from '../src/scan/plan-read.ts';
import { PATIENT } from './lake.ts';
import { liveFile } from './live-file.ts';
import { readingPlace, schemaOf } from './typed-table.ts';

/** A store whose files have to be brought here first; it counts what is held. */
function remoteStore(paths: ReadonlyMap<string, string>) {
  const held = { now: 0, ever: 0 };
  const materialize = async (location: string) => {
    const path = paths.get(location);
    if (path === undefined) throw new LakehouseError('file_missing', 'A table file is missing');
    held.now += 1;
    held.ever += 1;
    return { path, release: () => void held.now-- };
  };
  return { io: { materialize } as Partial<FileIO> as FileIO, held };
}

t.test('files of a remote store and their deletes are held while they are read, and no longer', async (t) => {
  const { writer } = await readingPlace(t);
  const schema = schemaOf(['int']);
  const data = await writer.write(schema, [['1'], ['2'], ['3']]);
  const deleted = await writer.write(
    {
      ...schema,
      fields: [
        { id: DELETED_PATH_ID, name: 'file_path', required: true, type: 'string' },
        { id: 2147483545, name: 'pos', required: true, type: 'long' },
      ],
    },
    [['s3a://bucket/data', '1']],
  );
  const remote = remoteStore(
    new Map([
      ['s3://bucket/data', localPath(data.location)],
      ['s3://bucket/deletes', localPath(deleted.location)],
    ]),
  );
  const pool = createQueryPool({ ...PATIENT, io: remote.io });
  t.teardown(() => pool.close());
  const deletes: DeleteFile[] = [
    { ...deleted, location: 's3://bucket/deletes', content: 'position_deletes', sequenceNumber: 1n },
  ];
  const live = liveFile({ location: 's3://bucket/data', recordCount: 3n, deletes });
  const { rows } = await pool.preview({ files: plannedFiles([live, live]), schema, limit: 10 });
  t.strictSame(rows, [[1], [3], [1], [3]]);
  t.strictSame(remote.held, { now: 0, ever: 2 }, 'each is brought once');
  t.match(await pool.figures({ files: [live], schema }), { rows: 2 });

  const missing = { ...live, location: 's3://bucket/none' };
  await t.rejects(pool.preview({ files: plannedFiles([live, missing]), schema, limit: 10 }), { code: 'file_missing' });
  t.equal(remote.held.now, 0, 'a file that is missing leaves none held');
  t.equal((await pool.preview({ files: plannedFiles([live]), schema, limit: 10 })).rows.length, 2, 'nor a child busy');
});

t.test('deletes by columns that cannot be told are refused', async (t) => {
  const { writer, pool } = await readingPlace(t);
  const schema = schemaOf(['int']);
  const data = await writer.write(schema, [['1']]);
  const one = { ...data, content: 'equality_deletes', sequenceNumber: 9n, equalityIds: [999] } as const;
  const preview = (table?: { schemas: [typeof schema]; properties: Record<string, string> }) =>
    pool.preview({ files: plannedFiles([{ ...data, deletes: [one] }]), schema, limit: 1, ...(table ? { table } : {}) });
  await t.rejects(preview(), { code: 'deletes_unsupported' });
  const dropped = { ...schema, fields: [{ id: 999, name: 'gone', required: false, type: 'int' as const }] };
  t.strictSame((await preview({ schemas: [dropped], properties: {} })).rows, [], 'an earlier schema may tell');
});
