import fc from 'fast-check';
import t from 'tap';
import { sample } from '../../test/lane.ts';
import {
  type Column,
  createScanner,
  currentSchema,
  evolveSchema,
  findSnapshot,
  jdbcCatalog,
  prepareAppend,
  prepareOverwrite,
  readMetadata,
  type StagedFile,
  withMetaColumns,
} from '../src/index.ts';
import { noDatabase, openTestCatalog } from './database.ts';
import { line, openLake } from './lake.ts';
import { pythonSession } from './python.ts';
import { type Model, newModel, steps, takeStep } from './table-model.ts';

const COLUMNS: Column[] = [
  { name: 'n', type: 'long' },
  { name: 'i', type: 'int' },
  { name: 'd', type: 'double' },
  { name: 'm', type: 'decimal(18, 2)' },
  { name: 'ok', type: 'boolean' },
  { name: 'day', type: 'date' },
  { name: 'ts', type: 'timestamp' },
  { name: 'tz', type: 'timestamptz' },
  { name: 's', type: 'string' },
];
const BIG = 9_007_199_254_740_993n;
const ROWS_EACH = 100;
const APPENDS = 3;

/** Row number k, the large number digit for digit. */
const row = (k: number): string => {
  const data = {
    n: 'BIG',
    i: k,
    d: k / 8,
    m: `${k}.25`,
    ok: k % 2 === 0,
    day: `2024-01-${String((k % 28) + 1).padStart(2, '0')}`,
    ts: `2024-01-01T00:00:00.${String(k).padStart(6, '0')}`,
    tz: `2024-01-01T00:00:00.${String(k).padStart(6, '0')}+02:00`,
    s: `a long string with a number at its end ${String(k).padStart(6, '0')}`,
  };
  return line(data).replace('"BIG"', String(BIG + BigInt(k)));
};

const OPEN = `
import json, sys
from pyiceberg.catalog.sql import SqlCatalog
url, schema, warehouse = sys.argv[1:4]
uri = url.replace('postgres://', 'postgresql://').replace('postgresql://', 'postgresql+psycopg2://')
uri += ('&' if '?' in uri else '?') + 'options=-csearch_path%3D' + schema
catalog = SqlCatalog('weir', uri=uri, warehouse='file://' + warehouse)
table = catalog.load_table('bronze.demo.t')
`;

const READ = `${OPEN}
rows = table.scan().to_arrow().sort_by('i').to_pylist()
filters = ["n > 9007199254741100", "i = 150", "d < 2.5", "m = 7.25", "ok = true", "ok = false",
  "day = '2024-01-05'", "ts >= '2024-01-01T00:00:00.000250'", "tz < '2023-12-31T22:00:00.000010+00:00'",
  "s > 'a long string with a number at its end 000290'", "s = 'a long string with a number at its end 000007'"]
stats = [{k: [str(v['lower_bound']), str(v['upper_bound']), v['null_value_count']]
  for k, v in f['readable_metrics'].items() if k in ('n', 'm', 'ok', 'ts', 'day')}
  for f in sorted(table.inspect.files().to_pylist(), key=lambda f: f['readable_metrics']['n']['lower_bound'])]
print(json.dumps({
  'namespaces': ['.'.join(n) for n in catalog.list_namespaces('bronze')],
  'tables': ['.'.join(n) for n in catalog.list_tables('bronze.demo')],
  'schema': [[f.name, str(f.field_type)] for f in table.schema().fields],
  'count': len(rows), 'first': {k: str(v) for k, v in rows[0].items()}, 'last_n': str(rows[-1]['n']),
  'pruned': [table.scan(row_filter=f).to_arrow().num_rows for f in filters],
  'stats': stats,
  'snapshots': [[str(s.snapshot_id), table.scan(snapshot_id=s.snapshot_id).to_arrow().num_rows] for s in table.snapshots()],
  'summary': dict(table.current_snapshot().summary.additional_properties),
}, default=str))`;

