import { mkdir, readFile, rename, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import t from 'tap';
import { decodeAvroFile } from '../src/avro/avro-decode.ts';
import { encodeAvroFile } from '../src/avro/avro-encode.ts';
import {
  createQueryPool,
  createScanner,
  createSelector,
  currentSchema,
  findSnapshot,
  localPath,
  pinnedRows,
  planRead,
  prepareAppend,
  readMetadata,
  referencedFiles,
  rowsSince,
  type TableMetadata,
  tableFiles,
} from '../src/index.ts';
import { MANIFEST_FILE } from '../src/manifest/manifest-schema.ts';
import { line, openLake, PATIENT } from './lake.ts';

const OUTSIDE = { code: 'file_outside_table' };

t.test('a location is in a folder or is not, however it is spelled', async (t) => {
  const io = { read: async () => Buffer.from('read'), materialize: async () => ({ path: '', release() {} }) };
  const cases = [
    { location: 's3://b/w/t1', inside: ['s3a://b/w/t1/data/a', 'S3N://b/w/t1/%2e%2e/a', 's3://b/w/t1/a..b/..c'] },
    { location: '/w/t1/', inside: ['file:/w/t1/a', 'file:///w/t1/a', '/w/t1/./a', '/w/t1//a', '/w/t1/../t1/a'] },
  ];
  const outside = [
    ...['s3://b/w/t10/a', 's3://b/w/t1', 's3://b/w/t1/', 's3://b/w/t1/../t2/a', 's3://b/w/t1//a', 's3://c/w/t1/a'],
    ...['s3://B/w/t1/a', 's3://b/w/T1/a', 's3://b/w%2Ft1/a', 'gs://b/w/t1/a', 'http://b/w/t1/a', 'w/t1/a', ''],
    ...[
      '/w/t10/a',
      '/w/t1',
      '/w/t1/..',
      '/w/t1/../t2/a',
      '/w/t1/a/../../t2',
      '/w/t1/.././t2/a',
      '/w/t1/a\0',
      '/w/%74%31/a',
    ],
    ...['file://host/w/t1/a', 'file:w/t1/a', '/w/t1/./../t2/a', '/w/t1//../t2'],
  ];
  for (const { location, inside } of cases) {
    const files = tableFiles(io, { location });
    for (const one of inside) t.doesNotThrow(() => files.assertInside(one), one);
    for (const one of outside) t.throws(() => files.assertInside(one), OUTSIDE, one);
    for (const one of outside) await t.rejects(files.read(one), OUTSIDE, one);
    for (const one of outside) await t.rejects(files.materialize(one), OUTSIDE, one);
  }
});

/** Two tables with a row each, and what makes the second name a file of the first. */
async function twoTables() {
  const lake = await openLake();
  const make = async (id: number) => {
    const made = await lake.table([{ name: 'id', type: 'long' }]);
    const { file } = await lake.stage(made.metadata, currentSchema(made.metadata), line({ id }));
    const { metadata, newMetadataLocation } = await prepareAppend({ io: lake.io, ...made, files: [file!] });
    const list = findSnapshot(metadata)?.['manifest-list'] ?? '';
    const [manifest] = decodeAvroFile(await lake.io.read(list), MANIFEST_FILE).rows;
    return { metadata, metadataLocation: newMetadataLocation, file: file!, list, manifest: manifest! };
  };
  return { lake, theirs: await make(1), ours: await make(2) };
}

type Two = Awaited<ReturnType<typeof twoTables>>;

const sansCodec = ({ 'avro.schema': _schema, 'avro.codec': _codec, ...rest }: Readonly<Record<string, string>>) => rest;

/** Writes an Avro file again with other rows in it. */
async function rewritten(location: string, change: (row: Record<string, unknown>) => void): Promise<void> {
  const path = localPath(location);
  const { rows, schema, metadata } = decodeAvroFile(await readFile(path));
  for (const row of rows) change(row);
  await writeFile(`${path}.new`, encodeAvroFile(schema, sansCodec(metadata), rows));
  await rename(`${path}.new`, path);
}

const inSnapshot = (metadata: TableMetadata, change: object): TableMetadata => ({
  ...metadata,
  snapshots: metadata.snapshots.map((one) => ({ ...one, ...change })),
});

/** Every way in which a table can name a file, with one of another table in it. */
const NAMES: Record<string, (two: Two) => Promise<TableMetadata>> = {
  'a data file': async ({ ours, theirs }) => {
    await rewritten(String(ours.manifest.manifest_path), (row) => {
      (row.data_file as Record<string, unknown>).file_path = theirs.file.location;
    });
    return ours.metadata;
  },
  'a delete file': async ({ ours, theirs }) => {
    await rewritten(String(ours.manifest.manifest_path), (row) => {
      Object.assign(row.data_file as object, { content: 1, file_path: theirs.file.location });
    });
    await rewritten(ours.list, (row) => {
      row.content = 1;
    });
    return ours.metadata;
  },
  'a manifest': async ({ ours, theirs }) => {
    await rewritten(ours.list, (row) => {
      row.manifest_path = theirs.manifest.manifest_path;
    });
    return ours.metadata;
  },
  'a manifest list': async ({ ours, theirs }) => inSnapshot(ours.metadata, { 'manifest-list': theirs.list }),
  'the manifests of a snapshot of version 1': async ({ ours, theirs }) =>
    inSnapshot(ours.metadata, { 'manifest-list': undefined, manifests: [String(theirs.manifest.manifest_path)] }),
  'a statistics file': async ({ ours, theirs }) => ({
    ...ours.metadata,
    statistics: [{ 'snapshot-id': 1n, 'statistics-path': theirs.file.location }],
  }),
  'a file of partition statistics': async ({ ours, theirs }) => ({
    ...ours.metadata,
    'partition-statistics': [{ 'snapshot-id': 1n, 'statistics-path': theirs.file.location }],
  }),
  'a file by a link in its own folder': async ({ ours, theirs }) => {
    const path = localPath(ours.file.location);
    await rename(path, `${path}.own`);
    await symlink(localPath(theirs.file.location), path);
    return ours.metadata;
  },
};

for (const [what, name] of Object.entries(NAMES)) {
  t.test(`a table names ${what} of another table → refused, in every way to read it`, async (t) => {
    const two = await twoTables();
    const { lake, theirs, ours } = two;
    const { io } = lake;
    const pool = createQueryPool({ io, ...PATIENT });
    const selector = createSelector({
      ...PATIENT,
      gate: () => undefined,
      io,
      scratch: join(lake.root, 'scratch'),
      memoryLimit: '200MB',
      threads: 1,
    });
    t.teardown(async () => {
      await pool.close();
      await lake.close();
    });
    const scanner = createScanner({ io });
    t.equal((await scanner.files(theirs.metadata)).length, 1, 'what the other table names is in the cache');
    const metadata = await name(two);
    const schema = currentSchema(metadata);
    const to = String(metadata['current-snapshot-id']);
    const reads: Record<string, () => Promise<unknown>> = {
      preview: async () => {
        const files = planRead(await scanner.files(metadata), {
          limit: 9,
          conditions: [],
          sorted: false,
          after: undefined,
        });
        return pool.preview({ files, schema, table: metadata, conditions: [], limit: 9, after: undefined });
      },
      statement: async () => {
        const rows = pinnedRows(metadata, { files: await scanner.files(metadata), schema });
        return selector.rows({ sql: 'select * from x', inputs: new Map([['x', rows]]), limit: 9, maxBytes: 999 });
      },
      increment: async () => {
        const since = await rowsSince(scanner, metadata, { from: null, to });
        const files = 'files' in since ? since.files : [];
        const rows = pinnedRows(metadata, { files, schema });
        return selector.rows({ sql: 'select * from x', inputs: new Map([['x', rows]]), limit: 9, maxBytes: 999 });
      },
    };
    for (const [way, read] of Object.entries(reads)) await t.rejects(read(), OUTSIDE, way);
    if (!what.includes('link')) {
      await t.rejects(referencedFiles(io, { metadata, metadataLocation: ours.metadataLocation }), OUTSIDE, 'sweep');
    }
  });
}

t.test('a commit of a file outside of the table, and on a table that names one → refused', async (t) => {
  const two = await twoTables();
  const { lake, theirs, ours } = two;
  t.teardown(() => lake.close());
  const { io } = lake;
  await t.rejects(prepareAppend({ io, ...ours, files: [theirs.file] }), OUTSIDE);
  const metadata = await NAMES['a manifest']!(two);
  // Metadata as it was read: what this process has just written itself is not read again.
  const read = await readMetadata(io, ours.metadataLocation).catch(() => metadata);
  await t.rejects(
    prepareAppend({ io, ...ours, metadata: structuredClone(read), files: [], allowEmpty: true }),
    OUTSIDE,
  );
});

t.test('a metadata file outside of the folder that it names → refused', async (t) => {
  const { lake, ours, theirs } = await twoTables();
  t.teardown(() => lake.close());
  const copy = join(localPath(theirs.metadata.location), 'metadata', 'copy.metadata.json');
  await mkdir(dirname(copy), { recursive: true });
  await writeFile(copy, await lake.io.read(ours.metadataLocation));
  await t.rejects(readMetadata(lake.io, copy), OUTSIDE);
});
