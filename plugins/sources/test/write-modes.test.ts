import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { getDataset, previewDataset } from '@weir/plugin-datasets/contract';
import { NO_ROWS_CHECKSUM } from '@weir/plugin-datasets/stage';
import fc from 'fast-check';
import t from 'tap';
import { getSyncReceipt, readRunLogs } from '../src/contract.ts';
import { countersOf, figuresOf, withBatch } from '../src/model/sync/sync-figures.ts';
import { discovered, enableAll, filesSource, ok, streamsOf, synced } from './platform.ts';
import { describedSource } from './ready-source.ts';
import { type SharedPlatform, sharedPlatform } from './shared-platform.ts';

/** Rows of one full load: keys that meet each other, and at times a line without one. */
const load = fc.record({
  keys: fc.array(fc.nat({ max: 6 }), { minLength: 1, maxLength: 20 }),
  hasKeyless: fc.boolean(),
});
const LOADS = 6;

/** A source of one JSON-lines file, whose stream is set as wanted. */
async function people(platform: SharedPlatform, name: string, settings: object) {
  const api = await platform.as('demo');
  const data = join(platform.folder, name);
  await mkdir(data);
  const write = (rows: readonly object[]) =>
    writeFile(join(data, 'people.jsonl'), rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  await write([
    { id: 1, name: 'Ada' },
    { id: 2, name: 'Grace' },
  ]);
  const body = { name, pattern_id: 'files', source_config: { path: data } };
  const properties = { id: { type: 'integer' }, name: { type: 'string' } };
  const source_id = await describedSource(api, body, { name: 'people', properties, ...settings });
  const params = { dataset_id: platform.bronze(`${name}__people`) };
  const rows = async (columns: string) =>
    ok(await api(previewDataset, { params, query: { columns, order: 'id' } })).rows;
  return {
    write,
    rows,
    params,
    stream: async () => (await streamsOf(api, source_id)).get('people'),
    sync: () => synced(api, source_id),
    warnings: async (run_id: string) => {
      const query = { level: 'warn', step: 'commit' } as const;
      const { items } = ok(await api(readRunLogs, { params: { source_id, run_id }, query }));
      return items.map(({ stream, message }) => `${stream}: ${message}`);
    },
  };
}

t.test('a run counts on from what earlier attempts have stored; where a part is missing it knows none', async (t) => {
  const merged = {
    files: [],
    removed: [],
    base: null,
    inserted: 1,
    updated: 0,
    deduplicated: 3,
    replacedOfRun: 0,
    deleted: 0,
    keepsBatch: false,
  };
  const batch = { parts: [], quarantine: [], rejected: 0, replacedFiles: [], state: undefined };
  const next = { stream: 's', number: 2, batch, merged, replaces: false, changesTable: true, isWhole: false };
  const after = (counters: Record<string, number>) => {
    const figures = withBatch(figuresOf({ state: null, counters, runId: 'r' }, 'r'), next, undefined);
    const stored = { state: null, counters: countersOf(figures), runId: 'r' };
    t.equal(figuresOf(stored, 'r').rowsDeduplicated, figures.rowsDeduplicated, 'it is stored as it is');
    t.equal(figuresOf(stored, 'another').rowsDeduplicated, 0, 'and is that of its run alone');
    return figures.rowsDeduplicated;
  };
  const part = {
    files: [],
    rows: 1,
    rowsWithErrors: 0,
    rowsWithExtra: 0,
    bytes: 1,
    checksum: NO_ROWS_CHECKSUM,
    captured: [],
  };
  const replacing = (replacedOfRun: number) => {
    const own = { ...merged, inserted: 1, deduplicated: 0, keepsBatch: true, replacedOfRun };
    const figures = figuresOf(undefined, 'r');
    return withBatch(figures, { ...next, batch: { ...batch, parts: [part], replacedFiles: ['a'] }, merged: own }, 1);
  };
  t.match(replacing(0), { rowsInTable: 1, checksum: NO_ROWS_CHECKSUM }, 'rows of other runs went');
  t.match(replacing(1), { rowsInTable: 0, checksum: undefined }, 'of rows of the run itself only the table knows');
  t.equal(after({ batch: 1, rows_deduplicated: 2 }), 5);
  t.equal(after({ batch: 1 }), undefined, 'a release that did not count was there before');
});

t.test('rows get into their tables by the write mode and the schema change policy of their stream', async (t) => {
  const platform = await sharedPlatform(t);
  const api = await platform.as('demo');

  await t.test('merge: the last row of a key stands, once', async (t) => {
    const { write, rows, sync, warnings } = await people(platform, 'merged', {
      ...{ sync_mode: 'full_refresh', write_mode: 'merge', primary_key: [['id']] },
    });
    const first = await sync();
    t.match(first, { status: 'succeeded', rows_written: 2, rows_deduplicated: 0 });
    t.strictSame(await warnings(first.run_id), []);
    await write([
      { id: 2, name: 'Hopper' },
      { id: 3, name: 'Joan' },
      { id: 3, name: 'Hedy' },
    ]);
    const run = await sync();
    t.match(run, {
      ...{ status: 'succeeded', rows_written: 3, rows_deduplicated: 1 },
      streams: [{ rows_in_table: 2, rows_deduplicated: 1 }],
    });
    t.strictSame(await warnings(run.run_id), [
      'people: 1 of 3 rows shared their key with a later row; the last one was kept. Check that the primary key (id) tells the rows apart.',
    ]);
    t.strictSame(await rows('id,name'), [
      ['1', 'Ada'],
      ['2', 'Hopper'],
      ['3', 'Hedy'],
    ]);
  });

  await t.test('merge: a full load accounts for every row that it read', async (t) => {
    const data = join(platform.folder, 'loads');
    await mkdir(data);
    const loads = [{ keys: [1, 1], hasKeyless: true }, ...fc.sample(load, LOADS - 1)];
    for (const [at, { keys, hasKeyless }] of loads.entries()) {
      const lines = keys.map((id, place) => JSON.stringify({ id, place }));
      const file = [...lines, ...(hasKeyless ? ['{"place":-1}'] : [])].join('\n');
      await writeFile(join(data, `load_${at}.jsonl`), `${file}\n`);
    }
    const { source_id } = await filesSource(api, 'loads', data);
    t.match(await discovered(api, source_id), { status: 'succeeded' });
    await enableAll(api, source_id, { sync_mode: 'full_refresh', write_mode: 'merge', primary_key: [['id']] });
    const { run_id } = await synced(api, source_id);
    const { receipt } = ok(await api(getSyncReceipt, { params: { sync_run_id: run_id } }));
    t.equal(receipt.streams.length, LOADS);
    for (const stream of receipt.streams) {
      const { keys, hasKeyless } = loads[Number(stream.name.replace('load_', ''))] ?? { keys: [], hasKeyless: false };
      const inTable = new Set(keys).size;
      t.match(stream, {
        ...{ status: 'succeeded', rows_read: keys.length + Number(hasKeyless), rows_quarantined: Number(hasKeyless) },
        ...{ rows_written: keys.length, rows_in_table: inTable, rows_deduplicated: keys.length - inTable },
      });
    }
    const total = loads.reduce((sum, { keys }) => sum + keys.length - new Set(keys).size, 0);
    t.equal(receipt.rows_deduplicated, total);
  });

  await t.test('merge: a row that changed twice since the last sync is counted, and nothing to warn of', async (t) => {
    const { write, sync, warnings } = await people(platform, 'changing', {
      ...{ sync_mode: 'incremental', write_mode: 'merge', primary_key: [['id']] },
    });
    await write([
      { id: 1, name: 'Ada' },
      { id: 1, name: 'Countess' },
    ]);
    const run = await sync();
    t.match(run, { status: 'succeeded', rows_written: 2, rows_deduplicated: 1, streams: [{ rows_in_table: 1 }] });
    t.strictSame(await warnings(run.run_id), []);
  });

  await t.test('soft delete: a key that a full refresh lacks is marked and stays', async (t) => {
    const { write, rows, sync } = await people(platform, 'soft', {
      ...{ sync_mode: 'full_refresh', write_mode: 'soft_delete', primary_key: [['id']] },
    });
    t.match(await sync(), { status: 'succeeded' });
    await write([{ id: 2, name: 'Grace' }]);
    t.match(await sync(), { status: 'succeeded' });
    const found = await rows('id,_deleted_at');
    t.match(found, [
      ['1', String],
      ['2', null],
    ]);
  });

  await t.test('evolve: a new field becomes a column before its rows are committed', async (t) => {
    const { write, rows, sync, stream } = await people(platform, 'evolving', {
      ...{ sync_mode: 'full_refresh', write_mode: 'overwrite', schema_change_policy: 'evolve' },
    });
    t.match(await sync(), { status: 'succeeded' });
    await write([{ id: 1, name: 'Ada', born: 1815 }]);
    const run = await sync();
    t.match(run, { status: 'succeeded', rows_with_extra: 0 });
    t.match(run.streams[0]?.schema_changes, [{ field: 'born', change: 'added', type: 'long' }]);
    t.strictSame(await rows('id,born'), [['1', '1815']]);
    t.ok(JSON.stringify((await stream())?.schema).includes('"born"'), 'the stream knows it');
  });

  await t.test('freeze: a new field fails the stream by its name, and nothing of it is committed', async (t) => {
    const { write, sync, params } = await people(platform, 'frozen', {
      ...{ sync_mode: 'full_refresh', write_mode: 'append', schema_change_policy: 'freeze' },
    });
    t.match(await sync(), { status: 'succeeded', rows_written: 2 });
    await write([{ id: 3, name: 'Hedy', born: 1914 }]);
    t.match(await sync(), { status: 'failed', failure: { code: 'schema_frozen', detail: /born/ }, rows_written: 0 });
    t.equal(ok(await api(getDataset, { params })).total_records, '2');
  });

  await t.test('a stream fails when more of its lines are rejected than one sync may reject', async (t) => {
    const { write, sync } = await people(platform, 'rejected', {
      ...{ sync_mode: 'full_refresh', write_mode: 'merge', primary_key: [['id']] },
    });
    await write([{ id: 1, name: 'Ada' }, { name: 'Grace' }, { name: 'Hedy' }]);
    t.match(await sync(), { status: 'succeeded', verdict: 'with_rejects', rows_written: 1, rows_rejected: 2 });
    await write([{ name: 'Ada' }, { name: 'Grace' }, { name: 'Hedy' }]);
    t.match(await sync(), { status: 'failed', failure: { code: 'too_many_rejects' }, rows_written: 0 });
  });
});
