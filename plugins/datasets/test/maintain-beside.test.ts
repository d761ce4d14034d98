import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import type { Tenant } from '@weir/kernel';
import { createRewriter, createStager, type currentSchema, type LineShape, readMetadata } from '@weir/lakehouse';
import t, { type Test } from 'tap';
import { pythonSession } from '../../../lakehouse/test/python.ts';
import { inLane } from '../../../test/lane.ts';
import { pace } from '../../../test/until.ts';
import { type PinnedInput, previewDataset, type TableRef } from '../src/contract.ts';
import { type CompactionDeps, compactTable } from '../src/rewrite/compact.ts';
import { expireTable } from '../src/sweep/expire.ts';
import { batch, depsOf, type Lake, lake } from './kit.ts';

const SYNCS = inLane('maintenance') ? 200 : 10;
const APPENDS = SYNCS / 2;
const FOREIGN_APPENDS = SYNCS / 2;
/** Rewrites of each table that land meanwhile, or there are more syncs. */
const LANDED = SYNCS / 10;
/** Ids that merges bring and delete again. */
const IDS = 40;
/** What a source takes to say something: a sync has nothing staged meanwhile. */
const SOURCE_MS = 250;
/** Syncs after which a line is said: a file without output is taken to hang. */
const SAID = 10;
/** Sources that take longer and longer once there were enough syncs, so that rewrites land on a slow machine too. */
const sourceMs = (over: number): number => SOURCE_MS * Math.max(1, over);
const HOUR = 3_600_000;
const PROPERTIES = { id: { type: 'integer' }, name: { type: 'string' }, gone: { type: 'string' } };
const SHAPE: LineShape = { data: ['record', 'data'], extractedAt: ['record', 'emitted_at'] };

const APPEND = `
import datetime, json, sys
import pyarrow as pa
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.exceptions import CommitFailedException, ValidationException
uri, name, first, count = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
catalog = SqlCatalog('weir', uri=uri, init_catalog_tables='false')
lost = 0
for id in range(first, first + count):
  while True:
    table = catalog.load_table(name)
    schema = table.schema().as_arrow()
    row = {field.name: None for field in schema}
    row.update(id=id, name='elsewhere', _errors=[], _run_id='elsewhere')
    row['_extracted_at'] = datetime.datetime.now(datetime.timezone.utc)
    try:
      table.append(pa.Table.from_pylist([row], schema=schema))
      break
    except (CommitFailedException, ValidationException):
      lost += 1
print(json.dumps({'lost': lost}))`;

/** Every snapshot of a table, all its files read by PyIceberg and by DuckDB: rows, and a checksum of them, as each finds it. */
const SNAPSHOTS = `
import glob, importlib, json, os, sys
import duckdb
from pyiceberg.table import StaticTable
location = sys.argv[1]
connection = duckdb.connect(config={'threads': 1})
connection.execute('SET autoinstall_known_extensions = false')
for name in ('avro', 'iceberg'):
  package = importlib.import_module(f'duckdb_extension_{name}')
  path = glob.glob(os.path.join(os.path.dirname(package.__file__), '**', '*.duckdb_extension'), recursive=True)[0]
  connection.execute(f"LOAD '{path}'")
def proof(rows):
  return [str(value) for value in connection.sql(f"SELECT count(*), coalesce(bit_xor(hash(id, name)), 0) FROM {rows}").fetchone()]
table = StaticTable.from_metadata(location)
found = []
for one in table.snapshots():
  arrow = table.scan(snapshot_id=one.snapshot_id, selected_fields=('id', 'name')).to_arrow()
  connection.register('theirs', arrow)
  scan = f"iceberg_scan('{location.removeprefix('file://')}', snapshot_from_id={one.snapshot_id})"
  found.append({'id': str(one.snapshot_id), 'parent': str(one.parent_snapshot_id), 'operation': one.summary.operation.value,
    'pyiceberg': proof('theirs'), 'duckdb': proof(scan)})
print(json.dumps(found))`;

interface Seen {
  id: string;
  parent: string;
  operation: string;
  pyiceberg: string[];
  duckdb: string[];
}

