import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startPostgres } from '@weir/embedded';
import { serverFolder } from '@weir/embedded/testing';
import { syncWorld, vehicle } from '../../plugins/ontology/test/sync-kit.ts';
import type { BenchCase, BenchOptions, BenchResult } from '../bench-result.ts';

const ROWS = 1_000_000;
const QUICK_ROWS = 20_000;
const BATCH = 100_000;
const MILLION = 1_000_000;
const CHANGED_SHARE = 0.01;
/** Seconds in which one percent of a million rows is applied, and in which a run is skipped. */
const [MOST_CHANGED_S, MOST_SKIP_S] = [10, 0.3];
const LEAST_UNCHANGED = 20_000;

/** How fast a sync brings entities in step: a first load, nothing new, a replay of what is unchanged, and one percent changed. */
export async function ontologySync({ quick, rows }: BenchOptions): Promise<BenchResult> {
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
    const { type, backing, sync, land, replace } = await syncWorld(t as never);
    const count = rows ?? (quick ? QUICK_ROWS : ROWS);
    const made = (changed: number) =>
      Array.from({ length: count }, (_, at) => vehicle(at, at < changed ? `changed ${at}` : `vehicle ${at}`));
    const first = made(0);
    for (let at = 0; at < count; at += BATCH) await land(first.slice(at, at + BATCH));
    await type('Vehicle');
    const id = await backing('fleet');
    const cases: BenchCase[] = [];
    const timed = async (name: string, most: number | undefined, force = false) => {
      const start = performance.now();
      const { status, mode, counts } = await sync(id, force);
      const wall_s = (performance.now() - start) / 1_000;
      const note = `${status} as ${mode}: ${JSON.stringify(counts)}`;
      cases.push({
        case: name,
        rows: count,
        wall_s,
        note,
        bars: most === undefined ? [] : [{ figure: 'wall_s', most }],
      });
    };
    await timed('first load', undefined);
    await timed('nothing new: the run is skipped', MOST_SKIP_S);
    await timed('a forced replay of what is unchanged', count / LEAST_UNCHANGED, true);
    await replace(made(count * CHANGED_SHARE));
    await timed('one percent changed', Math.max(1, (MOST_CHANGED_S * count) / MILLION));
    return { suite: 'ontology-sync', cases };
  } finally {
    for (const end of ends) await end();
  }
}
