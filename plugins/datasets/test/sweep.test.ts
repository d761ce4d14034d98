import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Tenant } from '@weir/kernel';
import { localPath, toLocation } from '@weir/lakehouse';
import fc from 'fast-check';
import t from 'tap';
import { cases } from '../../../test/lane.ts';
import { folderWarehouse, warehouseFaults } from '../../../test/warehouse-files.ts';
import { commitTables } from '../src/commit/commit.ts';
import { previewDataset, type SweepPage, sweepStagedFiles, type TableRef } from '../src/contract.ts';
import { MAX_FILES_OF_ENTRY, sweep } from '../src/sweep/sweep.ts';
import { batch, depsOf, type Lake, lake } from './kit.ts';

const GRACE_HOURS = 24;

/** A world with one table of rows, and what a sweep needs. */
async function open(t: Parameters<typeof lake>[0]) {
  const world = await lake(t);
  const acme = await world.tenant('acme');
  const { ref } = await world.land(acme, 'orders', [{ id: 1 }, { id: 2 }]);
  const deps = { ...depsOf(world, (tenant) => world.kernel.db(tenant)), graceHours: GRACE_HOURS };
  const [table] = (await world.database.peek('select metadata_location from catalog.iceberg_tables')) as {
    metadata_location: string;
  }[];
  const metadata = await deps.scanner.metadata(ref, table?.metadata_location ?? '');
  const [live] = await deps.scanner.files(metadata);
  const run = async (ended: boolean): Promise<string> => {
    const { runId } = await world.run(acme);
    if (ended) await world.kernel.runs.finish(acme, runId, { status: 'failed' });
    return runId;
  };
  return { world, acme, ref, deps, run, location: metadata.location, committed: toLocation(live?.location ?? '') };
}

type Entry = { ref: TableRef | undefined; location: string; isFolder: boolean; runId: string };
type Ages = { age?: number; marked?: number | undefined };

/** Enters a place in the ledger, as if so many hours ago. */
async function enter(world: Lake, tenant: Tenant, entry: Entry, { age = 100, marked }: Ages = {}): Promise<void> {
  const { ref, location, isFolder, runId } = entry;
  await world.kernel.db(tenant).transaction(({ sql }) =>
    sql(
      `insert into datasets.staged_file
         (tenant_id, run_id, location, namespace, table_name, is_folder, staged_at, marked_at)
       values ($1, $2, $3, $4, $5, $6, now() - make_interval(hours => $7), now() - make_interval(hours => $8::int))
       on conflict do nothing`,
      [tenant.tenantId, runId, location, ref?.namespace ?? null, ref?.table ?? null, isFolder, age, marked ?? null],
    ),
  );
}

function stray(location: string): string {
  mkdirSync(dirname(localPath(location)), { recursive: true });
  writeFileSync(localPath(location), 'stray');
  return location;
}

/** Lets so many hours go by for everything in the ledger. */
const wait = (world: Lake, tenant: Tenant, hours: number) =>
  world.kernel.db(tenant).transaction(({ sql }) =>
    sql(
      `update datasets.staged_file set staged_at = staged_at - make_interval(hours => $2),
         marked_at = marked_at - make_interval(hours => $2) where tenant_id = $1`,
      [tenant.tenantId, hours],
    ),
  );

const ledger = (world: Lake) =>
  world.database.peek('select location, marked_at from datasets.staged_file order by staged_at, location');

type Item = (typeof SweepPage)['static']['items'][number];
const outcomes = (items: readonly Item[]) => items.map(({ action, reason }) => `${action} ${reason}`);