const WRITE = `${OPEN}
import pyarrow as pa
more = table.scan(row_filter='i < 5').to_arrow()
table.append(more)
print(json.dumps({'count': table.scan().to_arrow().num_rows}))`;

const AGREE = `${OPEN}
print(json.dumps({'count': table.scan().to_arrow().num_rows, 'columns': table.schema().column_names,
  'new': sorted({str(v) for v in table.scan().to_arrow()['new'].to_pylist()})}))`;

/** What PyIceberg finds in a table: its entries, totals, specs and schemas. */
const INSPECT = `
import json, sys
from pyiceberg.table import StaticTable
out = []
for location in sys.argv[1:]:
  table = StaticTable.from_metadata(location)
  snapshot = table.current_snapshot()
  entries = table.inspect.entries().to_pylist() if snapshot else []
  live = [e for e in entries if e['status'] != 2]
  out.append({
    'data': sorted([e['data_file']['file_path'], str(e['sequence_number']), str(e['snapshot_id'])]
      for e in live if e['data_file']['content'] == 0),
    'deletes': sorted(e['data_file']['file_path'] for e in live if e['data_file']['content'] == 1),
    'totals': {k: int(v) for k, v in snapshot.summary.additional_properties.items() if k.startswith('total-')} if snapshot else None,
    'columns': table.schema().column_names,
    'spec': [str(f.transform) for f in table.spec().fields],
    'planned': sorted([task.file.file_path, task.file.spec_id] for task in table.scan().plan_files()) if snapshot else [],
  })
print(json.dumps(out))`;

