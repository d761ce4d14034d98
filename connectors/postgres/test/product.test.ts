import { randomBytes } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { previewDataset } from '@weir/plugin-datasets/contract';
import {
  createSource,
  deleteSource,
  getSourceReadiness,
  getSyncStatus,
  startSync,
  updateStream,
} from '@weir/plugin-sources/contract';
import t from 'tap';
import { discovered, ended, ok, streamsOf, synced, testPlatform } from '../../../plugins/sources/test/platform.ts';
import { inLane } from '../../../test/lane.ts';
import { until } from '../../../test/until.ts';
import { ALLOWED, database, logsReplicate } from './kit.ts';

const ROWS = 60_000;
/** As many as a preview shows. */
const SLOW_ROWS = 500;

t.test('a Postgres database arrives in tables of the platform, by each way to read it', async (t) => {
  const platform = await testPlatform(t, async (folder) => {
    const file = join(folder, 'credential.key');
    await writeFile(file, randomBytes(32), { mode: 0o400 });
    return { WEIR_CREDENTIAL_KEY_FILE: file, ...ALLOWED };
  });
  const api = await platform.as('demo');
  await platform.startWorker();
  const db = await database();
  const source = async (name: string, more: object) => {
    const { password, ...config } = db.config(more as Record<string, unknown>);
    const body = { name, pattern_id: 'postgres', source_config: config, credential_values: { password } };
    const { source_id } = ok(await api(createSource, { body: body as never }));
    t.match(await discovered(api, source_id), { status: 'succeeded', failure: null });
    const set = async (stream: string, settings: object) => {
      const stream_id = (await streamsOf(api, source_id)).get(stream)?.stream_id ?? '';
      ok(await api(updateStream, { params: { source_id, stream_id }, body: { enabled: true, ...settings } }));
    };
    const rows = async (stream: string, columns: string, order = 'id') => {
      const params = { dataset_id: `bronze.demo.${name}__public__${stream}` };
      return ok(await api(previewDataset, { params, query: { columns, order, limit: 500 } })).rows;
    };
    return { source_id, set, rows, sync: () => synced(api, source_id) };
  };

  await t.test('whole and by a cursor, with what no table holds as text beside a mark', async (t) => {
    await db.sql(`CREATE TABLE facts (id bigint PRIMARY KEY, at timestamptz, day date, n numeric(38, 10), free numeric, doc jsonb);
      INSERT INTO facts VALUES (9007199254740993, '2024-02-29 23:59:59.123456+02', '2024-02-29', 12345678901234567890.0123456789, 0.1234567890123456789, '{"a": 1.10}'),
        (2, 'infinity', '-infinity', 'NaN', 'NaN', NULL), (3, '20240-01-01 00:00:00+00', '0044-03-15 BC', -1, 1e40, '[]');
      CREATE TABLE many AS SELECT i AS id, 'row ' || i AS name, timestamptz '2024-01-01' + i * interval '1 second' AS at,
        CASE WHEN i % 10000 = 0 THEN 'infinity'::date ELSE date '2024-01-01' END AS day FROM generate_series(1, ${ROWS}) i;
      CREATE TABLE moves (id int PRIMARY KEY, v text, at timestamptz NOT NULL);
      INSERT INTO moves VALUES (1, 'a', '2024-01-01 00:00:00.000001'), (2, 'b', '2024-01-01 00:00:00.000002');
      CREATE TABLE merged (id int PRIMARY KEY, part int NOT NULL); INSERT INTO merged VALUES (1, 1), (2, 1);
      CREATE TABLE marked (id int PRIMARY KEY, part int NOT NULL); INSERT INTO marked VALUES (1, 1), (2, 1)`);
    const { set, rows, sync } = await source('shop', {});
    // That a value does not fit is no change of the schema, whatever its policy.
    for (const [name, schema_change_policy] of Object.entries({ facts: 'freeze', many: 'evolve' })) {
      await set(name, { sync_mode: 'full_refresh', write_mode: 'overwrite', schema_change_policy });
    }
    await set('moves', { sync_mode: 'incremental', write_mode: 'merge', cursor_field: ['at'] });
    for (const [name, write_mode] of Object.entries({ merged: 'merge', marked: 'soft_delete' })) {
      await set(name, { sync_mode: 'full_refresh', write_mode });
    }
    const run = await sync();
    t.match(run, { status: 'succeeded', rows_written: ROWS + 9, rows_with_errors: 2 + ROWS / 10_000 });
    t.ok(run.bytes_read < ROWS * 25, 'most rows came as Parquet');
    t.strictSame(await rows('facts', 'id,at,n,free,doc'), [
      ['2', null, null, 'NaN', null],
      ['3', '+020240-01-01T00:00:00Z', '-1.0000000000', '1'.padEnd(41, '0'), '[]'],
      [
        ...['9007199254740993', '2024-02-29T21:59:59.123456Z'],
        ...['12345678901234567890.0123456789', '0.1234567890123456789', '{"a": 1.10}'],
      ],
    ]);
    const [odd, early] = await rows('facts', '_errors,_extra');
    t.match(JSON.stringify(odd), /invalid_timestamptz.*at__text.*infinity.*day__text.*-infinity.*n__text.*NaN/);
    t.match(JSON.stringify(early), /invalid_date.*0044-03-15 BC/);
    await db.sql(`UPDATE moves SET v = 'c', at = '2024-01-01 00:00:00.000003' WHERE id = 1; INSERT INTO moves VALUES (3, 'd', '2024-01-02');
      TRUNCATE facts, many`);
    t.match(await sync(), { status: 'succeeded', rows_written: 2 + 4 });
    t.strictSame(await rows('moves', 'id,v'), [
      [1, 'c'],
      [2, 'b'],
      [3, 'd'],
    ]);
    t.strictSame(await rows('facts', 'id'), []);
    await db.sql(`ALTER TABLE merged DROP CONSTRAINT merged_pkey, ADD PRIMARY KEY (id, part); INSERT INTO merged VALUES (1, 2);
      ALTER TABLE marked DROP CONSTRAINT marked_pkey, ADD PRIMARY KEY (id, part); INSERT INTO marked VALUES (1, 2);
      ALTER TABLE moves DROP CONSTRAINT moves_pkey, ADD PRIMARY KEY (at); INSERT INTO moves VALUES (1, 'another', '2024-01-03')`);
    const rekeyed = { code: 'key_changed', origin: 'source', retryable: false, hint: /reset the stream/ };
    const whole = await sync();
    t.match(whole, { status: 'failed', failure: rekeyed, rows_written: 0 });
    for (const name of ['merged', 'marked', 'moves'])
      t.match(whole.streams.find((stream) => stream.name === name)?.failure, rekeyed, name);
    for (const name of ['merged', 'marked']) {
      const was = [
        [1, 1],
        [2, 1],
      ];
      t.strictSame(await rows(name, 'id,part'), was, `${name}: of two rows of one former key none is lost`);
    }
    t.strictSame(
      await rows('moves', 'id,v'),
      [
        [1, 'c'],
        [2, 'b'],
        [3, 'd'],
      ],
      'no row is taken for another',
    );
  });

  await t.test('rows without a value of the cursor → the run counts them and is not clean', async (t) => {
    await db.sql(`CREATE TABLE gaps (id int PRIMARY KEY, at date);
      INSERT INTO gaps VALUES (1, '2024-01-01'), (2, NULL), (3, NULL)`);
    const { set, sync } = await source('gaps', {});
    await set('gaps', { sync_mode: 'incremental', write_mode: 'merge', cursor_field: ['at'] });
    const left_out = [{ kind: 'rows_left_out', count: 2, code: 'null_cursor', message: /cursor at/ }];
    const wanted = { rows_written: 1, rows_left_out: 2 };
    t.match(await sync(), { ...wanted, verdict: 'with_rejects', streams: [{ ...wanted, left_out }] });
  });

  await t.test('two sources of a tenant on one slot → readiness of each names the other', async (t) => {
    const { password, ...config } = db.config({ method: 'cdc' });
    const make = async (as: typeof api, name: string, more: object) => {
      const source_config = { ...config, ...more };
      const body = { name, pattern_id: 'postgres', source_config, credential_values: { password } };
      return ok(await as(createSource, { body: body as never })).source_id;
    };
    const other = await platform.as('other');
    const [one, two] = [await make(api, 'one', { slot: 'weir' }), await make(api, 'two', {})];
    const [own, plain] = [await make(api, 'own', { slot: 'own' }), await make(api, 'plain', { method: 'cursor' })];
    await make(other, 'foreign', { slot: 'own' });
    const namedFor = async (source_id: string) => {
      const { checks } = ok(await api(getSourceReadiness, { params: { source_id } }));
      const { status, items } = checks.find(({ check }) => check === 'exclusive_use') ?? {};
      return { status, items: (items ?? []).map(({ id, name, code }) => [id, name, code]) };
    };
    t.strictSame(await namedFor(one), { status: 'warning', items: [[two, 'two', 'shared_slot']] });
    t.strictSame(await namedFor(two), { status: 'warning', items: [[one, 'one', 'shared_slot']] });
    for (const alone of [own, plain]) t.strictSame(await namedFor(alone), { status: 'pass', items: [] });
    ok(await api(deleteSource, { params: { source_id: two } }));
    t.strictSame(await namedFor(one), { status: 'pass', items: [] }, 'a deleted one uses nothing');
  });

  await t.test(
    'by the log of the server, killed in its copy and, in the lane of crashes, in its changes',
    async (t) => {
      if (!(await logsReplicate(t, db))) return;
      // Reading a row takes the reader a while, so that it can be caught in the middle.
      await db.sql(`CREATE TABLE lives (id int PRIMARY KEY, v text); INSERT INTO lives SELECT i, 'old' FROM generate_series(1, ${SLOW_ROWS}) i;
      CREATE PUBLICATION weir FOR TABLE lives; CREATE ROLE ${db.name}_reader LOGIN REPLICATION PASSWORD 'reads';
      GRANT SELECT ON lives TO ${db.name}_reader; ALTER TABLE lives ENABLE ROW LEVEL SECURITY;
      CREATE POLICY slowly ON lives TO ${db.name}_reader USING (pg_sleep(0.004) IS NOT NULL)`);
      const { source_id, set, rows, sync } = await source('log', {
        ...{ method: 'cdc', slot: db.name, username: `${db.name}_reader`, password: 'reads' },
      });
      await set('lives', { sync_mode: 'incremental', write_mode: 'soft_delete' });
      const killed = async (query: string) => {
        const { run_id } = ok(await api(startSync, { params: { source_id } }));
        const at = `SELECT pid FROM pg_stat_activity WHERE datname = '${db.name}' AND application_name = 'weir' AND query LIKE '${query}%'`;
        await until(
          'the connector at its work',
          async () => {
            if ((await db.sql(at)).length === 0) {
              const { run } = ok(await api(getSyncStatus, { params: { source_id }, query: { run_id } }));
              return run?.is_terminal;
            }
            const connectors = await readers(platform.folder);
            return connectors.filter(isKilled).length > 0;
          },
          'often',
        );
        return ended(api, source_id, run_id);
      };
      t.match(await killed('COPY'), { status: 'succeeded', attempt: 2, rows_written: SLOW_ROWS });
      await db.sql(
        `DELETE FROM lives WHERE id <= 3; DO $$ BEGIN FOR i IN 1..40 LOOP UPDATE lives SET v = 'new ' || i; END LOOP; END $$`,
      );
      t.match(inLane('crashes') ? await killed('START_REPLICATION') : await sync(), { status: 'succeeded' });
      t.match(await sync(), { status: 'succeeded', rows_written: 0 });
      await db.sql(`SELECT pg_drop_replication_slot('${db.name}')`);
      const lost = { code: 'slot_lost', origin: 'source', retryable: false, hint: /reset the streams/ };
      t.match(await sync(), { status: 'failed', failure: lost, rows_written: 0 });
      const found = await rows('lives', 'id,v,_deleted_at');
      t.equal(found.length, SLOW_ROWS, 'nothing is lost, and nothing doubled');
      t.strictSame(
        found.map(([id, v, deleted]) => [id, deleted === null ? v : 'deleted']),
        found.map((_, index) => [index + 1, index < 3 ? 'deleted' : 'new 40']),
      );
    },
  );
});

/** Kills a process; false when it has ended by itself meanwhile. */
function isKilled(pid: number): boolean {
  try {
    return process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as { code?: string }).code === 'ESRCH') return false;
    throw error;
  }
}

/** The connectors that read at this moment for a platform whose work lies in a folder. */
async function readers(folder: string): Promise<number[]> {
  const found: number[] = [];
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const words = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    const isReader = words.includes('connectors/postgres/src/main.ts\0read\0') && words.includes(folder);
    if (isReader) found.push(Number(pid));
  }
  return found;
}