t.test('files are marked after one grace and removed after a second one, as the setting has it', async (t) => {
  const { world, acme, ref, deps, run, location } = await open(t);
  const folder = `${location}/data/${randomUUID()}`;
  const files = [stray(`${folder}/a.parquet`), stray(`${folder}/p=1/b.parquet`)];
  const single = stray(`${location}/metadata/${randomUUID()}.avro`);
  const runId = await run(true);
  await enter(world, acme, { ref, location: folder, isFolder: true, runId }, { age: 0 });
  await enter(world, acme, { ref, location: single, isFolder: false, runId }, { age: 0 });
  t.strictSame((await sweep(deps, acme, {})).items, [], 'nothing of today is looked at');
  await wait(world, acme, GRACE_HOURS + 1);
  t.strictSame((await sweep({ ...deps, graceHours: GRACE_HOURS + 2 }, acme, {})).items, [], 'a longer grace');
  t.strictSame(outcomes((await sweep(deps, acme, {})).items), ['mark unreferenced', 'mark unreferenced']);
  t.strictSame(outcomes((await sweep(deps, acme, {})).items), ['keep marked', 'keep marked']);
  await wait(world, acme, GRACE_HOURS + 1);
  for (const file of [...files, single]) t.ok(existsSync(localPath(file)));
  t.strictSame(outcomes((await sweep(deps, acme, {})).items), ['remove unreferenced', 'remove unreferenced']);
  for (const file of [...files, single]) t.notOk(existsSync(localPath(file)));
  t.strictSame(await ledger(world), []);
});

t.test('a commit whose outcome was found late loses nothing, marked or not', async (t) => {
  const { world, acme, ref, deps } = await open(t);
  const { runId, leaseEpoch } = await world.run(acme);
  const files = await world.stage(acme, ref, [{ id: 3 }], runId);
  const { location } = files[0] as { location: string };
  await enter(world, acme, { ref, location: dirname(location), isFolder: true, runId });
  t.strictSame(outcomes((await sweep(deps, acme, {})).items), ['keep run_open'], 'its run is still open');
  await world.tables.commit(acme, { runId, leaseEpoch, tables: [batch(ref, files)], checkpoints: [] });
  await world.kernel.runs.finish(acme, runId, { status: 'failed' });
  await enter(world, acme, { ref, location: dirname(location), isFolder: true, runId });
  await enter(world, acme, { ref, location, isFolder: false, runId }, { marked: 100 });
  const swept = await sweep(deps, acme, {});
  t.strictSame(outcomes(swept.items), ['settle referenced', 'settle referenced']);
  t.strictSame(await ledger(world), []);
  const answer = await world.as('acme').call(previewDataset, { params: { dataset_id: 'bronze.acme.orders' } });
  t.equal(answer.ok && answer.body.rows.length, 3);
});

t.test('a table that cannot be read keeps everything, and takes marks back', async (t) => {
  const { world, acme, ref, deps, run, location } = await open(t);
  const runId = await run(true);
  const file = stray(`${location}/data/${randomUUID()}.parquet`);
  await enter(world, acme, { ref, location: file, isFolder: false, runId }, { marked: 100 });
  const tables = (await world.database.peek('select metadata_location from catalog.iceberg_tables')) as {
    metadata_location: string;
  }[];
  rmSync(localPath(tables[0]?.metadata_location ?? ''));
  t.strictSame(
    outcomes(
      (await sweep({ ...deps, scanner: depsOf(world, (tenant) => world.kernel.db(tenant)).scanner }, acme, {})).items,
    ),
    ['keep table_unreadable'],
  );
  t.ok(existsSync(localPath(file)));
  t.match(await ledger(world), [{ marked_at: null }]);
});

t.test('a dry run answers what is done and does nothing; the route asks for the right', async (t) => {
  const { world, acme, ref, run, location } = await open(t);
  const runId = await run(true);
  const file = stray(`${location}/data/${randomUUID()}.parquet`);
  for (const marked of [100, undefined]) {
    const place = marked === undefined ? stray(`${location}/data/${randomUUID()}.parquet`) : file;
    await enter(world, acme, { ref, location: place, isFolder: false, runId }, { marked });
  }
  t.match(await world.as('acme', 'viewer').call(sweepStagedFiles, {}), { ok: false, problem: { status: 403 } });
  const { call } = world.as('acme', 'pipeline_editor');
  const dry = await call(sweepStagedFiles, { query: { dry_run: true } });
  t.match(dry, { ok: true, body: { dry_run: true, items: [{ done: false }, { done: false }] } });
  t.ok(existsSync(localPath(file)));
  const done = await call(sweepStagedFiles, { query: {} });
  const bare = (answer: typeof dry) => (answer.ok ? answer.body.items.map(({ done: _done, ...item }) => item) : []);
  t.strictSame(bare(done), bare(dry));
  t.notOk(existsSync(localPath(file)));
  t.match(await call(sweepStagedFiles, { query: { page_token: 'x' } }), { ok: false, problem: { status: 400 } });
});

