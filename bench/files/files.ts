import { copyFile, mkdir, rename } from 'node:fs/promises';
import path from 'node:path';
import { startWorker } from '../../test/worker-process.ts';
import type { BenchCase, BenchOptions, BenchResult } from '../bench-result.ts';
import { BENCH_FOLDER, dataFile, freshFolder } from '../lines/line-file.ts';
import { LINE_KINDS } from '../lines/line-kinds.ts';
import { measuredRun } from '../measure/measured-run.ts';
import { inTurn, pairing, type Run } from '../measure/paired.ts';
import { peerProgram } from '../peers/python-env.ts';
import { type PlatformProcess, withPlatform } from '../platform-process.ts';
import { measuredSync, readySource } from '../sync/sync.ts';
import { pythonPeer } from '../write/contenders.ts';

const [ROUNDS, QUICK_ROUNDS] = [3, 1];
const [ROWS, QUICK_ROWS] = [1_000_000, 100_000];
const MOST_LOAD_MIB = 768;
const FORMATS = ['jsonl', 'csv', 'parquet'] as const;
type Format = (typeof FORMATS)[number];

type Peer = { readonly name: string; readonly least?: number; run(file: string): Promise<() => Promise<Run>> };

const NOTE =
  'A whole sync of one file into a table, from the call that starts it to the end of its run: worker, sync process and connector, with tolerant types, statistics, a checksum and a commit.';

/** What a file of a million rows costs as a sync, beside the tools that a person would load it with. */
export async function files({ quick, only, rows = quick ? QUICK_ROWS : ROWS }: BenchOptions): Promise<BenchResult> {
  const made = await filesOf(rows);
  return withPlatform(async (platform, t) => {
    const worker = await startWorker(t, platform.environment);
    const cases: BenchCase[] = [];
    for (const format of FORMATS) {
      const wanted = PEERS[format].filter(({ name }) => nameOf(format, name).includes(only));
      if (wanted.length === 0) continue;
      const load = await loadOf(platform, { format, file: made[format], rows, worker: worker.pid });
      const others = await Promise.all(wanted.map((peer) => peer.run(made[format])));
      const [own = [], ...theirs] = await inTurn(quick ? QUICK_ROUNDS : ROUNDS, [load, ...others]);
      for (const [at, peer] of wanted.entries()) {
        cases.push(caseOf(format, peer, { rows, own, other: theirs[at] ?? [] }));
      }
    }
    return { suite: 'files', cases };
  });
}

const nameOf = (format: Format, peer: string): string => `load_${format}_vs_${peer}`;

function caseOf(format: Format, peer: Peer, sides: { rows: number; own: readonly Run[]; other: readonly Run[] }) {
  const { rows, own, other } = sides;
  const { ours, theirs, ratio } = pairing([{ name: 'sync', rows }, own], [{ name: peer.name, rows }, other]);
  const found: BenchCase = {
    ...{ case: nameOf(format, peer.name), note: NOTE, ...ours },
    ...{ peer: { name: peer.name, ...theirs }, ratio, runs: own.length },
    bars: [
      ...(peer.least === undefined ? [] : [{ figure: 'ratio', least: peer.least }]),
      { figure: 'rss_mb', most: MOST_LOAD_MIB },
    ],
  };
  return found;
}

async function loadOf(
  platform: PlatformProcess,
  { format, file, rows, worker }: { format: Format; file: string; rows: number; worker: number },
): Promise<() => Promise<Run>> {
  const sourceId = await readySource(platform, {
    body: { name: `load_${format}`, pattern_id: 'files', source_config: { path: path.dirname(file) } },
    change: { enabled: true, sync_mode: 'full_refresh', write_mode: 'overwrite' },
  });
  return () => measuredSync(platform, sourceId, { worker, rows });
}

/** The same rows as files of each format, each alone in its folder. */
async function filesOf(rows: number): Promise<Record<Format, string>> {
  const lines = await dataFile('narrow', rows);
  const folder = path.join(BENCH_FOLDER, 'files', String(rows));
  const made = { jsonl: '', csv: '', parquet: '' };
  for (const format of FORMATS) {
    made[format] = path.join(folder, format, `rows.${format}`);
    await mkdir(path.dirname(made[format]), { recursive: true });
    const draft = path.join(folder, `draft.${format}`);
    if (format === 'jsonl') await copyFile(lines, draft);
    else await duckdb(`COPY (${typed('jsonl', lines)}) TO '${draft}' (FORMAT ${format})`)();
    await rename(draft, made[format]);
  }
  return made;
}

/** The rows of a file with their types, as a person writes it for DuckDB. */
function typed(format: Format, file: string): string {
  const columns = `{${LINE_KINDS.narrow.columns.map(({ name, sql }) => `${name}: '${sql === 'JSON' ? 'VARCHAR' : sql}'`).join(', ')}}`;
  if (format === 'parquet') return `FROM '${file}'`;
  if (format === 'csv') return `FROM read_csv('${file}', header = true, auto_detect = false, columns = ${columns})`;
  return `FROM read_ndjson('${file}', auto_detect = false, records = true, columns = ${columns})`;
}

const duckdb = (statement: string) => async (): Promise<Run> =>
  measuredRun({ command: await peerProgram('duckdb'), args: ['-c', `SET TimeZone = 'UTC'; ${statement}`] });

function duckdbPeer(format: Format, least: number): Peer {
  return {
    ...{ name: 'duckdb', least },
    async run(file) {
      const target = path.join(await freshFolder('duckdb'), 'rows.parquet');
      return duckdb(`COPY (${typed(format, file)}) TO '${target}' (FORMAT parquet, COMPRESSION zstd)`);
    },
  };
}

function dltPeer(tool: string): Peer {
  return {
    ...{ name: 'dlt', least: 1 },
    async run(file) {
      const { run } = await pythonPeer('dlt', [tool, file], 0);
      return () => measuredRun(run);
    },
  };
}

const SLING: Peer = {
  name: 'sling',
  async run(file) {
    const folder = await freshFolder('sling');
    const env = { SLING_HOME_DIR: folder, SLING_DUCKDB_COMPUTE: 'false', SLING_DISABLE_TELEMETRY: 'true' };
    const options = file.endsWith('.jsonl') ? ['--src-options', '{flatten: true}'] : [];
    const target = ['--tgt-object', `file://${path.join(folder, 'rows.parquet')}`];
    const args = ['run', '--src-stream', `file://${file}`, ...options, ...target];
    return async () => measuredRun({ command: await peerProgram('sling'), args, env });
  },
};

const PEERS: Readonly<Record<Format, readonly Peer[]>> = {
  jsonl: [duckdbPeer('jsonl', 0.45), dltPeer('dlt-data'), SLING],
  csv: [duckdbPeer('csv', 0.5), dltPeer('dlt-csv'), SLING],
  parquet: [duckdbPeer('parquet', 0.6)],
};
