import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import t from 'tap';
import { inLane } from '../../test/lane.ts';
import {
  createQueryPool,
  createScanner,
  createStager,
  createTable,
  currentSchema,
  findSnapshot,
  type PreparedCommit,
  parseCondition,
  planRead,
  prepareRowDelta,
  prepareSchemaUpdate,
  type RowPosition,
  type TableMetadata,
  type Transform,
  withMetaColumns,
} from '../src/index.ts';
import { partitionSpec } from '../src/partition/partition-type.ts';
import { line, openLake, PATIENT, SHAPE } from './lake.ts';
import { runPython } from './python.ts';

const isCompared = inLane('interop-all');
const TABLES = isCompared ? 12 : 5;
const PAGE = 4;
/** Field ids of the columns that are compared: the key, a text by which some tables are divided, and a number. */
const IDS = [1, 2, 3];
const THRESHOLD = 5;

type Row = readonly [id: number, k: string, n: number];
const byKey = (a: Row, b: Row): number => a[0] - b[0];
const isAbove = ([, , n]: Row): boolean => n > THRESHOLD;

const step = fc.oneof(
  { weight: 4, arbitrary: fc.array(fc.tuple(fc.nat(12), fc.nat(2), fc.nat(9)), { minLength: 1, maxLength: 8 }) },
  { weight: 1, arbitrary: fc.constantFrom('rename' as const, 'add' as const, 'widen' as const) },
);
const someTable = fc.record({
  transform: fc.constantFrom<Transform | undefined>(undefined, 'identity', 'truncate[1]', 'bucket[2]'),
  steps: fc.array(step, { minLength: 2, maxLength: 6 }),
});

/** All rows of each snapshot, and those above a threshold, as PyIceberg and, of the newest, DuckDB read them. */
const READ = `
import json, sys
import duckdb, duckdb_extension_avro, duckdb_extension_iceberg, glob, os
from pyiceberg.table import StaticTable
IDS, THRESHOLD = [1, 2, 3], 5
connection = duckdb.connect()
for package in (duckdb_extension_avro, duckdb_extension_iceberg):
  file = glob.glob(os.path.join(os.path.dirname(package.__file__), '**', '*.duckdb_extension'), recursive=True)[0]
  connection.execute(f"LOAD '{file}'")
out = []
for location in sys.argv[1:]:
  table = StaticTable.from_metadata(location)
  snapshots = {}
  for snapshot in table.snapshots():
    schema = next(s for s in table.metadata.schemas if s.schema_id == snapshot.schema_id)
    names = [schema.find_column_name(id) for id in IDS]
    read = lambda **how: sorted([row[name] for name in names] for row in
      table.scan(snapshot_id=snapshot.snapshot_id, selected_fields=tuple(names), **how).to_arrow().to_pylist())
    rows = read()
    # PyIceberg looks a filter's columns up in the schema of now, also for a snapshot that had other names.
    above = read(row_filter=f'{names[2]} > {THRESHOLD}') if table.schema().find_column_name(3) == names[2] else [
      row for row in rows if row[2] > THRESHOLD]
    snapshots[str(snapshot.snapshot_id)] = [rows, above]
  names = [table.schema().find_column_name(id) for id in IDS]
  rows = connection.execute(f"SELECT {', '.join(names)} FROM iceberg_scan('{location[7:]}')").fetchall()
  out.append({'snapshots': snapshots, 'duckdb': sorted([list(row) for row in rows])})
print(json.dumps(out))`;