t.test('the route and the hourly sweep take the grace of WEIR_SWEEP_GRACE_HOURS', async (t) => {
  for (const [hours, looked] of [
    [2, 1],
    [4, 0],
  ] as const) {
    const world = await lake(t, { WEIR_SWEEP_GRACE_HOURS: hours });
    const acme = await world.tenant('acme');
    const { runId } = await world.run(acme);
    const location = `file:///nowhere/${randomUUID()}`;
    await enter(world, acme, { ref: undefined, location, isFolder: false, runId }, { age: 3 });
    const answer = await world.as('acme', 'pipeline_editor').call(sweepStagedFiles, { query: { dry_run: true } });
    t.equal(answer.ok && answer.body.items.length, looked);
  }
});

t.test('another tenant sees and sweeps nothing of it', async (t) => {
  const { world, acme, ref, deps, run, location } = await open(t);
  const globex = await world.tenant('globex');
  const file = stray(`${location}/data/${randomUUID()}.parquet`);
  await enter(world, acme, { ref, location: file, isFolder: false, runId: await run(true) }, { marked: 100 });
  t.strictSame((await sweep(deps, globex, {})).items, []);
  t.ok(existsSync(localPath(file)));
});

t.test('what was staged for a table that was never made goes, and nothing of any other table', async (t) => {
  const { world, acme, ref, deps, run, location } = await open(t);
  const runId = await run(true);
  const never = { ...ref, table: 'never' };
  const { dataLocation, brings } = await world.tables.prepare(acme, never, {}, { at: 'commit' });
  t.ok(brings.create, 'the commit makes it');
  t.notOk(existsSync(localPath(dataLocation)), 'nothing is written');
  const [own, other] = [stray(`${dataLocation}/${runId}/a`), stray(`${location}/data/${runId}/a`)];
  for (const folder of [own, other].map(dirname)) {
    await enter(world, acme, { ref: never, location: folder, isFolder: true, runId }, { marked: 50 });
  }
  await sweep(deps, acme, {});
  t.notOk(existsSync(localPath(own)));
  t.ok(existsSync(localPath(other)));
  t.match(await ledger(world), [{ location: dirname(other) }]);
});

const aged = fc.record({
  age: fc.constantFrom(1, 30, 100),
  marked: fc.constantFrom(undefined, 1, 30),
  ended: fc.boolean(),
  table: fc.constantFrom('there', 'missing', 'unnamed'),
  what: fc.constantFrom(
    'committed file',
    'stray file',
    'absent file',
    'folder of strays',
    'folder with a committed file',
  ),
});

