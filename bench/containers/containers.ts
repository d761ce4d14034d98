import { fileURLToPath } from 'node:url';
import { LABEL } from '@weir/connector-runtime';
import { type CallResult, call, type Endpoint, type Input, type Output } from '@weir/kernel/contract';
import { cancelSync, getSyncStatus, readRunLogs, startSync } from '@weir/plugin-sources/contract';
import { type Engine, engineJson, programImage } from '../../test/engines/index.ts';
import { startWorker } from '../../test/worker-process.ts';
import type { BenchCase, BenchOptions, BenchResult } from '../bench-result.ts';
import { withBenchEngine } from '../engine/bench-engine.ts';
import { percentile } from '../measure/percentile.ts';
import { type PlatformProcess, withPlatform } from '../platform-process.ts';
import { readySource } from '../sync/sync.ts';

const RUNS = 12;
const QUICK_RUNS = 2;
const MEDIAN = 0.5;
const POLL_MS = 20;
/** Nothing waits for the end of a run: who asks for it more often takes processor time from the run that is measured. */
const END_POLL_MS = 250;
const HANG_MS = 60_000;
const HABITS = {
  name: 'weir/bench-habits:1.0.0',
  entry: fileURLToPath(new URL('habits/main.ts', import.meta.url)),
};
/** What a connector that is told to stop has until it is killed. */
const GRACE_MS = 10_000;
const MOST_OVERHEAD_MS = 1_500;
const MOST_GONE_MS = 3_000;

type Bench = { platform: PlatformProcess; engine: Engine; runs: number };

/**
 * Times of a sync whose connector runs in a container of a real engine, image present: from the call that starts it to its
 * first row in the sync process, and from the call that cancels it until the engine no longer knows the container.
 */
export async function containers({ quick, only }: BenchOptions): Promise<BenchResult> {
  const runs = quick ? QUICK_RUNS : RUNS;
  const measures = { start_to_first_row: firstRow, cancel_honoured: honoured, cancel_ignored: ignored };
  const wanted = Object.entries(measures).filter(([name]) => name.includes(only));
  return withBenchEngine(
    (engine) => programImage(engine, HABITS),
    ({ engine, environment }) =>
      withPlatform(async (platform, t) => {
        await startWorker(t, platform.environment);
        const cases: BenchCase[] = [];
        for (const [name, measure] of wanted) {
          const found = await measure({ platform, engine, runs });
          cases.push({ case: name, runs, ...found });
        }
        return { suite: 'containers', cases };
      }, environment),
  );
}

type Found = Omit<BenchCase, 'case'>;

async function firstRow({ platform, runs }: Bench): Promise<Found> {
  const source_id = await habitSource(platform, 'ends');
  const ours: number[] = [];
  const its: number[] = [];
  // The first run proves the engine and fills caches.
  for (let run = 0; run <= runs; run += 1) {
    const begun = Date.now();
    const { run_id } = await ask(platform, startSync, { params: { source_id } });
    await ended(platform, { source_id, run_id }, 'succeeded');
    const said = await firstRowLine(platform, { source_id, run_id });
    if (said === undefined) throw new Error('the connector told no first row');
    if (run === 0) continue;
    its.push(said.its);
    ours.push(said.at - begun - said.its);
  }
  return {
    note: 'From the call that starts a sync until the process of the sync has its first row, without what the program in the container took for it itself.',
    marks_ms: { p50: percentile(ours, MEDIAN), worst: Math.max(...ours), connector_p50: percentile(its, MEDIAN) },
    bars: [{ figure: 'worst', most: MOST_OVERHEAD_MS }],
  };
}

const honoured = (bench: Bench) => cancelled(bench, { habit: 'honours', most: MOST_GONE_MS });
const ignored = (bench: Bench) => cancelled(bench, { habit: 'ignores', most: GRACE_MS + MOST_GONE_MS });

/** From the call that cancels a sync that is in its middle until its container is gone. */
async function cancelled({ platform, engine, runs }: Bench, given: { habit: string; most: number }): Promise<Found> {
  const { habit, most } = given;
  const source_id = await habitSource(platform, habit);
  const times: number[] = [];
  for (let run = 0; run < runs; run += 1) {
    const { run_id } = await ask(platform, startSync, { params: { source_id } });
    await until('the first row', () => firstRowLine(platform, { source_id, run_id }));
    const begun = performance.now();
    await ask(platform, cancelSync, { params: { sync_run_id: run_id } });
    await until('the end of the container', async () => ((await count(engine, run_id)) === 0 ? true : undefined));
    times.push(performance.now() - begun);
    await ended(platform, { source_id, run_id }, 'cancelled');
  }
  return {
    note: `From the call that cancels a sync in its middle until the engine no longer has its container, whose program ${habit} the signal to stop.`,
    marks_ms: { p50: percentile(times, MEDIAN), worst: Math.max(...times) },
    bars: [{ figure: 'worst', most }],
  };
}

function habitSource(platform: PlatformProcess, habit: string): Promise<string> {
  const body = { name: `habit_${habit}`, pattern_id: 'habits', source_config: { habit } };
  const change = { enabled: true, sync_mode: 'full_refresh', write_mode: 'append' } as const;
  return readySource(platform, { body, change });
}

type Run = { source_id: string; run_id: string };

/** When the sync process heard of the first row, and how long the connector's own program took for it. */
async function firstRowLine(platform: PlatformProcess, run: Run): Promise<{ at: number; its: number } | undefined> {
  const { items } = await ask(platform, readRunLogs, { params: run, query: { search: 'first row after' } });
  const [line] = items;
  if (line === undefined) return undefined;
  return { at: Date.parse(line.at), its: Number(/after ([\d.]+) ms/.exec(line.message)?.[1]) };
}

async function ended(platform: PlatformProcess, { source_id, run_id }: Run, wanted: string): Promise<void> {
  const run = await until(
    'the end of a run',
    async () => {
      const { run } = await ask(platform, getSyncStatus, { params: { source_id }, query: { run_id } });
      return run?.is_terminal ? run : undefined;
    },
    END_POLL_MS,
  );
  if (run.status !== wanted) throw new Error(`the sync ended as ${JSON.stringify(run)}`);
}

async function count({ socketPath }: Engine, runId: string): Promise<number> {
  const filters = JSON.stringify({ label: [`${LABEL.execution}=${runId}`] });
  const query = new URLSearchParams({ all: 'true', filters });
  return (await engineJson<unknown[]>(socketPath, { path: `/containers/json?${query}` })).length;
}

async function ask<E extends Endpoint>(platform: PlatformProcess, endpoint: E, input: Partial<Input<E>>) {
  const result: CallResult<E> = await call(endpoint, input, { url: platform.api.url, headers: platform.caller });
  if (!result.ok) throw new Error(JSON.stringify(result.problem));
  return result.body as Output<E>;
}

async function until<T>(what: string, look: () => Promise<T | undefined>, pause = POLL_MS): Promise<T> {
  const deadline = performance.now() + HANG_MS;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (performance.now() > deadline) throw new Error(`waited in vain for ${what}`);
    await new Promise((resume) => setTimeout(resume, pause));
  }
}
