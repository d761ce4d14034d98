import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { startWorker } from '../../test/worker-process.ts';
import type { BenchCase, BenchOptions, BenchResult } from '../bench-result.ts';
import { BENCH_FOLDER } from '../lines/line-file.ts';
import { type Command, measuredRun } from '../measure/measured-run.ts';
import { median } from '../measure/paired.ts';
import { peerProgram } from '../peers/python-env.ts';
import { withPlatform } from '../platform-process.ts';
import { measuredSync, type NewSource, readySource } from '../sync/sync.ts';
import { makePeople, TABLE } from './people-table.ts';

const RUNS = 5;
const ROWS = 2_000_000;
const QUICK_ROWS = 200_000;
const PLATFORM = fileURLToPath(new URL('platform.json', import.meta.url));
const LOAD = fileURLToPath(new URL('load_postgres.py', import.meta.url));

type Use = { cpu_s: number; wall_s: number; rss_mb: number };
type Peer = { name: string; least: number; note: string; command: (url: string, folder: string) => Promise<Command> };

const PEERS: readonly Peer[] = [
  {
    name: 'dlt',
    least: 3.5,
    note: 'A whole sync: worker, sync process and connector, from the call that starts it to the committed Iceberg table, types judged, with marks, statistics and checksum. dlt 1.31 with connectorx, its fastest backend, into an Iceberg table of PyIceberg. The server that both read is counted on neither side. PyAirbyte is not among them: its Postgres source is a program of the JVM that comes only as an image. Our connector runs as a process here, as in development; what a container adds to a start is measured by `containers`.',
    command: async (url, folder) => ({
      command: await peerProgram('dlt-postgres'),
      args: [LOAD, url, TABLE, path.join(folder, 'run')],
      env: { RUNTIME__DLTHUB_TELEMETRY: 'false', DO_NOT_TRACK: '1' },
    }),
  },
  {
    name: 'sling',
    least: 5,
    note: 'The same sync. Sling 1.4.11 writes one plain Parquet file, by its own writer, and commits nothing.',
    command: async (url, folder) => ({
      command: await peerProgram('sling'),
      args: [
        'run',
        '--src-conn',
        `${url}?sslmode=disable`,
        '--src-stream',
        `public.${TABLE}`,
        '--tgt-object',
        `file://${path.join(folder, 'people.parquet')}`,
      ],
      env: { SLING_HOME_DIR: folder, SLING_DUCKDB_COMPUTE: 'false', SLING_DISABLE_TELEMETRY: 'true' },
    }),
  },
];

/**
 * From a table of Postgres to a committed Iceberg table, beside what others have for it, each run in turn. PyAirbyte has no
 * Postgres source that runs without a container: the connector is a program of the JVM and on no package index.
 */
export async function postgres({ quick, rows: wanted, only }: BenchOptions): Promise<BenchResult> {
  const rows = wanted ?? (quick ? QUICK_ROWS : ROWS);
  const peers = PEERS.filter(({ name }) => caseName(name).includes(only));
  await mkdir(path.join(BENCH_FOLDER, 'out'), { recursive: true });
  const folder = await mkdtemp(path.join(BENCH_FOLDER, 'out', 'postgres-'));
  const keyFile = path.join(folder, 'credential.key');
  await writeFile(keyFile, randomBytes(32), { mode: 0o400 });
  const settings = { WEIR_PLATFORM: PLATFORM, WEIR_EGRESS_ALLOW: '127.0.0.0/8', WEIR_CREDENTIAL_KEY_FILE: keyFile };
  try {
    return await withPlatform(async (platform, t) => {
      const url = await makePeople(process.env.WEIR_TEST_DATABASE_URL ?? '', rows);
      const worker = await startWorker(t, platform.environment);
      const sourceId = await readySource(platform, peopleSource(url));
      const ours: Use[] = [];
      const theirs = peers.map((): Use[] => []);
      // The first round is not counted: it fills caches on all sides.
      for (let run = 0; run < (quick ? 1 : RUNS + 1); run += 1) {
        const own = await measuredSync(platform, sourceId, { worker: worker.pid, rows });
        const others = [];
        for (const peer of peers) others.push(await measuredRun(await peer.command(url, folder)));
        if (run === 0 && !quick) continue;
        ours.push(own);
        for (const [at, use] of others.entries()) theirs[at]?.push(use);
      }
      return { suite: 'postgres', cases: peers.map((peer, at) => caseOf(peer, rows, [ours, theirs[at] ?? []])) };
    }, settings);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const caseName = (peer: string) => `postgres_to_iceberg_vs_${peer}`;

function peopleSource(url: string): NewSource {
  const { hostname: host, port, username, password, pathname } = new URL(url);
  const place = { host, port: Number(port), database: pathname.slice(1), username, ssl_mode: 'disable' };
  return {
    body: { name: 'people', pattern_id: 'postgres', source_config: place, credential_values: { password } },
    change: { enabled: true, sync_mode: 'full_refresh', write_mode: 'overwrite' },
  };
}

function caseOf({ name, least, note }: Peer, rows: number, [ours, theirs]: [Use[], Use[]]): BenchCase {
  const ratios = ours.flatMap(({ cpu_s }, run) => (theirs[run] === undefined ? [] : [theirs[run].cpu_s / cpu_s]));
  return {
    case: caseName(name),
    note,
    ...figures(rows, ours),
    peer: { name, ...figures(rows, theirs) },
    ratio: median(ratios),
    bars: [{ figure: 'ratio', least }],
    runs: ours.length,
  };
}

function figures(rows: number, uses: readonly Use[]) {
  const of = (figure: keyof Use) => uses.map((use) => use[figure]);
  const range = (figure: keyof Use): [number, number] => [Math.min(...of(figure)), Math.max(...of(figure))];
  const cpu_s = median(of('cpu_s'));
  const spread = { wall_s: range('wall_s'), cpu_s: range('cpu_s'), rss_mb: range('rss_mb') };
  return {
    rows,
    cpu_s,
    wall_s: median(of('wall_s')),
    rss_mb: median(of('rss_mb')),
    rows_per_cpu_s: rows / cpu_s,
    spread,
  };
}