t.test('whatever the ledger says: a dry run tells what is then done, and no file that is needed goes', async (t) => {
  const { world, acme, ref, deps, run, location, committed } = await open(t);
  const runs = { true: await run(true), false: await run(false) };
  const refs = { there: ref, missing: { ...ref, table: 'nobody' }, unnamed: undefined };
  const place = (what: string): { location: string; isFolder: boolean; strays: string[] } => {
    const fresh = `${location}/data/${randomUUID()}`;
    switch (what) {
      case 'committed file':
        return { location: committed, isFolder: false, strays: [] };
      case 'stray file':
        return { location: fresh, isFolder: false, strays: [stray(fresh)] };
      case 'absent file':
        return { location: fresh, isFolder: false, strays: [] };
      case 'folder of strays':
        return { location: fresh, isFolder: true, strays: [stray(`${fresh}/a`), stray(`${fresh}/x/b`)] };
      default:
        return { location: dirname(committed), isFolder: true, strays: [] };
    }
  };
  await fc.assert(
    fc.asyncProperty(fc.array(aged, { maxLength: 8 }), async (entries) => {
      await world.kernel.db(acme).transaction(({ sql }) => sql('delete from datasets.staged_file', []));
      const strays: string[] = [];
      for (const { ended, table, what, ...ages } of entries) {
        const made = place(what);
        strays.push(...made.strays);
        await enter(world, acme, { ...made, ref: refs[table as 'there'], runId: runs[`${ended}`] }, ages);
      }
      const before = JSON.stringify(await ledger(world));
      const dry = await sweep(deps, acme, { dry_run: true });
      if (JSON.stringify(await ledger(world)) !== before) return false;
      if (!strays.every((file) => existsSync(localPath(file)))) return false;
      const done = await sweep(deps, acme, {});
      const removed = new Set(dry.items.filter(({ action }) => action === 'remove').flatMap(({ files }) => files));
      const told = (items: readonly Item[]) => JSON.stringify(items.map((item) => ({ ...item, done: true })));
      const right = strays.every((file) => existsSync(localPath(file)) !== removed.has(toLocation(file)));
      for (const file of strays) rmSync(localPath(file), { force: true });
      return right && told(dry.items) === told(done.items) && existsSync(localPath(committed));
    }),
    { numRuns: cases(200) },
  );
  const answer = await world.as('acme').call(previewDataset, { params: { dataset_id: 'bronze.acme.orders' } });
  t.equal(answer.ok && answer.body.rows.length, 2);
});

t.test('what a run has staged stays as long as a commit of it waits to be brought to its end', async (t) => {
  const { world, acme, ref, deps, run, location } = await open(t);
  const runId = await run(true);
  const file = stray(`${location}/data/${randomUUID()}.parquet`);
  await enter(world, acme, { ref, location: file, isFolder: false, runId }, { marked: 50 });
  const pending = (text: string) =>
    world.kernel.db(acme).transaction(({ sql }) => sql(text, [acme.tenantId, ...(text.includes('$2') ? [runId] : [])]));
  await pending(`insert into datasets.pending_checkpoint (tenant_id, commit_id, key, run_id, request)
    values ($1, 'c@1', 'k', $2, '{}'::jsonb)`);
  t.strictSame(outcomes((await sweep(deps, acme, {})).items), ['keep run_open']);
  t.ok(existsSync(localPath(file)));
  const whole = await run(true);
  const part = { tables: [{ streamId: 's', runId }], checkpoints: [] };
  await pending(`update datasets.pending_checkpoint set run_id = '${whole}', request = '${JSON.stringify(part)}'
    where tenant_id = $1`);
  t.strictSame(outcomes((await sweep(deps, acme, {})).items), ['keep run_open'], 'also where another run commits it');
  await pending('delete from datasets.pending_checkpoint where tenant_id = $1');
  await enter(world, acme, { ref, location: file, isFolder: false, runId }, { marked: 50 });
  await sweep(deps, acme, {});
  await wait(world, acme, 2 * GRACE_HOURS);
  t.strictSame(outcomes((await sweep(deps, acme, {})).items), ['remove unreferenced']);
  t.notOk(existsSync(localPath(file)));
});

t.test('a folder of more files than one sweep looks at stays in the ledger until it is empty', async (t) => {
  const { world, acme, ref, deps, run, location } = await open(t);
  const runId = await run(true);
  const folder = `${location}/data/${randomUUID()}`;
  for (let file = 0; file <= MAX_FILES_OF_ENTRY; file += 1) stray(`${folder}/${file}.parquet`);
  await enter(world, acme, { ref, location: folder, isFolder: true, runId }, { marked: 50 });
  t.match((await sweep(deps, acme, {})).items, [{ action: 'remove', file_count: MAX_FILES_OF_ENTRY }]);
  t.equal(readdirSync(localPath(folder)).length, 1);
  t.match(await ledger(world), [{ location: folder }]);
  t.match((await sweep(deps, acme, {})).items, [{ action: 'remove', file_count: 1 }]);
  t.strictSame(await ledger(world), []);
});

