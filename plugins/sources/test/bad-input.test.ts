import { chmod, copyFile, mkdir, truncate, writeFile } from 'node:fs/promises';
import { findPackageJSON } from 'node:module';
import { dirname, join } from 'node:path';
import { getDataset, listQuarantine } from '@weir/plugin-datasets/contract';
import t, { type Test } from 'tap';
import { inLane, sample } from '../../../test/lane.ts';
import { until } from '../../../test/until.ts';
import { getReplay, getSource, startReplay } from '../src/contract.ts';
import { discovered, enableAll, filesSource, ok, synced } from './platform.ts';
import { describedSource } from './ready-source.ts';
import { sharedPlatform } from './shared-platform.ts';

/** Planted in bad data; no answer may hold it. */
const CANARY = 'canary7151';

interface Case {
  name: string;
  code: string;
  origin: string;
  /** What the source says of its files beside where they are. */
  config?: object;
  spoil(file: string): Promise<void>;
}

const APPEND = { sync_mode: 'incremental', write_mode: 'append' } as const;
const ROWS = { name: 'rows', properties: { id: { type: 'integer' }, name: { type: 'string' } } };

/** The tests of the connector reach each of these; here it is what the run makes of one. */
const cases: Case[] = [
  {
    name: 'a file of another shape',
    code: 'schema_changed',
    origin: 'source',
    spoil: (file) => writeFile(file, `other,${CANARY}\n1,2\n`),
  },
  {
    name: 'a CSV file with rows of more fields than its header',
    code: 'schema_changed_in_file',
    origin: 'source',
    spoil: (file) => writeFile(file, `id,name\n5,${CANARY},more\n6,b,more\n`),
  },
  {
    name: 'a file that is no text in the encoding that the source names',
    code: 'encoding_invalid',
    origin: 'source',
    config: { encoding: 'utf-8' },
    spoil: (file) => writeFile(file, Buffer.concat([Buffer.from('id,name\n5,'), Buffer.from([0xff, 0x00, 0x0a])])),
  },
];

