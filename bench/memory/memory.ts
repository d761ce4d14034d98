import { fileURLToPath } from 'node:url';
import { testBucket } from '@weir/lakehouse/testing';
import { type Engine, programImage } from '../../test/engines/index.ts';
import { startWorker } from '../../test/worker-process.ts';
import type { BenchCase, BenchOptions, BenchResult } from '../bench-result.ts';
import {
  type BenchEngine,
  COUNTED_IN_CONTAINER,
  inContainer,
  withBenchEngine,
  withEngine,
} from '../engine/bench-engine.ts';
import { type PlatformProcess, withPlatform } from '../platform-process.ts';
import { readySource, syncedSource } from '../sync/sync.ts';
import { startSlowProxy } from './slow-proxy.ts';
import { watchPeaks } from './watch-peaks.ts';

type Teardown = Parameters<typeof startWorker>[0];
type Environment = NonNullable<Parameters<typeof withPlatform>[1]>;

/** What a flooding connector is told; see `flood/pattern.json`. */
interface Flood {
  streams: number;
  lines: number;
  line_bytes: number;
  mb_per_s: number;
}

interface MemoryCase {
  case: string;
  note: string;
  flood: Flood;
  /** The same for a run that only shows that it works. */
  quick: Partial<Flood>;
  /** How many syncs are asked for at once. */
  syncs: number;
  /** As many as there are slots must be seen at work together. */
  fills?: true;
  environment: Environment;
}

const MOST_MIB = 512;
/** What a worker has by itself; see `docs/reference/configuration.md`. */
const SLOTS = 8;
const SLOW_STORE_BYTES_PER_S = 5_000_000;
/** A segment that is filled, one that is staged, one that waits, one that is written over, and the files of two of them. */
const MOST_SCRATCH_MIB = 6 * 128;
const PLATFORM = { WEIR_PLATFORM: fileURLToPath(new URL('../platform.json', import.meta.url)) };
const IMAGE = { name: 'weir/bench-flood:1.0.0', entry: fileURLToPath(new URL('../flood/main.ts', import.meta.url)) };

const CASES: readonly MemoryCase[] = [
  {
    case: 'lines_of_20_mb',
    note: 'A connector prints six lines of 20 MB for each of three streams, in turn. `main_mb` and `child_mb`, here and below, are the highest resident sets, shared pages and all, of the worker and of the sync process that had most.',
    flood: { streams: 3, lines: 6, line_bytes: 20_000_000, mb_per_s: 10_000 },
    quick: { lines: 2 },
    syncs: 1,
    environment: PLATFORM,
  },
  {
    case: 'fast_connector_slow_store',
    note: 'A connector that prints 200 MB in a second where nobody holds it back, in two streams of rows of 1 KB; an S3 store behind a line of 5 MB in a second. `scratch_mb` is what lay between them.',
    flood: { streams: 2, lines: 300_000, line_bytes: 1_000, mb_per_s: 200 },
    quick: { lines: 50_000 },
    syncs: 1,
    environment: slowStore,
  },
  {
    case: 'eight_syncs_at_once',
    note: 'Twelve syncs are asked for at once of a worker with eight slots, each with 400,000 rows of 500 bytes: eight run, four wait.',
    flood: { streams: 1, lines: 400_000, line_bytes: 500, mb_per_s: 200 },
    quick: { lines: 60_000 },
    syncs: 12,
    fills: true,
    environment: PLATFORM,
  },
];

/**
 * The most memory of a worker and of each of its syncs where connectors do their worst, as processes and in containers: each
 * case has a platform of its own, and the figures are the highest resident sets that the kernel saw.
 */
export async function memory({ quick, only }: BenchOptions): Promise<BenchResult> {
  const cases: BenchCase[] = [];
  const measureAll = async (wanted: readonly MemoryCase[], engine?: BenchEngine) => {
    for (const one of wanted) {
      const flood = { ...one.flood, ...(quick ? one.quick : {}) };
      const work = (platform: PlatformProcess, t: Teardown) => measured(platform, t, { ...one, flood, engine });
      cases.push(await withPlatform(work, one.environment));
    }
  };
  await measureAll(CASES.filter(({ case: name }) => name.includes(only)));
  const contained = CASES.filter(({ case: name }) => inContainer(name).includes(only));
  if (contained.length > 0) {
    const brought = (engine: Engine) => programImage(engine, IMAGE);
    await withBenchEngine(brought, (engine) =>
      measureAll(
        contained.map((one) => containedCase(one, engine)),
        engine,
      ),
    );
  }
  return { suite: 'memory', cases };
}

/** A case whose connectors run in an engine. */
function containedCase(one: MemoryCase, engine: BenchEngine): MemoryCase {
  const { case: name, environment } = one;
  return {
    ...one,
    case: inContainer(name),
    note: `The same, with the connectors in containers; their own memory is bounded by the engine. ${COUNTED_IN_CONTAINER}`,
    environment: async (t) => {
      const own = typeof environment === 'function' ? await environment(t) : environment;
      return { ...own, ...engine.environment };
    },
  };
}

async function measured(
  platform: PlatformProcess,
  t: Teardown,
  { case: name, note, flood, syncs, fills, engine }: MemoryCase & { engine: BenchEngine | undefined },
): Promise<BenchCase> {
  const worker = await startWorker(t, platform.environment);
  const rows = flood.streams * flood.lines;
  const sources: string[] = [];
  for (let at = 0; at < syncs; at += 1) {
    const body = { name: `flood${at}`, pattern_id: 'flood', source_config: { ...flood } };
    const change = { enabled: true, sync_mode: 'full_refresh', write_mode: 'append' } as const;
    sources.push(await readySource(platform, { body, change }));
  }
  const watch = watchPeaks(worker.pid, platform.environment.WEIR_WORK_DIR ?? '');
  const used = engine?.usedSince();
  const begun = performance.now();
  const written = await Promise.all(sources.map((source) => syncedSource(platform, source)));
  const wall_s = (performance.now() - begun) / 1_000;
  const { cpu_s: ours, ...peaks } = watch.stop();
  const cost = used === undefined ? { cpu_s: ours } : withEngine(ours, used());
  if (written.some((count) => count !== rows)) throw new Error(`of ${rows} rows ${written} were written`);
  await worker.end('SIGTERM');
  return {
    ...{ case: name, note, rows: rows * syncs, wall_s, runs: 1 },
    ...{ ...peaks, ...cost, rows_per_cpu_s: (rows * syncs) / cost.cpu_s },
    bars: [
      { figure: 'main_mb', most: MOST_MIB },
      { figure: 'child_mb', most: MOST_MIB },
      { figure: 'children', most: SLOTS },
      ...(fills ? [{ figure: 'children', least: SLOTS }] : [{ figure: 'scratch_mb', most: MOST_SCRATCH_MIB }]),
    ],
  };
}

/** A bucket of the test's store, reached by a slow line. */
async function slowStore(t: Teardown): Promise<Record<string, string>> {
  const { s3, warehouse, close } = await testBucket();
  const proxy = await startSlowProxy(s3.endpoint ?? '', SLOW_STORE_BYTES_PER_S);
  t.teardown(close);
  t.teardown(proxy.close);
  return {
    ...PLATFORM,
    WEIR_WAREHOUSE: warehouse,
    OBJECT_STORE_ENDPOINT_URL: proxy.url,
    OBJECT_STORE_ACCESS_KEY_ID: s3.accessKeyId,
    OBJECT_STORE_SECRET_ACCESS_KEY: s3.secretAccessKey,
  };
}
