import { readdir } from 'node:fs/promises';
import { localPath } from '@weir/lakehouse';
import t from 'tap';
import { runPython } from '../../../lakehouse/test/python.ts';
import { inLane } from '../../../test/lane.ts';
import { commitTables } from '../src/commit/commit.ts';
import type { TableRef } from '../src/contract.ts';
import { batch, depsOf, type Lake, lake } from './kit.ts';

/** Files of metadata that a table has at most. */
const KEPT = 20;
const COMMITS = inLane('small-commits') ? 1_000 : 24;

/** The rows of the first, the middle and the newest snapshot as PyIceberg reads them, and of the newest as DuckDB does. */
const READ = `
import glob, json, os, sys
import duckdb, duckdb_extension_avro, duckdb_extension_iceberg
from pyiceberg.table import StaticTable
connection = duckdb.connect()
for package in (duckdb_extension_avro, duckdb_extension_iceberg):
  file = glob.glob(os.path.join(os.path.dirname(package.__file__), '**', '*.duckdb_extension'), recursive=True)[0]
  connection.execute(f"LOAD '{file}'")
table = StaticTable.from_metadata(sys.argv[1])
ids = [snapshot.snapshot_id for snapshot in table.snapshots()]
total = lambda id: sum(table.scan(snapshot_id=id).to_arrow()['id'].to_pylist())
print(json.dumps({
  'snapshots': len(ids), 'pyiceberg': [total(ids[at]) for at in (0, len(ids) // 2, -1)],
  'duckdb': [int(one) for one in connection.execute(f"SELECT count(*), sum(id) FROM iceberg_scan('{sys.argv[1][7:]}')").fetchone()],
}))`;

/** The metadata files that lie in the folder of a table, and the one that counts. */
async function metadataOf(world: Lake, ref: TableRef) {
  const acme = await world.tenant('acme');
  const { location = '' } = { location: (await world.tables.prepare(acme, ref, {})).metadataLocation };
  const folder = localPath(location.slice(0, location.lastIndexOf('/')));
  const files = (await readdir(folder)).filter((name) => name.endsWith('.metadata.json'));
  return { location, files };
}

const sumTo = (count: number) => (count * (count + 1)) / 2;

t.test('many small commits → at most 20 metadata files, and other engines read every snapshot', async (t) => {
  const world = await lake(t);
  const acme = await world.tenant('acme');
  const { ref } = await world.land(acme, 'small', [{ id: 1 }]);
  const { runId, leaseEpoch } = await world.run(acme);
  for (let id = 2; id <= COMMITS; id += 1) {
    const files = await world.stage(acme, ref, [{ id }], runId);
    await world.tables.commit(acme, { runId, leaseEpoch, tables: [batch(ref, files, id)], checkpoints: [] });
  }
  const { location, files } = await metadataOf(world, ref);
  t.equal(files.length, KEPT);
  t.strictSame(await world.database.peek('select location from datasets.staged_file', []), [], 'the ledger is empty');
  const half = Math.floor(COMMITS / 2) + 1;
  t.strictSame(await runPython(READ, location), {
    snapshots: COMMITS,
    pyiceberg: [1, sumTo(half), sumTo(COMMITS)],
    duckdb: [COMMITS, sumTo(COMMITS)],
  });
});

t.test('a store that does not remove old metadata → the commit stands, and the ledger keeps the file', async (t) => {
  const world = await lake(t);
  const acme = await world.tenant('acme');
  const { ref } = await world.land(acme, 'small', [{ id: 1 }]);
  const { runId, leaseEpoch } = await world.run(acme);
  const deps = depsOf(world, world.kernel.db as never);
  const remove = async () => {
    throw new Error('not now');
  };
  for (let number = 2; number <= KEPT + 1; number += 1) {
    const tables = [{ ...batch(ref, [], number), mode: 'fence' as const }];
    const request = { runId, leaseEpoch, tables, checkpoints: [] };
    await commitTables({ ...deps, io: { ...deps.io, remove } }, acme, request);
  }
  const { location, files } = await metadataOf(world, ref);
  t.match(location, /\/000\d+-/);
  const left = await world.database.peek('select location from datasets.staged_file', []);
  t.equal(left.length, files.length - KEPT);
  t.ok(left.length > 0 && left.every((row) => String(row.location).includes('.metadata.json')));
});