t.test('tables with deletes, partitions and changed schemas read as a model says at every snapshot', async (t) => {
  const lake = await openLake();
  const { io } = lake;
  const stager = await createStager({ io, scratch: join(lake.root, 'scratch') });
  const pool = createQueryPool({ io, ...PATIENT });
  const scanner = createScanner({ io });
  t.teardown(async () => {
    await pool.close();
    stager.close();
    await lake.close();
  });

  const live = async ({ transform, steps }: typeof someTable extends fc.Arbitrary<infer T> ? T : never) => {
    let at: { metadata: TableMetadata; metadataLocation: string } = await createTable({
      io,
      location: `file://${lake.root}/${randomUUID()}`,
      columns: withMetaColumns([
        { name: 'id', type: 'int' },
        { name: 'k', type: 'string' },
        { name: 'n', type: 'int' },
      ]),
      ...(transform === undefined ? {} : { partitionBy: [{ column: 'k', transform }] }),
    });
    const rows = new Map<number, Row>();
    const snapshots = new Map<bigint, readonly Row[]>();
    const done = ({ metadata, newMetadataLocation }: PreparedCommit): void => {
      at = { metadata, metadataLocation: newMetadataLocation };
      const current = metadata['current-snapshot-id'];
      if (current !== undefined) snapshots.set(current, [...rows.values()].toSorted(byKey));
    };
    for (const [turn, one] of steps.entries()) {
      const schema = currentSchema(at.metadata);
      const number = schema.fields.find(({ id }) => id === 3)!;
      if (one === 'rename') {
        done(await prepareSchemaUpdate({ io, ...at, changes: [{ change: 'rename', id: 3, name: `n${turn}` }] }));
      } else if (one === 'widen') {
        if (number.type === 'int') {
          done(await prepareSchemaUpdate({ io, ...at, changes: [{ change: 'widen', id: 3, type: 'long' }] }));
        }
      } else if (one === 'add') {
        const column = { name: `more${turn}`, type: 'string' } as const;
        done(await prepareSchemaUpdate({ io, ...at, changes: [{ change: 'add', column }] }));
      } else {
        const source = join(lake.root, `${randomUUID()}.ndjson`);
        await writeFile(source, one.map(([id, k, n]) => line({ id, k: `k${k}`, [number.name]: n })).join(''));
        const spec = partitionSpec(at.metadata);
        const common = { schema, spec, runId: `run-${turn}`, key: [1] };
        const folder = () => `${at.metadata.location}/data/${randomUUID()}`;
        const copied = await stager.copy({
          ...common,
          source,
          shape: SHAPE,
          folder: folder(),
          ordered: true,
          position: 0,
        });
        const { files, removed } = await stager.merge({
          ...{ ...common, batch: copied.files, live: await scanner.files(at.metadata), table: at.metadata },
          ...{ folder: folder(), mode: 'merge', strategy: 'positions' },
        });
        for (const [id, k, n] of one) rows.set(id, [id, `k${k}`, n]);
        const baseSnapshotId = at.metadata['current-snapshot-id'];
        done(await prepareRowDelta({ io, ...at, files, removed, baseSnapshotId }));
      }
    }
    return { ...at, snapshots };
  };

  const rowsOf = async (metadata: TableMetadata, snapshotId: bigint, filtered: boolean): Promise<Row[]> => {
    const id = findSnapshot(metadata, snapshotId)?.['schema-id'];
    const schema = metadata.schemas.find((one) => one['schema-id'] === id) ?? currentSchema(metadata);
    const fields = IDS.map((wanted) => schema.fields.find((field) => field.id === wanted)!);
    const above = parseCondition(fields[2]!, 'gt', String(THRESHOLD));
    const conditions = filtered && typeof above === 'object' ? [above] : [];
    const all = await scanner.files(metadata, snapshotId, { conditions });
    const rows: Row[] = [];
    for (let after: RowPosition | undefined; ; ) {
      const files = planRead(all, { limit: PAGE + 1, conditions, sorted: false, after });
      const columns = fields.map(({ name }) => name);
      const page = await pool.preview({ files, schema, table: metadata, columns, conditions, after, limit: PAGE });
      rows.push(...page.rows.map(([key, k, n]): Row => [Number(key), String(k), Number(n)]));
      if (!page.more) return rows.toSorted(byKey);
      after = page.last;
    }
  };

  const tables: Awaited<ReturnType<typeof live>>[] = [];
  for (const one of fc.sample(someTable, TABLES)) tables.push(await live(one));
  let deletes = 0;
  for (const [at, { metadata, snapshots }] of tables.entries()) {
    for (const { 'snapshot-id': id, summary } of metadata.snapshots) {
      const all = snapshots.get(id)!;
      t.strictSame(await rowsOf(metadata, id, false), all, `all rows of a snapshot of table ${at}`);
      t.strictSame(await rowsOf(metadata, id, true), all.filter(isAbove), `its filtered rows of table ${at}`);
      deletes += Number(summary['added-position-deletes'] ?? 0);
    }
  }
  t.ok(deletes > TABLES, `${deletes} rows were deleted by place`);

  if (!isCompared) return;
  const seen = (await runPython(READ, ...tables.map((one) => one.metadataLocation))) as {
    snapshots: Record<string, [unknown, unknown]>;
    duckdb: unknown;
  }[];
  for (const [at, { metadata, snapshots }] of tables.entries()) {
    for (const [id, all] of snapshots) {
      t.strictSame(seen[at]?.snapshots[String(id)], [all, all.filter(isAbove)], `PyIceberg reads table ${at}`);
    }
    const current = metadata['current-snapshot-id'];
    if (current !== undefined) t.strictSame(seen[at]?.duckdb, snapshots.get(current), `DuckDB reads table ${at}`);
  }
});