/** A tenant with two tables, and what writes into them as a sync does. */
async function writers(t: Parameters<typeof lake>[0]) {
  const world = await lake(t);
  const acme = await world.tenant('acme');
  const deps = depsOf(world, world.kernel.db as never);
  const stager = await createStager({ io: deps.io, scratch: `${deps.warehouse}-spool`, threads: 1 });
  t.teardown(() => stager.close());
  await world.database.peek(NOTE_INTENTS);
  let spools = 0;
  /** What a sync stages is in the ledger before it lies there. */
  const place = async (runId: string, ref: TableRef, dataLocation: string) => {
    const folder = `${dataLocation}/${runId}-1-${randomUUID()}`;
    await world.tables.recordStaged(acme, runId, [{ ref, location: folder, isFolder: true }]);
    return folder;
  };
  const spool = async (rows: readonly object[]) => {
    const source = `${deps.warehouse}-spool-${spools++}.ndjson`;
    const line = (data: object) => JSON.stringify({ type: 'RECORD', record: { stream: 's', data, emitted_at: 0 } });
    await writeFile(source, rows.map((row) => `${line(row)}\n`).join(''));
    return source;
  };
  /** One sync of a stream: its rows merged by `id`, those with `gone` deleted; or appended. */
  const sync = async (ref: TableRef, rows: readonly object[], mode: 'merge' | 'append', over = 0) => {
    const { runId, leaseEpoch } = await world.run(acme);
    await pace(sourceMs(over));
    const prepared = await world.tables.prepare(acme, ref, { type: 'object', properties: PROPERTIES });
    const schema = prepared.schema as ReturnType<typeof currentSchema>;
    const idOf = (name: string) => schema.fields.find((field) => field.name === name)?.id ?? 0;
    const key = [idOf('id')];
    const keyed = mode === 'merge' ? { ordered: true, key } : {};
    const folder = await place(runId, ref, prepared.dataLocation);
    const copy = { source: await spool(rows), shape: SHAPE, schema, folder, runId, position: 0, ...keyed };
    const { files: staged } = await stager.copy(copy);
    let change: object = { mode: 'append', files: staged };
    if (mode === 'merge') {
      const own = { folder: await place(runId, ref, prepared.dataLocation), schema, runId, key, batch: staged };
      const head = await world.tables.head(acme, ref);
      const table = await readMetadata(deps.io, head.metadataLocation ?? '');
      const live = await deps.scanner.files(table);
      const how = { mode, strategy: 'positions', deleteMarker: idOf('gone') } as const;
      const { files, removed } = await stager.merge({ ...own, ...how, live, table });
      const all = [...staged, ...files];
      change = { mode: 'row_delta', files, staged: all, deletes: removed, base: head.snapshotId };
    }
    const tables = [{ ...batch(ref, []), ...change }];
    await world.tables.commit(acme, { runId, leaseEpoch, tables, checkpoints: [] });
    await world.kernel.runs.finish(acme, runId, { status: 'succeeded' });
  };
  return { world, acme, deps, sync };
}

/** Keeps what commits meant to write; the ledger forgets it when they have. */
const NOTE_INTENTS = `
create table public.intent (at bigserial, run_id uuid, table_name text, location text);
create function public.note_intent() returns trigger language plpgsql security definer as
  'begin insert into public.intent (run_id, table_name, location) values (new.run_id, new.table_name, new.location); return new; end';
create trigger note_intent after insert on datasets.staged_file for each row execute function public.note_intent()`;

/** Metadata files that syncs meant to write: one for each commit, unless it had to be made again. Old ones come into the ledger once more. */
const INTENDED = `
with first as (select distinct on (location) * from public.intent order by location, at)
select count(*)::int as n from first
where first.table_name = $1 and first.location like '%.metadata.json'
  and first.run_id <> all ($2::uuid[])`;

/** Receipts of which the two proofs differ. */
const CHANGED = `select * from datasets.rewrite_receipt
where rows_before <> rows_after or checksum_before <> checksum_after`;

/** Rounds of maintenance of one table, one after the other, until `isOver`; `landed` counts the rewrites that were published. */
async function rounds(
  { world, acme, deps }: { world: Lake; acme: Tenant; deps: ReturnType<typeof depsOf> },
  {
    ref,
    isOver,
    landed,
    rewriters,
    more,
  }: {
    ref: TableRef;
    isOver(): boolean;
    landed: Record<string, number>;
    rewriters: string[];
    more?: typeof expireTable;
  },
): Promise<void> {
  const own: CompactionDeps = {
    ...{ ...deps, expiry: { maxAgeHours: 1, minKept: 5 }, catalogName: 'weir', now: () => Date.now() + 2 * HOUR },
    ...{ bytesPerHour: 2 ** 40, patienceMs: 2_000 },
    async rewrite(request) {
      const rewriter = await createRewriter({ io: deps.io, scratch: `${deps.warehouse}-scratch`, threads: 1 });
      try {
        return await rewriter.rewrite(request);
      } finally {
        rewriter.close();
      }
    },
  };
  const { signal } = new AbortController();
  while (!isOver()) {
    const run = await world.run(acme);
    rewriters.push(run.runId);
    const rewrites = await compactTable(own, acme, { ref, ...run, signal, log: () => undefined });
    landed[ref.table] = (landed[ref.table] ?? 0) + rewrites;
    await more?.(own, acme, ref);
    await world.kernel.runs.finish(acme, run.runId, { status: 'succeeded' });
  }
}

type Writers = Awaited<ReturnType<typeof writers>>;
type Sync = Writers['sync'];

/** Merges with deletes, one after the other, until there were enough and `isEnough`; how many, and the rows that are left. */
async function merges(sync: Sync, ref: TableRef, isEnough: () => boolean) {
  const rows = new Map([[-1, 'first']]);
  let count = 0;
  for (; count < SYNCS || !isEnough(); count += 1) {
    const gone = (count * 5) % IDS;
    const brought = [0, 3, 6, 9].map((more) => (count * 7 + more) % IDS).filter((id) => id !== gone);
    const changed = brought.map((id) => ({ id, name: `${count}` }));
    await sync(ref, [...changed, { id: gone, gone: 'yes' }], 'merge', count - SYNCS);
    if (count % SAID === 0) t.comment(`${count} merges`);
    for (const { id, name } of changed) rows.set(id, name);
    rows.delete(gone);
  }
  return { count, rows: [...rows].toSorted(([a], [b]) => a - b) };
}

