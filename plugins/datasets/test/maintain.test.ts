import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import type { Tenant } from '@weir/kernel';
import { createRewriter, localPath, readMetadata, referencedFiles, toLocation } from '@weir/lakehouse';
import { workFolders } from '@weir/work';
import t from 'tap';
import { changeMaintenance, getTableHealth, listDatasets, maintainTable, previewDataset } from '../src/contract.ts';
import { dueTables, maintenanceDuties } from '../src/maintain/duties.ts';
import { lookAfterTables, lookAt } from '../src/maintain/look.ts';
import { type CompactionDeps, compactTable } from '../src/rewrite/compact.ts';
import { rewriteProcess } from '../src/rewrite/rewrite-process.ts';
import { worker } from '../src/worker.ts';
import { batch, depsOf, type Lake, lake } from './kit.ts';

const MINUTE = 60_000;
const params = { dataset_id: 'bronze.acme.orders' };
const ROWS = 6;
const LATER = () => Date.now() + 10 * MINUTE;
const quiet = { signal: new AbortController().signal, log: () => undefined };

/** A table of one file a row, and what maintains it. */
async function small(t: Parameters<typeof lake>[0]) {
  const world = await lake(t);
  const acme = await world.tenant('acme');
  for (let id = 0; id < ROWS; id += 1) await world.land(acme, 'orders', [{ id, name: `n${id}` }]);
  const ref = world.tables.bronze(acme, 'orders');
  const base = depsOf(world, world.kernel.db as never);
  const deps: CompactionDeps = {
    ...{ ...base, expiry: { maxAgeHours: 120, minKept: 20 }, catalogName: 'weir', now: LATER },
    ...{ bytesPerHour: 2 ** 30, patienceMs: 0 },
    async rewrite(request) {
      const rewriter = await createRewriter({ io: base.io, scratch: `${base.warehouse}-scratch`, threads: 1 });
      try {
        return await rewriter.rewrite(request);
      } finally {
        rewriter.close();
      }
    },
  };
  const compact = async (more: Partial<CompactionDeps> = {}) => {
    const run = await world.run(acme);
    try {
      return await compactTable({ ...deps, ...more }, acme, { ref, ...run, ...quiet });
    } finally {
      await world.kernel.runs.finish(acme, run.runId, { status: 'succeeded' });
    }
  };
  const { call } = world.as('acme');
  const health = async () => {
    const answer = await call(getTableHealth, { params });
    if (!answer.ok) throw new Error(answer.problem.code);
    return answer.body;
  };
  const rows = async () => {
    const answer = await call(previewDataset, { params, query: { columns: 'id', order: 'id' } });
    return answer.ok ? answer.body.rows.flat().map(Number) : answer.problem.code;
  };
  return { world, acme, ref, deps, compact, call, health, rows };
}

