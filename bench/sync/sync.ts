import { fileURLToPath } from 'node:url';
import { call, type Input } from '@weir/kernel/contract';
import {
  createSource,
  getDiscoveryStatus,
  getSyncStatus,
  listStreams,
  startDiscovery,
  startSync,
  updateStream,
} from '@weir/plugin-sources/contract';
import { startWorker } from '../../test/worker-process.ts';
import type { BenchCase, BenchOptions, BenchResult } from '../bench-result.ts';
import { type BenchEngine, withEngine } from '../engine/bench-engine.ts';
import { lineFile } from '../lines/line-file.ts';
import { jsonSchemaOf, LINE_KINDS } from '../lines/line-kinds.ts';
import { figures, median } from '../measure/paired.ts';
import { type PlatformProcess, withPlatform } from '../platform-process.ts';
import { type TreeUse, watchTree } from './tree-watch.ts';

const RUNS = 5;
const FILE_ROWS = 1_000_000;
const QUICK_FILE_ROWS = 50_000;
const TIMES = [1, 10] as const;
const POLL_MS = 250;
const MOST_MIB = 768;
const MOST_CHILD_MIB = 512;
const MOST_GROWTH = 1.1;
const PLATFORM = fileURLToPath(new URL('../platform.json', import.meta.url));

type Use = TreeUse & { wall_s: number; engine_cpu_s?: number };
/** What of an engine is needed to count what is used in it. */
type Counted = Pick<BenchEngine, 'usedSince' | 'processes'>;

/**
 * Whole syncs through the platform: API, workflow engine, a worker process, the sync process and a connector that prints
 * a file once or ten times; committed at STATEs. Memory is that of the worker and everything below it.
 */
export async function sync({ quick, rows }: BenchOptions): Promise<BenchResult> {
  const fileRows = rows ?? (quick ? QUICK_FILE_ROWS : FILE_ROWS);
  const file = await lineFile('narrow', fileRows);
  return withPlatform(
    async (platform, t) => {
      const worker = await startWorker(t, platform.environment);
      const uses: Use[][] = [[], []];
      for (let run = 0; run < (quick ? 1 : RUNS); run += 1) {
        for (const [at, times] of TIMES.entries()) {
          const sourceId = await replayingSource(platform, { name: `replay${run}x${times}`, file, times });
          uses[at]?.push(await measuredSync(platform, sourceId, { worker: worker.pid, rows: fileRows * times }));
        }
      }
      const [small, large] = uses.map((list, at) => caseOf(fileRows * (TIMES[at] ?? 1), list));
      return { suite: 'sync', cases: [small, withGrowth(large, small)].filter((found) => found !== undefined) };
    },
    { WEIR_PLATFORM: PLATFORM },
  );
}

function caseOf(rows: number, uses: readonly Use[]): BenchCase {
  return {
    case: `sync_${rows >= FILE_ROWS ? `${rows / FILE_ROWS}m` : rows}_rows`,
    note: 'A whole sync from the call that starts it to the end of its run; worker, sync process and connector together.',
    ...figures(rows, uses),
    child_mb: median(uses.map(({ child_mb }) => child_mb)),
    runs: uses.length,
  };
}

function withGrowth(large: BenchCase | undefined, small: BenchCase | undefined): BenchCase | undefined {
  if (large?.rss_mb === undefined || small?.rss_mb === undefined) return large;
  const bars = [
    { figure: 'rss_mb', most: MOST_MIB },
    { figure: 'child_mb', most: MOST_CHILD_MIB },
    { figure: 'growth', most: MOST_GROWTH },
  ];
  return { ...large, growth: large.rss_mb / small.rss_mb, bars };
}

interface Replay {
  name: string;
  file: string;
  times: number;
}

/** A source whose one stream is enabled and appended to. */
async function replayingSource(platform: PlatformProcess, { name, file, times }: Replay): Promise<string> {
  const schema = JSON.stringify(jsonSchemaOf(LINE_KINDS.narrow));
  return readySource(platform, {
    body: { name, pattern_id: 'replay', source_config: { path: file, times, schema } },
    change: { enabled: true, sync_mode: 'incremental', write_mode: 'append' },
  });
}

/** What a source is made of, and what is set for each of its streams. */
export interface NewSource {
  body: Input<typeof createSource>['body'];
  change: Input<typeof updateStream>['body'];
}

/** Makes a source, discovers it and sets its streams; gives its id. */
export async function readySource(platform: PlatformProcess, { body, change }: NewSource): Promise<string> {
  const client = clientOf(platform);
  const { source_id } = bodyOf(await call(createSource, { body }, client));
  const { workflow_id } = bodyOf(await call(startDiscovery, { body: { source_id } }, client));
  await until(async () => bodyOf(await call(getDiscoveryStatus, { params: { workflow_id } }, client)).is_terminal);
  const { items } = bodyOf(await call(listStreams, { params: { source_id } }, client));
  for (const { stream_id } of items) {
    bodyOf(await call(updateStream, { params: { source_id, stream_id }, body: change }, client));
  }
  return source_id;
}

/**
 * Syncs a source and gives what the worker and all below it used for it, with what an engine and its containers did; throws
 * when the sync does not succeed, or wrote other than so many rows.
 */
export async function measuredSync(
  platform: PlatformProcess,
  source_id: string,
  { worker, rows, engine }: { worker: number; rows?: number; engine?: Counted | undefined },
): Promise<Use & { written: number }> {
  const used = engine?.usedSince();
  const watch = watchTree(worker, engine?.processes);
  const begun = performance.now();
  const written = await syncedSource(platform, source_id);
  const wall_s = (performance.now() - begun) / 1_000;
  if (rows !== undefined && written !== rows) throw new Error(`of ${rows} rows ${written} were written`);
  const use = { ...watch.stop(), wall_s, written };
  return used === undefined ? use : { ...use, ...withEngine(use.cpu_s, used()) };
}

/** Syncs a source to its end and gives how many rows that wrote; throws when it does not succeed. */
export async function syncedSource(platform: PlatformProcess, source_id: string): Promise<number> {
  const client = clientOf(platform);
  const { run_id } = bodyOf(await call(startSync, { params: { source_id } }, client));
  const look = async () => bodyOf(await call(getSyncStatus, { params: { source_id }, query: { run_id } }, client)).run;
  await until(async () => (await look())?.is_terminal === true);
  const run = await look();
  if (run?.status !== 'succeeded') throw new Error(`the sync ended as ${JSON.stringify(run)}`);
  return run.rows_written;
}

const clientOf = ({ api, caller }: PlatformProcess) => ({ url: api.url, headers: caller });

function bodyOf<B>(result: { ok: true; body: B } | { ok: false; problem: unknown }): B {
  if (!result.ok) throw new Error(JSON.stringify(result.problem));
  return result.body;
}

async function until(done: () => Promise<boolean>): Promise<void> {
  while (!(await done())) await new Promise((resume) => setTimeout(resume, POLL_MS));
}