async function appends(sync: Sync, ref: TableRef, isEnough: () => boolean): Promise<number> {
  let count = 0;
  for (; count < APPENDS || !isEnough(); count += 1) {
    await sync(ref, [{ id: count, name: 'ours' }], 'append', count - APPENDS);
  }
  return count;
}

/** A run that reads these inputs, and is open. */
async function holdOpen({ world, acme }: Pick<Writers, 'world' | 'acme'>, pins: readonly PinnedInput[]): Promise<void> {
  const { runId } = await world.run(acme);
  await world.kernel.db(acme).transaction((tx) => world.inputs.hold(tx, runId, pins));
}

/** Two readers that are not ours find every file of every snapshot, the same rows in each, and a rewrite changed none. */
function assertRead(t: Test, table: string, seen: readonly Seen[]): void {
  const byId = new Map(seen.map((one) => [one.id, one]));
  for (const { id, parent, operation, duckdb, pyiceberg } of seen) {
    t.strictSame(duckdb, pyiceberg, `${table}: both readers find the rows of ${operation} ${id}`);
    const before = byId.get(parent);
    if (operation === 'replace' && before !== undefined) t.strictSame(pyiceberg, before.pyiceberg);
  }
  t.ok(seen.some(({ operation }) => operation === 'replace'));
}

t.test(
  `${SYNCS} merges with deletes beside rounds of maintenance without pause → none has to be made again`,
  async (t) => {
    const writing = await writers(t);
    const { world, acme, sync } = writing;
    const { peek, superuserUrl } = world.database;
    const refs = { orders: world.tables.bronze(acme, 'orders'), beside: world.tables.bronze(acme, 'beside') };
    for (const ref of Object.values(refs)) {
      const entry = { ref, kind: 'source' as const, producerId: acme.tenantId };
      await world.kernel.db(acme).transaction((tx) => world.producers.register(tx, entry));
      await sync(ref, [{ id: -1, name: 'first' }], 'append');
    }
    // A transform reads this moment of both tables, and is still open when all is over.
    const pins = await world.inputs.pin(acme, [
      { datasetId: 'bronze.acme.orders' },
      { datasetId: 'bronze.acme.beside' },
    ]);
    await holdOpen(writing, pins);

    const python = pythonSession(t);
    const catalog = `${superuserUrl.replace(/^\w+:/, 'postgresql+psycopg2:')}?options=-csearch_path%3Dcatalog`;
    const landed = { orders: 0, beside: 0 };
    const rewriters: string[] = [];
    const writersOf = Promise.all([
      merges(sync, refs.orders, () => landed.orders >= LANDED),
      appends(sync, refs.beside, () => landed.beside >= LANDED),
      python(APPEND, catalog, 'bronze.acme.beside', '1000', String(FOREIGN_APPENDS)),
    ]);
    const open = new Set(['writers']);
    const over = writersOf.finally(() => open.clear());
    const isOver = () => open.size === 0;
    await Promise.all([
      rounds(writing, { ref: refs.orders, isOver, landed, rewriters }),
      rounds(writing, { ref: refs.beside, isOver, landed, rewriters, more: expireTable }),
      over,
    ]);
    const [merged, appended] = await writersOf;
    t.comment(`${merged.count} merges, ${landed.orders} rewrites; ${appended} appends, ${landed.beside} rewrites`);

    const [intended] = await peek(INTENDED, ['orders', rewriters]);
    t.equal(intended?.n, merged.count + 1, 'each sync made its commit once');
    const rowsOf = async (table: string) => {
      const query = { columns: 'id,name', order: 'id', limit: 500 };
      const answer = await world.as('acme').call(previewDataset, { params: { dataset_id: table }, query });
      return answer.ok ? answer.body.rows.map(([id, name]) => [Number(id), String(name)]) : answer.problem.code;
    };
    t.strictSame(
      await rowsOf('bronze.acme.orders'),
      merged.rows,
      'every row of a merge is there, none that it deleted',
    );
    t.strictSame(await rowsOf('bronze.acme.beside'), [
      [-1, 'first'],
      ...Array.from({ length: appended }, (_, at) => [at, 'ours']),
      ...Array.from({ length: FOREIGN_APPENDS }, (_, at) => [1000 + at, 'elsewhere']),
    ]);
    t.strictSame(await peek(CHANGED), [], 'every receipt has the same rows before and after');
    for (const { ref, snapshotId } of pins) {
      const { metadataLocation = '' } = await world.tables.head(acme, ref);
      const seen = (await python(SNAPSHOTS, metadataLocation)) as Seen[];
      assertRead(t, ref.table, seen);
      t.ok(
        seen.some(({ id }) => id === snapshotId),
        `${ref.table}: what an open run reads is kept`,
      );
    }
  },
);
