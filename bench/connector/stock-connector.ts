import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { startWorker } from '../../test/worker-process.ts';
import type { BenchCase, BenchOptions } from '../bench-result.ts';
import { BENCH_FOLDER } from '../lines/line-file.ts';
import { type Command, type Measured, measuredRun } from '../measure/measured-run.ts';
import { median, pairing } from '../measure/paired.ts';
import { peerProgram } from '../peers/python-env.ts';
import { withPlatform } from '../platform-process.ts';
import { measuredSync, readySource } from '../sync/sync.ts';

const RUNS = 3;
const PEOPLE = 200_000;
const QUICK_PEOPLE = 20_000;
const MOST_SHARE = 1.1;
/** A connector that is faster than this by itself is none of those that the bar is about. */
const MOST_ROWS_PER_CPU_S = 20_000;
const MAX_CATALOG_BYTES = 16 * 1024 * 1024;
const PLATFORM = fileURLToPath(new URL('../platform.json', import.meta.url));
const NOTE =
  'A published Python connector (source-faker 7.2.1, all of its streams), unmodified. Ours: a whole sync into committed tables, with worker, sync process and connector. The other side: the same command writing to /dev/null. `share` is our processor time by that of the connector alone.';

/** What a connector that others made costs in a sync, beside the same one writing to nothing. */
export async function stockConnector({ quick, rows: wanted }: BenchOptions): Promise<BenchCase> {
  await mkdir(path.join(BENCH_FOLDER, 'out'), { recursive: true });
  const folder = await mkdtemp(path.join(BENCH_FOLDER, 'out', 'stock-'));
  try {
    const count = wanted ?? (quick ? QUICK_PEOPLE : PEOPLE);
    const config = { count, seed: 1, parallelism: 1, always_updated: false, records_per_slice: 1_000 };
    const python = await peerProgram('faker');
    const program = [python, path.join(path.dirname(python), 'source-faker')];
    const alone = await toNothing(program, config, folder);
    return await withPlatform(
      async (platform, t) => {
        const worker = await startWorker(t, platform.environment);
        const body = { name: 'faker', pattern_id: 'stock', source_config: { program, config: JSON.stringify(config) } };
        const change = { enabled: true, sync_mode: 'full_refresh', write_mode: 'overwrite' } as const;
        const source = await readySource(platform, { body, change });
        const [own, other]: [Measured[], Measured[]] = [[], []];
        let rows = 0;
        for (let run = 0; run < (quick ? 1 : RUNS + 1); run += 1) {
          const use = await measuredSync(platform, source, { worker: worker.pid });
          const pair = [{ ...use, stdout: '' }, await measuredRun(alone)] as const;
          rows = use.written;
          // The first pair is not counted: it fills caches on both sides.
          if (run === 0 && !quick) continue;
          own.push(pair[0]);
          other.push(pair[1]);
        }
        return caseOf(rows, own, other);
      },
      { WEIR_PLATFORM: PLATFORM },
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function caseOf(rows: number, own: Measured[], other: Measured[]): BenchCase {
  const { ours, theirs, ratio, runs } = pairing(
    [{ name: 'in Weir', rows }, own],
    [{ name: 'to nothing', rows }, other],
  );
  const share = median(own.flatMap(({ cpu_s }, run) => (other[run] === undefined ? [] : [cpu_s / other[run].cpu_s])));
  return {
    ...{ case: 'stock_connector', note: NOTE, ...ours, peer: { name: 'to /dev/null', ...theirs }, ratio, share, runs },
    alone_rows_per_cpu_s: theirs.rows_per_cpu_s,
    bars: [
      { figure: 'share', most: MOST_SHARE },
      { figure: 'alone_rows_per_cpu_s', most: MOST_ROWS_PER_CPU_S },
    ],
  };
}

/** The connector's own command for all that it discovers, its rows thrown away. */
async function toNothing(program: readonly string[], config: object, folder: string): Promise<Command> {
  const [configFile, catalogFile] = [path.join(folder, 'config.json'), path.join(folder, 'catalog.json')];
  await writeFile(configFile, JSON.stringify(config));
  const options = { maxBuffer: MAX_CATALOG_BYTES };
  const [python = '', ...script] = program;
  const { stdout } = await promisify(execFile)(python, [...script, 'discover', '--config', configFile], options);
  const found = stdout.split('\n').find((line) => line.includes('"CATALOG"')) ?? '';
  const { catalog } = JSON.parse(found) as { catalog: { streams: object[] } };
  const mode = { sync_mode: 'full_refresh', destination_sync_mode: 'overwrite' };
  const streams = catalog.streams.map((stream) => ({ stream, ...mode }));
  await writeFile(catalogFile, JSON.stringify({ streams }));
  const read = ['read', '--config', configFile, '--catalog', catalogFile];
  return { command: 'sh', args: ['-c', 'exec "$@" > /dev/null', 'alone', ...program, ...read] };
}
