import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { unpackBlock } from '../src/avro/avro-codec.ts';
import { decodeAvroFile } from '../src/avro/avro-decode.ts';
import { encodeAvroFile } from '../src/avro/avro-encode.ts';
import {
  countFiles,
  createScanner,
  findSnapshot,
  prepareAppend,
  preparePropertyUpdate,
  prepareSchemaUpdate,
  readMetadata,
  stringifyExact,
  type TableMetadata,
  tableFiles,
} from '../src/index.ts';
import { readManifestList } from '../src/manifest/manifest.ts';
import { encodeInteger } from '../src/schema/single-value.ts';
import { openLake } from './lake.ts';
import { pythonSession } from './python.ts';
import { stagedIn } from './table-model.ts';

/** Makes a table of a format version with PyIceberg: two partitions, two appends. */
const MAKE = `
import json, sys
import pyarrow as pa
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.partitioning import PartitionSpec, PartitionField
from pyiceberg.schema import Schema
from pyiceberg.transforms import IdentityTransform
from pyiceberg.types import NestedField, IntegerType, StringType, MapType, FixedType
folder, version = sys.argv[1:3]
catalog = SqlCatalog('w', uri='sqlite:///' + folder + '/c.db', warehouse='file://' + folder)
catalog.create_namespace('n')
schema = Schema(NestedField(1, 'p', IntegerType()), NestedField(2, 's', StringType(), doc='a text'),
  NestedField(3, 'm', MapType(4, StringType(), 5, IntegerType(), False)), NestedField(6, 'f', FixedType(4)))
spec = PartitionSpec(PartitionField(1, 1000, IdentityTransform(), 'p'), spec_id=0)
table = catalog.create_table('n.t', schema, partition_spec=spec, properties={'format-version': version})
for turn in range(2):
  rows = [{'p': p, 's': f'{turn}-{p}', 'm': [('k', turn)], 'f': b'abcd'} for p in (0, 1)]
  table.append(pa.Table.from_pylist(rows, schema=table.schema().as_arrow()))
print(json.dumps(table.metadata_location))`;

const LOOK = `
import json, sys
from pyiceberg.table import StaticTable
table = StaticTable.from_metadata(sys.argv[1])
print(json.dumps({'version': table.format_version,
  'entries': sorted([e['status'], str(e['sequence_number']), str(e['snapshot_id'])] for e in table.inspect.entries().to_pylist()),
  'partitions': sorted([p['partition']['p'], p['file_count']] for p in table.inspect.partitions().to_pylist()),
  'rows': sorted(row['s'] for row in table.scan(row_filter='p = 1').to_arrow().to_pylist())}))`;

const PACK = `
import base64, json, sys
import pyarrow as pa, zlib, zstandard
raw = open(sys.argv[1], 'rb').read()
c = zlib.compressobj(wbits=-15)
packed = {'snappy': pa.compress(raw, codec='snappy', asbytes=True) + b'crc!', 'zstandard': zstandard.compress(raw),
  'deflate': c.compress(raw) + c.flush(), 'null': raw}
print(json.dumps({k: base64.b64encode(v).decode() for k, v in packed.items()}))`;

