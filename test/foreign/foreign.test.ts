import path from 'node:path';
import t, { type Test } from 'tap';
import { ownWorkspace } from '../../connectors/runtime/test/container-kit.ts';
import { createSource } from '../../plugins/sources/src/contract.ts';
import { discovered, enableAll, ok, streamsOf, synced, testPlatform } from '../../plugins/sources/test/platform.ts';
import { type Engine, engineJson, engineSettings, testEngine } from '../engines/index.ts';
import { type PythonImage, pythonImage } from '../engines/python-image.ts';
import { CITIES_IMAGE, FAKER_IMAGE, ROWS } from './published-images.ts';

/** A connector of strangers, what a source of it is told, and how many rows that must give. */
interface Foreign {
  pattern: string;
  image: PythonImage;
  config: Record<string, unknown>;
  rows: number;
  /** Its pattern says how its streams are read and written, instead of the test. */
  hasDefaults?: true;
}

const FOREIGN: readonly Foreign[] = [
  {
    pattern: 'faker',
    image: FAKER_IMAGE,
    config: { count: ROWS, seed: 1, parallelism: 1, always_updated: false, records_per_slice: 100 },
    // Each person and each product; purchases are as many as chance has it.
    rows: ROWS + 100,
  },
  {
    pattern: 'file',
    image: CITIES_IMAGE,
    config: { dataset_name: 'cities', format: 'csv', url: '/local/cities.csv', provider: { storage: 'local' } },
    rows: ROWS,
  },
  {
    pattern: 'tap',
    image: {
      name: 'example/tap-jsonl:0.3.1',
      requirement: 'tap-jsonl==0.3.1',
      program: 'tap-jsonl',
      tap: true,
      files: {
        'local/cities.jsonl': Array.from({ length: ROWS }, (_, id) => `{"id":${id},"name":"City ${id}"}\n`).join(''),
      },
    },
    config: { path: '/local/cities.jsonl', stream_name: 'cities' },
    rows: ROWS,
    hasDefaults: true,
  },
];

async function prove(t: Test, engine: Engine, foreign: Foreign): Promise<void> {
  const { pattern, image, config, rows, hasDefaults } = foreign;
  const workspace = await ownWorkspace(t, engine);
  await pythonImage(engine, image);
  const platform = await testPlatform(t, async () => ({
    WEIR_PLATFORM: path.join(import.meta.dirname, 'platform.json'),
    ...engineSettings(engine, workspace),
  }));
  await platform.startWorker();
  const api = await platform.as('demo');
  const { source_id } = ok(
    await api(createSource, { body: { name: pattern, pattern_id: pattern, source_config: config } }),
  );
  t.match(await discovered(api, source_id), { status: 'succeeded' }, 'discovered');
  const own = hasDefaults && { sync_mode: 'incremental', write_mode: 'append' };
  for (const stream of (await streamsOf(api, source_id)).values()) t.match(stream, own ?? {}, 'as its pattern has it');
  await enableAll(api, source_id, hasDefaults ? {} : { sync_mode: 'full_refresh', write_mode: 'overwrite' });
  const run = await synced(api, source_id);
  t.match(run, { status: 'succeeded', verdict: 'clean' }, 'synced');
  t.ok((run.rows_written ?? 0) >= rows, `${run.rows_written} rows`);
  const where = `/containers/json?all=1&${new URLSearchParams({ filters: JSON.stringify({ label: [`weir.source=${source_id}`] }) })}`;
  t.same(await engineJson(engine.socketPath, { path: where }), [], 'no container is left');
}

const engine = await testEngine(t, 'rootful');
if (typeof engine === 'string') t.plan(0, engine);
else
  for (const foreign of FOREIGN)
    t.test(`${foreign.image.requirement} runs unmodified, from discovery to the table`, (t) =>
      prove(t, engine, foreign),
    );