/** A folder of a run in the ledger, with a file for each of some rows. */
async function folderOf(world: Lake, acme: Tenant, ref: TableRef, ids: readonly number[]) {
  const { runId, leaseEpoch } = await world.run(acme);
  const { dataLocation } = await world.tables.prepare(acme, ref, {});
  const folder = `${dataLocation}/${runId}`;
  await world.tables.recordStaged(acme, runId, [{ ref, location: folder, isFolder: true }]);
  mkdirSync(localPath(folder), { recursive: true });
  const files: { location: string }[] = [];
  for (const id of ids) {
    const [file] = (await world.stage(acme, ref, [{ id }], runId)) as { location: string }[];
    const location = `${folder}/${id}.parquet`;
    renameSync(localPath(file?.location ?? ''), localPath(location));
    files.push({ ...file, location });
  }
  const request = (staged?: readonly object[]) => ({
    ...{ runId, leaseEpoch, checkpoints: [] },
    tables: [{ ...batch(ref, files.slice(0, 1)), ...(staged && { staged }) }],
  });
  const end = () => world.kernel.runs.finish(acme, runId, { status: 'succeeded' });
  return { folder, files, request, end, lying: () => readdirSync(localPath(folder)).sort() };
}

const places = async (world: Lake) => (await ledger(world)).map(({ location }) => location);

t.test('a commit takes one file of a folder → the rest is removed, and in the ledger until it is', async (t) => {
  const { world, acme, ref, deps, committed } = await open(t);
  const swept = async () => {
    const done: string[] = [];
    for (let look = 0; look < 2; look += 1) {
      await wait(world, acme, GRACE_HOURS + 1);
      done.push(...outcomes((await sweep(deps, acme, {})).items));
    }
    return done;
  };
  const gone = ['mark unreferenced', 'remove unreferenced'];

  await t.test('the rest is said → removed at once', async (t) => {
    const { files, request, lying } = await folderOf(world, acme, ref, [10, 11, 12]);
    await world.tables.commit(acme, request(files));
    t.strictSame([lying(), await places(world)], [['10.parquet'], []]);
  });
  await t.test('the store or the process fails before it is removed → the sweep does it', async (t) => {
    const { files, request, end, lying } = await folderOf(world, acme, ref, [20, 21]);
    const io = { ...deps.io, remove: () => Promise.reject(new Error('lost')) };
    await commitTables({ ...deps, io }, acme, request(files));
    t.strictSame([lying(), await places(world)], [['20.parquet', '21.parquet'], [files[1]?.location]]);
    await end();
    t.strictSame([await swept(), lying(), await places(world)], [gone, ['20.parquet'], []]);
  });
  await t.test('the rest is not said → the folder stays, and the sweep finds it', async (t) => {
    const { folder, request, end, lying } = await folderOf(world, acme, ref, [30, 31]);
    await world.tables.commit(acme, request());
    t.strictSame([lying(), await places(world)], [['30.parquet', '31.parquet'], [folder]]);
    await end();
    t.strictSame([await swept(), lying(), await places(world)], [gone, ['30.parquet'], []]);
  });
  await t.test('a commit of no row → all that was staged for it is removed', async (t) => {
    const { files, request, lying } = await folderOf(world, acme, ref, [40]);
    const asked = request(files);
    await world.tables.commit(acme, { ...asked, tables: asked.tables.map((one) => ({ ...one, files: [] })) });
    t.strictSame([lying(), await places(world)], [[], []]);
  });
  await t.test('a file outside of what the run has entered → never removed', async (t) => {
    const { files, request, lying } = await folderOf(world, acme, ref, [50]);
    await world.tables.commit(acme, request([...files, { location: committed }]));
    t.ok(existsSync(localPath(committed)));
    t.strictSame([lying(), await places(world)], [['50.parquet'], []]);
  });
  const { WEIR_WAREHOUSE: warehouse } = world.kernel.settings as { WEIR_WAREHOUSE: string };
  t.strictSame(await warehouseFaults(world.database.peek, folderWarehouse(warehouse)), { unnamed: [], absent: [] });
});