t.test('an independent reader', { skip: noDatabase }, async (t) => {
  const database = await openTestCatalog();
  const lake = await openLake();
  t.teardown(async () => {
    await lake.close();
    await database.close();
  });
  const { sql } = database;
  const { io } = lake;
  const catalog = jdbcCatalog({ catalogName: 'weir', schema: database.schema });
  const ident = { namespace: 'bronze.demo', name: 't' };
  const run = pythonSession(t);
  const python = (script: string) => run(script, database.url, database.schema, lake.root);
  const load = async () => {
    const metadataLocation = (await catalog.loadPointer(sql, ident)) ?? '';
    return { io, metadataLocation, metadata: await readMetadata(io, metadataLocation) };
  };
  const commit = async (text: string, prepare = prepareAppend, schema = currentSchema(created.metadata)) => {
    const { file } = await lake.stage(created.metadata, schema, text);
    const table = await load();
    const files = [file].filter((one): one is StagedFile => one !== undefined);
    const prepared = await prepare({ ...table, files, schema, summary: { 'weir.run-id': 'r1' } });
    t.ok(await catalog.swapPointer(sql, ident, table.metadataLocation, prepared.newMetadataLocation));
    return prepared;
  };
  const created = await lake.table(COLUMNS);
  await catalog.ensureNamespace(sql, ident.namespace);
  await catalog.insertTable(sql, ident, created.metadataLocation);
  for (let turn = 0; turn < APPENDS; turn++) {
    await commit(Array.from({ length: ROWS_EACH }, (_, index) => row(turn * ROWS_EACH + index)).join(''));
  }

  t.test('sees our schema, rows, statistics and snapshots as we wrote them', async (t) => {
    const { metadata } = await load();
    const seen = (await python(READ)) as Record<string, unknown>;
    t.strictSame(seen.schema, [
      ...COLUMNS.map(({ name, type }) => [name, type]),
      ['_extracted_at', 'timestamptz'],
      ['_run_id', 'string'],
      ['_errors', 'list<struct<15: field: optional string, 16: change: optional string, 17: reason: optional string>>'],
      ['_extra', 'string'],
    ]);
    t.match(seen, { count: 300, last_n: String(BIG + 299n), tables: ['bronze.demo.t'], namespaces: ['bronze.demo'] });
    t.match(seen.first, {
      n: String(BIG),
      m: '0.25',
      ts: '2024-01-01 00:00:00',
      tz: '2023-12-31 22:00:00+00:00',
      _errors: '[]',
      _extra: 'None',
    });
    t.strictSame(seen.pruned, [192, 1, 20, 1, 150, 150, 11, 50, 10, 9, 1]);
    t.strictSame(
      seen.stats,
      [0, 100, 200].map((from) => ({
        n: [String(BIG + BigInt(from)), String(BIG + BigInt(from + 99)), 0],
        m: [`${from}.25`, `${from + 99}.25`, 0],
        ok: ['False', 'True', 0],
        day: ['2024-01-01', '2024-01-28', 0],
        ts: [
          `2024-01-01 00:00:00${from ? `.${String(from).padStart(6, '0')}` : ''}`,
          `2024-01-01 00:00:00.${String(from + 99).padStart(6, '0')}`,
          0,
        ],
      })),
    );
    t.strictSame(
      seen.snapshots,
      metadata.snapshots.map((one, index) => [String(one['snapshot-id']), (index + 1) * ROWS_EACH]),
    );
    t.match(seen.summary, { 'weir.run-id': 'r1', 'total-records': '300', 'added-records': '100' });
  });

  t.test('writes to our table, and we go on from what it wrote', async (t) => {
    t.match(await python(WRITE), { count: 305 });
    const table = await load();
    const files = await createScanner({ io }).files(table.metadata);
    t.equal(
      files.reduce((sum, file) => sum + file.recordCount, 0n),
      305n,
    );
    const columns = withMetaColumns([...COLUMNS, { name: 'new', type: 'string' }]);
    const { schema } = evolveSchema(currentSchema(table.metadata), columns, table.metadata['last-column-id']);
    await commit(line({ i: 1, new: 'here' }), prepareAppend, schema);
    t.match(await python(AGREE), { count: 306, new: ['None', 'here'] });
    const replaced = await commit(line({ i: 1, new: 'only' }) + line({ i: 2, new: 'only' }), prepareOverwrite, schema);
    t.match(await python(AGREE), { count: 2, new: ['only'] });
    t.match(findSnapshot(replaced.metadata)?.summary, { 'deleted-records': '306', 'total-records': '2' });
  });

  t.test('finds in tables of any history the same files, numbers and totals', async (t) => {
    const models: Model[] = [];
    for (const path of sample('interop-all', fc.sample(steps, { numRuns: 12, seed: 3 }), 4)) {
      let model = await newModel(io, `file://${lake.root}/life-${models.length}`);
      for (const step of path) ({ next: model } = await takeStep(io, model, step));
      models.push(model);
    }
    const seen = (await run(INSPECT, ...models.map((model) => model.at.metadataLocation))) as {
      data: [string, string, string][];
      [more: string]: unknown;
    }[];
    for (const [at, model] of models.entries()) {
      const { metadata } = model.at;
      const ours = model.data.map(({ location, sequence }) => [location, String(sequence)]);
      t.strictSame(
        seen[at]?.data.map((entry) => entry.slice(0, 2)),
        ours.sort(),
      );
      const bySequence = new Map(
        metadata.snapshots.map((one) => [String(one['sequence-number']), String(one['snapshot-id'])]),
      );
      for (const [, sequence, snapshotId] of seen[at]?.data ?? []) t.equal(snapshotId, bySequence.get(sequence));
      t.match(seen[at], {
        deletes: model.deletes.map((one) => one.location).sort(),
        planned: model.data.map((one) => [one.location, one.specId]).sort(),
        columns: metadata.schemas
          .find((one) => one['schema-id'] === metadata['current-schema-id'])
          ?.fields.map((one) => one.name),
        spec: metadata['partition-specs']
          .find((one) => one['spec-id'] === metadata['default-spec-id'])
          ?.fields.map((one) => one.transform),
        ...(findSnapshot(metadata) && {
          totals: { 'total-data-files': model.data.length, 'total-delete-files': model.deletes.length },
        }),
      });
    }
  });
});
