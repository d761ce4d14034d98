import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startPostgres } from '@weir/embedded';
import { serverFolder } from '@weir/embedded/testing';
import type { SamplesService } from '@weir/plugin-datasets/contract';
import { suggestService } from '../../plugins/ontology/src/service/backing/suggest.ts';
import { SYNC_WORKER } from '../../plugins/ontology/src/service/sync/sync-ports.ts';
import { syncWorld } from '../../plugins/ontology/test/sync-kit.ts';
import type { BenchOptions, BenchResult } from '../bench-result.ts';

const COLUMNS = 100;
const ROWS = 20_000;
const ROUNDS = 40;
const QUICK_ROUNDS = 5;
const MOST_S = 0.8;
const P95 = 0.95;

const WORDS = ['order', 'customer', 'city', 'speed', 'price', 'weight', 'delivery', 'invoice', 'birth', 'country'];
const PARTS = ['id', 'date', 'name', 'total', 'code', 'kind', 'note', 'count', 'rate', 'state'];
const NAMES = WORDS.flatMap((word) => PARTS.map((part) => `${word}_${part}`)).slice(0, COLUMNS);

/** How long a suggestion takes for a table and a type of a hundred columns each, one caller at a time. */
export async function suggest({ quick }: BenchOptions): Promise<BenchResult> {
  const folders = [await serverFolder('weir-bench-'), await mkdtemp(path.join(tmpdir(), 'weir-bench-'))] as const;
  const ends: (() => unknown)[] = folders.map((folder) => () => rm(folder, { recursive: true, force: true }));
  try {
    const [dataDir, logFile] = [path.join(folders[0], 'postgres'), path.join(folders[0], 'postgres.log')];
    const postgres = await startPostgres({ dataDir, logFile, superuserPassword: 'bench' });
    ends.unshift(() => postgres.stop());
    process.env.WEIR_TEST_DATABASE_URL = postgres.url;
    const t = {
      teardown: (end: () => unknown) => void ends.unshift(end),
      testdir: () => path.join(folders[1], 'lake'),
    };
    const { world, acme, type, deps, store } = await syncWorld(t as never);
    const properties = Object.fromEntries(NAMES.map((name) => [name, { type: 'string' }]));
    const row = (at: number) => Object.fromEntries(NAMES.map((name, place) => [name, `${name} ${(at * place) % 977}`]));
    await world.land(
      acme,
      'wide',
      Array.from({ length: ROWS }, (_, at) => row(at)),
      { type: 'object', properties },
    );
    await type('Wide', {
      properties: NAMES.map((name) => ({ code: `${name}_of_it`, value_type: 'string', required: name === NAMES[0] })),
      primary_key: [`${NAMES[0]}_of_it`],
    });
    const id = 'datasets.samples@1';
    const samples = world.registration.services?.find((one) => one.id === id)?.implementation as SamplesService;
    const { suggest: ask } = suggestService({ ...deps, samples, store });
    const body = { dataset_id: 'bronze.acme.wide', entity_type_code: 'Wide' };
    const walls: number[] = [];
    let found = 0;
    for (let round = 0; round < (quick ? QUICK_ROUNDS : ROUNDS); round += 1) {
      const start = performance.now();
      const { mappings } = await ask(acme, SYNC_WORKER, { body, signal: new AbortController().signal });
      walls.push((performance.now() - start) / 1_000);
      found = mappings.length;
    }
    const sorted = walls.toSorted((a, b) => a - b);
    const wall_s = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * P95))] ?? 0;
    const middle = sorted[Math.floor(sorted.length / 2)] ?? 0;
    const note = `${walls.length} suggestions, ${found} of ${COLUMNS} properties filled; median ${middle.toFixed(2)} s, 95th percentile ${wall_s.toFixed(2)} s.`;
    const bars = [{ figure: 'wall_s' as const, most: MOST_S }];
    return { suite: 'suggest', cases: [{ case: `a table of ${COLUMNS} columns`, rows: ROWS, wall_s, note, bars }] };
  } finally {
    for (const end of ends) await end();
  }
}