t.test('bad input fails the run with its code, and the last good snapshot stands', async (t) => {
  const platform = await sharedPlatform(t);
  const api = await platform.as('demo');
  for (const [index, { name, code, origin, config, spoil }] of sample('crashes', cases, 1).entries()) {
    await t.test(name, async (t) => {
      const folder = join(platform.folder, `case${index}`);
      await mkdir(folder);
      await writeFile(join(folder, 'rows.csv'), 'id,name\n1,a\n2,b\n');
      const body = { name: `case${index}`, pattern_id: 'files', source_config: { path: folder, ...config } };
      const source_id = await describedSource(api, body, { ...ROWS, ...APPEND });
      t.match(await synced(api, source_id), { status: 'succeeded', rows_written: 2 });
      const dataset = { params: { dataset_id: platform.bronze(`case${index}__rows`) } };
      const before = ok(await api(getDataset, dataset));
      await spoil(join(folder, 'rows.csv'));
      const run = await synced(api, source_id);
      t.match(run, { status: 'failed', rows_written: 0, failure: { code, origin, retryable: false, hint: String } });
      t.equal(run.streams[0]?.failure?.code, code);
      t.notMatch(JSON.stringify(run), new RegExp(CANARY));
      t.equal(ok(await api(getDataset, dataset)).snapshot_id, before.snapshot_id);
      t.match(ok(await api(getSource, { params: { source_id } })), {
        status: 'active',
        last_run: { status: 'failed' },
      });
    });
  }

  const parquet = async (t: Test) => {
    const folder = join(platform.folder, 'parquet');
    await mkdir(folder);
    const file = join(folder, 'flights.parquet');
    const demo = dirname(findPackageJSON('vega-datasets', import.meta.url) ?? '');
    await copyFile(join(demo, 'data', 'flights-3m.parquet'), file);
    const { source_id } = await filesSource(api, 'parquet', folder);
    t.match(await discovered(api, source_id), { status: 'succeeded' });
    await enableAll(api, source_id, APPEND);
    await truncate(file, 1_000_000);
    t.match(await synced(api, source_id), {
      status: 'failed',
      rows_written: 0,
      failure: { code: 'parquet_truncated', origin: 'source', retryable: false },
    });
  };
  if (inLane('crashes')) await t.test('a Parquet file cut short', parquet);

  await t.test('a folder that is not there fails its discovery', async (t) => {
    const { source_id } = await filesSource(api, 'nowhere', join(platform.folder, 'nowhere'));
    t.match(await discovered(api, source_id), {
      status: 'failed',
      streams: null,
      failure: { code: 'folder_unreadable', origin: 'config', retryable: false },
    });
    t.equal(ok(await api(getSource, { params: { source_id } })).status, 'draft', 'it can be tried again');
  });

  await t.test('the work folder of the platform → refused by its code', async (t) => {
    const { source_id } = await filesSource(api, 'inside', platform.environment.WEIR_WORK_DIR ?? '');
    t.match(await discovered(api, source_id), { status: 'failed', failure: { code: 'folder_not_allowed' } });
  });

  await t.test(
    'a file that may not be read',
    { skip: process.getuid?.() === 0 && 'the superuser reads everything' },
    async (t) => {
      const folder = join(platform.folder, 'closed');
      await mkdir(folder);
      await writeFile(join(folder, 'rows.csv'), 'id\n1\n');
      const { source_id } = await filesSource(api, 'closed', folder);
      await discovered(api, source_id);
      await enableAll(api, source_id, APPEND);
      await chmod(join(folder, 'rows.csv'), 0o000);
      t.match(await synced(api, source_id), { status: 'failed', failure: { code: 'file_unreadable' } });
    },
  );

  await t.test('a value that does not fit its column is kept as an entry, and the run says so', async (t) => {
    const folder = join(platform.folder, 'misfit');
    await mkdir(folder);
    const body = { name: 'misfit', pattern_id: 'files', source_config: { path: folder } };
    const properties = { id: { type: 'integer' }, n: { type: 'integer' } };
    const source_id = await describedSource(api, body, { name: 'rows', properties, ...APPEND });
    await writeFile(join(folder, 'rows.csv'), 'id,n\n1,word\n2,2\n');
    t.match(await synced(api, source_id), {
      status: 'succeeded',
      verdict: 'with_rejects',
      rows_written: 2,
      rows_with_errors: 1,
    });
  });

  await t.test('JSON lines that are no rows → quarantine, and every other line a row', async (t) => {
    const folder = join(platform.folder, 'lines');
    await mkdir(folder);
    const escaping = '{"id":1},"x":{}';
    const half = '{"id":"\\ud800"}';
    await writeFile(join(folder, 'rows.jsonl'), `${escaping}\n{"id":1}\n${half}\n{"id":2}\n`);
    const { source_id } = await filesSource(api, 'lines', folder);
    t.match(await discovered(api, source_id), { status: 'succeeded' });
    await enableAll(api, source_id, APPEND);
    t.match(await synced(api, source_id), {
      status: 'succeeded',
      verdict: 'with_rejects',
      rows_written: 2,
      rows_rejected: 2,
    });
    const params = { dataset_id: platform.bronze('lines__rows') };
    const { items } = ok(await api(listQuarantine, { params }));
    const source = (line: string, byte: string, bytes: string) => ({ file: 'rows.jsonl', line, byte, bytes });
    t.match(items, [
      { position: '0', reason: 'malformed_json', line: escaping, source: source('1', '0', `${escaping.length}`) },
      { position: '2', reason: 'lone_surrogate', line: half, source: source('3', '25', `${half.length}`) },
    ]);
  });

  await t.test('rows of a CSV file that are none → quarantine with bytes and place, also after a replay', async (t) => {
    const folder = join(platform.folder, 'rows');
    await mkdir(folder);
    await writeFile(join(folder, 'rows.csv'), 'id,n\n1,2\n3,4,5\n6,7\nTotal: 2');
    const { source_id } = await filesSource(api, 'rows', folder);
    t.match(await discovered(api, source_id), { status: 'succeeded' });
    await enableAll(api, source_id, APPEND);
    t.match(await synced(api, source_id), { verdict: 'with_rejects', rows_written: 2, rows_rejected: 2 });
    const dataset_id = platform.bronze('rows__rows');
    const inQuarantine = async () => ok(await api(listQuarantine, { params: { dataset_id } })).items;
    const wanted = [
      { reason: 'row_too_wide', line: '3,4,5', source: { file: 'rows.csv', line: '3', byte: '9', bytes: '5' } },
      { reason: 'row_too_short', line: 'Total: 2', source: { file: 'rows.csv', line: '5', byte: '19', bytes: '8' } },
    ];
    t.match(await inQuarantine(), wanted);
    const { run_id } = ok(await api(startReplay, { body: { dataset_id } }));
    const replayed = await until('a replay', async () => {
      const run = ok(await api(getReplay, { params: { replay_run_id: run_id } }));
      return run.is_terminal && run;
    });
    t.match(replayed, { status: 'succeeded', outcome: { lines: 2, rows: 0, rejected: 2 } });
    t.match(await inQuarantine(), wanted, 'a line that can be no row stays as it was');
  });
});