/** Files that the table needs and that are not there. */
async function absent(world: Lake) {
  const { io } = depsOf(world, world.kernel.db as never);
  const [found] = await world.database.peek('select metadata_location from catalog.iceberg_tables');
  const metadataLocation = String(found?.metadata_location);
  const metadata = await readMetadata(io, metadataLocation);
  const needed = await referencedFiles(io, { metadata, metadataLocation });
  const there = new Set(
    (await readdir(localPath(metadata.location), { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile())
      .map((entry) => toLocation(`${entry.parentPath}/${entry.name}`)),
  );
  const listed = (await world.database.peek('select location from datasets.staged_file')).map((row) =>
    String(row.location),
  );
  const known = (location: string) => listed.some((one) => location === one || location.startsWith(`${one}/`));
  return {
    absent: [...needed].filter((location) => !existsSync(localPath(location))),
    unknown: [...there].filter((location) => !needed.has(location) && !known(location)),
  };
}
const SOUND = { absent: [], unknown: [] };

const after =
  (first: () => Promise<unknown>, rewrite: CompactionDeps['rewrite']): CompactionDeps['rewrite'] =>
  async (...asked) => {
    await first();
    return rewrite(...asked);
  };

const newest = async (world: Lake, acme: Tenant) => {
  const [snapshot] = await world.tables.snapshots(acme, world.tables.bronze(acme, 'orders'), { limit: 1 });
  return snapshot;
};

t.test('small files → one file of the same rows, a receipt that proves it, and nothing that runs again', async (t) => {
  const { world, acme, ref, deps, compact, health, rows } = await small(t);
  const before = await rows();
  t.match(await health(), {
    status: 'healthy',
    files: ROWS,
    small_files: ROWS,
    due: [],
    waiting: [{ why: 'calm', files: ROWS }],
  });
  const [pin] = await world.inputs.pin(acme, [{ datasetId: params.dataset_id }]);
  const { runId } = await world.run(acme);
  await world.kernel.db(acme).transaction((tx) => world.inputs.hold(tx, runId, pin === undefined ? [] : [pin]));
  t.equal(await compact(), 1);
  t.strictSame(await rows(), before);
  t.match(await newest(world, acme), { operation: 'replace' });
  const since = { datasetId: params.dataset_id, since: pin?.snapshotId ?? null };
  t.match(await world.inputs.pin(acme, [since]), [{ change: { kind: 'none' }, rowsSnapshotId: pin?.rowsSnapshotId }]);
  const now = await health();
  t.match(now, { files: 1, small_files: 1, manifests: 1, due: [], waiting: [] });
  const [receipt] = now.receipts;
  t.match(receipt, { outcome: 'committed', files_before: ROWS, files_after: 1, rows_before: ROWS, rows_after: ROWS });
  t.equal(receipt?.checksum_before, receipt?.checksum_after);
  t.strictSame(await absent(world), SOUND);
  t.equal(await compact(), 0, 'nothing is left to do');
  t.equal(await lookAt({ ...deps, slots: 1 }, acme, ref), 'healthy');
  await world.land(acme, 'orders', [{ id: ROWS, name: 'later' }]);
  t.strictSame(await rows(), [...(before as number[]), ROWS]);
});

t.test('commits of others while files are rewritten → all stand, and no commit of theirs loses', async (t) => {
  const { world, acme, ref, deps, compact, rows } = await small(t);
  let id = ROWS;
  const appending = () => world.land(acme, 'orders', [{ id: id++, name: 'beside' }]);
  t.equal(await compact({ rewrite: after(appending, deps.rewrite) }), 1);
  t.strictSame(
    await rows(),
    Array.from({ length: ROWS + 1 }, (_, at) => at),
  );
  // An overwrite takes the files away: the bin is dropped, and its files go.
  for (let more = 0; more < 5; more += 1) await appending();
  const overwriting = async () => {
    const { runId, leaseEpoch } = await world.run(acme);
    const files = await world.stage(acme, ref, [{ id: 0, name: 'alone' }], runId);
    const tables = [{ ...batch(ref, files), mode: 'overwrite' as const }];
    await world.tables.commit(acme, { runId, leaseEpoch, tables, checkpoints: [] });
    await world.kernel.runs.finish(acme, runId, { status: 'succeeded' });
  };
  t.equal(await compact({ rewrite: after(overwriting, deps.rewrite) }), 0);
  t.strictSame(await rows(), [0]);
  t.strictSame(await absent(world), SOUND);
});

t.test(
  'a run that has staged files → the rewrite waits for it; three times, and the table is blocked and says so',
  async (t) => {
    const { world, acme, ref, deps, compact, health, rows, call } = await small(t);
    const before = await rows();
    const listed = async (query: object) => {
      const answer = await call(listDatasets, { query });
      return answer.ok
        ? answer.body.items.map((one) => [one.dataset_id, one.health, one.blocked?.why])
        : answer.problem;
    };
    t.strictSame(await listed({}), [[params.dataset_id, null, undefined]], 'nothing has looked at it yet');
    const { runId } = await world.run(acme);
    const { location } = await world.tables.prepare(acme, ref, { properties: { id: { type: 'integer' } } });
    await world.tables.recordStaged(acme, runId, [{ ref, location: `${location}/data/${runId}-1-0`, isFolder: true }]);
    for (let race = 1; race <= 3; race += 1) {
      t.equal(await compact(), 0);
      t.match((await health()).receipts, { length: race });
    }
    t.match((await health()).receipts, [{ outcome: 'lost', snapshot_id: null }]);
    t.equal(await lookAt({ ...deps, slots: 1 }, acme, ref), 'healthy', 'it waits');
    t.match(await health(), { status: 'blocked', blocked: { why: 'races' }, waiting: [{ why: 'races', files: ROWS }] });
    const { checks } = await world.kernel.readiness(acme, 'source', acme.tenantId);
    t.match(
      checks.find(({ check }) => check === 'table_health'),
      { status: 'warning', blocks: false, items: [{ name: params.dataset_id, code: 'races' }] },
    );
    t.strictSame(await listed({ health: 'blocked' }), [[params.dataset_id, 'blocked', 'races']]);
    t.strictSame(await listed({ health: 'due' }), []);
    let counted: () => Promise<unknown> = async () => undefined;
    const gauge = ({ read }: { read(): Promise<unknown> }) => {
      counted = read;
    };
    const counting = dueTables({ db: world.kernel.db, metrics: { gauge } as never });
    t.strictSame(await counted(), [], 'this process has not counted');
    await counting.perTenant(acme, quiet.signal);
    const of = (status: string, value: number) => ({ labels: { status }, value });
    t.strictSame(await counted(), [of('due', 0), of('blocked', 1)]);
    await world.kernel.runs.finish(acme, runId, { status: 'failed' });
    const calm = { now: () => Date.now() + 61 * MINUTE };
    t.equal(await compact(calm), 1, 'after a calm hour');
    t.strictSame(await rows(), before);
    t.strictSame(await absent(world), SOUND);
  },
);

t.test('a process that dies at any step → the table is as before or as after, and every file is known', async (t) => {
  for (const step of ['ledger', 'staged', 'written', 'moved', 'removed'] as const) {
    const { world, acme, deps, compact, rows } = await small(t);
    const before = await rows();
    const dying = async () => {
      throw new Error('killed');
    };
    let transactions = 0;
    const io = {
      ...deps.io,
      ...(step === 'written' && { write: dying }),
      ...(step === 'removed' && { remove: dying }),
    };
    const db: typeof deps.kernel.db = (tenant) => ({
      async transaction(work) {
        transactions += 1;
        const isLast = step === 'moved' && transactions > 8;
        const result = await deps.kernel.db(tenant).transaction(work);
        return isLast ? dying() : result;
      },
    });
    const rewrite: CompactionDeps['rewrite'] = async (...asked) => {
      const done = await deps.rewrite(...asked);
      return step === 'staged' ? dying() : done;
    };
    const dead = { io, rewrite: step === 'ledger' ? dying : rewrite, kernel: { ...deps.kernel, db } };
    await compact(dead as never).catch(() => undefined);
    t.strictSame(await rows(), before, step);
    t.strictSame(await absent(world), SOUND, step);
    await compact();
    t.strictSame(await rows(), before, `${step}, then again`);
    t.match(await newest(world, acme), { operation: 'replace' });
  }
});

t.test('a table that is due → a run of the platform, once; paused and spent budgets start nothing', async (t) => {
  const { world, acme, ref, deps, call } = await small(t);
  const look = { ...deps, slots: 1 };
  const runs = async () =>
    world.database.peek("select kind, subject_id from kernel.run where kind = 'table-maintenance'");
  t.equal(await lookAt({ ...look, bytesPerHour: 0 }, acme, ref), 'due');
  t.match(await call(changeMaintenance, { params, body: { paused: true, keep_days: 7 } }), {
    body: { paused: true, keep_days: 7, target_file_bytes: null },
  });
  await world.database.peek('update datasets.table_health set next_at = now() returning 1');
  await lookAfterTables(look, acme, quiet.signal);
  t.strictSame(await runs(), []);
  await call(changeMaintenance, { params, body: { paused: false } });
  await lookAfterTables(look, acme, quiet.signal);
  await world.database.peek('update datasets.table_health set next_at = now() returning 1');
  await lookAfterTables(look, acme, quiet.signal);
  t.equal((await runs()).length, 1);
  t.match(await call(maintainTable, { params, body: {} }), { problem: { code: 'run_already_active' } });
});

t.test('a dry run → what would be done, and nothing is; orphans take an admin', async (t) => {
  const { world, call } = await small(t);
  const dry = await call(maintainTable, { params, body: { dry_run: true, actions: ['compact', 'expire'] } });
  t.match(dry, { status: 200, body: { run_id: null, would: [] } });
  const editor = world.as('acme', 'pipeline_editor').call;
  t.match(await editor(maintainTable, { params, body: { actions: ['orphans'] } }), {
    problem: { code: 'orphans_need_admin' },
  });
  t.match(await editor(maintainTable, { params, body: {} }), {
    status: 202,
    body: { run_id: String, workflow_id: String },
  });
  const viewer = world.as('acme', 'viewer').call;
  t.match(await viewer(maintainTable, { params, body: {} }), { status: 403 });
});

t.test(
  'WEIR_MAINTENANCE_SLOTS, _BYTES_PER_HOUR, _MEMORY_MIB → bound the rounds and the process of a rewrite',
  async (t) => {
    const { world, acme, deps, compact, rows } = await small(t);
    const round = async (WEIR_MAINTENANCE_SLOTS: number, WEIR_MAINTENANCE_BYTES_PER_HOUR: number) => {
      await world.database.peek('update datasets.table_health set next_at = now() returning 1');
      const [duty] = maintenanceDuties(deps, { WEIR_MAINTENANCE_SLOTS, WEIR_MAINTENANCE_BYTES_PER_HOUR } as never);
      await duty?.perTenant(acme, quiet.signal);
      return (await world.database.peek("select 1 from kernel.run where kind = 'table-maintenance'")).length;
    };
    t.equal(await round(0, 2 ** 30), 0);
    t.equal(await round(1, 0), 0);
    t.equal(await round(1, 2 ** 30), 1);
    const { slotMiB } = worker;
    t.equal(
      typeof slotMiB === 'function' &&
        slotMiB({ settings: { WEIR_MAINTENANCE_MEMORY_MIB: 400 } } as never, {} as never),
      912,
    );
    const before = await rows();
    const folders = workFolders(`${deps.warehouse}-work`, () => undefined);
    const begun: string[] = [];
    const children = {
      started: ({ name }: { name: string }) => void begun.push(name),
      ended: () => void begun.push('ended'),
    };
    const rewrite = rewriteProcess(deps, { children, folders, memoryMiB: 200 });
    t.equal(await compact({ rewrite }), 1, 'in a process of its own');
    t.strictSame([await rows(), begun], [before, ['rewrite', 'ended']]);
  },
);