t.test('tables of other writers', async (t) => {
  const lake = await openLake();
  t.teardown(() => lake.close());
  const python = pythonSession(t);
  const { io } = lake;
  const sizes = async (metadata: TableMetadata) => countFiles(await createScanner({ io }).files(metadata));
  const load = async (metadataLocation: string) => ({
    metadataLocation,
    metadata: await readMetadata(io, metadataLocation),
  });

  t.test('a table of version 1 is read, and our first commit makes it one of version 2', async (t) => {
    const made = await load((await python(MAKE, lake.root, '1')) as string);
    t.match(made.metadata, { 'format-version': 1, 'last-sequence-number': 0n, 'default-spec-id': 0 });
    t.match(await sizes(made.metadata), { rows: 4n });
    t.match(made.metadata.schemas[0]?.fields, [{}, { doc: 'a text' }, { type: { type: 'map' } }, { type: 'fixed[4]' }]);
    const idle = await prepareAppend({ io, ...made, files: [] });
    t.match(idle, { updates: [], newMetadataLocation: made.metadataLocation });

    const [first] = await createScanner({ io }).files(made.metadata);
    t.strictSame(Object.keys(first?.partition ?? {}), ['1000']);
    const file = stagedIn(made.metadata, 1, { location: first?.location ?? '', record_count: '1' });
    const commit = await prepareAppend({ io, ...made, files: [file] });
    t.match(commit.updates[0], { action: 'upgrade-format-version', 'format-version': 2 });
    t.match(commit.metadata, { 'format-version': 2, 'last-sequence-number': 1n });
    t.notOk('schema' in commit.metadata || 'partition-spec' in commit.metadata);
    t.strictSame(await readMetadata(io, commit.newMetadataLocation), commit.metadata);
    t.match(findSnapshot(commit.metadata)?.summary, { 'total-records': '5', 'total-data-files': '5' });
    const old = made.metadata.snapshots.map((one) => String(one['snapshot-id']));
    const seen = (await python(LOOK, commit.newMetadataLocation)) as { entries: [number, string, string][] };
    t.match(seen, {
      version: 2,
      partitions: [
        [0, 2],
        [1, 3],
      ],
    });
    t.strictSame(seen.entries.map(([, sequence, id]) => [sequence, old.includes(id)]).sort(), [
      ['0', true],
      ['0', true],
      ['0', true],
      ['0', true],
      ['1', false],
    ]);

    for (const change of [
      prepareSchemaUpdate({ io, ...made, changes: [{ change: 'add', column: { name: 'n', type: 'int' } }] }),
      preparePropertyUpdate({ io, ...made, set: { a: 'b' } }),
    ]) {
      const { metadata, newMetadataLocation } = await change;
      t.match(metadata, { 'format-version': 2 });
      t.match(await python(LOOK, newMetadataLocation), { version: 2, rows: ['0-1', '1-1'] });
    }
  });

  t.test('a table of version 1 that names no ids, lists nothing and knows no totals', async (t) => {
    const folder = join(lake.root, 'bare');
    await mkdir(folder);
    const old = await load((await python(MAKE, folder, '1')) as string);
    const { location } = old.metadata;
    const snapshot = findSnapshot(old.metadata)!;
    const manifests = (await readManifestList(tableFiles(io, old.metadata), snapshot['manifest-list']!)).map(
      (one) => one.manifest_path,
    );
    const bare = {
      'format-version': 1,
      'table-uuid': old.metadata['table-uuid'],
      location,
      'last-updated-ms': 1,
      'last-column-id': 6,
      schema: { type: 'struct', fields: old.metadata.schemas[0]?.fields },
      'partition-spec': [{ name: 'p', transform: 'identity', 'source-id': 1 }],
      'current-snapshot-id': snapshot['snapshot-id'],
      snapshots: [{ 'snapshot-id': snapshot['snapshot-id'], 'timestamp-ms': 1, manifests }],
    };
    const metadataLocation = `${location}/metadata/v7.metadata.json`;
    await io.write(metadataLocation, Buffer.from(stringifyExact(bare)));
    const table = await load(metadataLocation);
    t.match(await sizes(table.metadata), { rows: 4n });
    t.match(table.metadata, { refs: { main: { type: 'branch' } }, 'last-partition-id': 1000, 'current-schema-id': 0 });
    const value = encodeInteger('int', 1n).toString('base64');
    const file = { ...stagedIn(table.metadata, 1), spec_id: 0, partition: { 1000: value } };
    const commit = await prepareAppend({ io, ...table, files: [file] });
    t.match(commit.newMetadataLocation, /\/00008-/);
    t.match(findSnapshot(commit.metadata)?.summary, { 'total-records': '11', 'total-data-files': '5' });
    t.match(await sizes(commit.metadata), { rows: 11n });
    const counts = await readManifestList(
      tableFiles(io, commit.metadata),
      findSnapshot(commit.metadata)?.['manifest-list'] ?? '',
    );
    t.ok(
      counts.every((one) => typeof one.added_files_count === 'number' && typeof one.existing_rows_count === 'bigint'),
    );
  });

  t.test('blocks in every codec that writers use are unpacked, others and damaged ones are avro_invalid', async (t) => {
    const raw = Buffer.concat([
      Buffer.from('abcabcabc'.repeat(3000)),
      Buffer.from(Array.from({ length: 70_000 }, (_, at) => (at * at) % 251)),
    ]);
    const path = join(lake.root, 'raw');
    await writeFile(path, raw);
    const packed = Object.entries((await python(PACK, path)) as Record<string, string>);
    t.equal(packed.length, 4);
    for (const [codec, text] of packed) {
      const block = Buffer.from(text, 'base64');
      t.ok(unpackBlock(codec, block).equals(raw), codec);
      if (codec !== 'null')
        t.throws(() => unpackBlock(codec, block.subarray(0, block.length / 2)), { code: 'avro_invalid' });
    }
    for (const codec of ['lzma', 'constructor', '__proto__']) {
      t.throws(() => unpackBlock(codec, raw), { code: 'avro_invalid' });
    }
  });

  t.test('fields of a manifest go by their ids, whatever a writer calls them, and types by their names', async (t) => {
    const fixed = { type: 'fixed', name: 'x.f4', size: 4 };
    const fields = [
      { name: 'theirs', type: ['null', fixed], 'field-id': 1 },
      { name: 'other', type: 'f4', 'field-id': 2 },
      { name: 'free', type: { type: 'string' } },
    ];
    const rows = [{ theirs: null, other: Buffer.from('wxyz'), free: 'ü' }];
    const bytes = encodeAvroFile({ type: 'record', name: 'r', fields }, {}, rows);
    const expected = { type: 'record', name: 'e', fields: [{ name: 'ours', type: 'bytes', 'field-id': 1 }] };
    t.strictSame(decodeAvroFile(bytes, expected).rows, [{ ours: null, other: Buffer.from('wxyz'), free: 'ü' }]);
  });
});
