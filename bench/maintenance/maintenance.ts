import { fileURLToPath } from 'node:url';
import type { BenchCase, BenchOptions, BenchResult } from '../bench-result.ts';
import { freshFolder } from '../lines/line-file.ts';
import { paired } from '../measure/paired.ts';
import { peerProgram } from '../peers/python-env.ts';
import { manyAppends } from './growth.ts';
import { tableOfSmallFiles } from './small-files.ts';

const NODE_FLAGS = ['--conditions=@weir/source', '--disable-warning=ExperimentalWarning'];
const LANE = fileURLToPath(new URL('rewrite-lane.ts', import.meta.url));
const [FILES, ROWS_OF_EACH, QUICK_ROWS_OF_EACH] = [40, 50_000, 1_000];
const [ROUNDS, QUICK_ROUNDS] = [3, 1];
const LEAST_RATIO = 0.5;

/** What the maintenance of tables costs, and what it keeps a table from. */
export async function maintenance({ quick, only }: BenchOptions): Promise<BenchResult> {
  const all: Record<string, () => Promise<BenchCase>> = {
    rewrite: () => rewriteCase(quick),
    thousand_appends: () => manyAppends(quick),
  };
  const cases: BenchCase[] = [];
  for (const [name, measure] of Object.entries(all)) if (name.includes(only)) cases.push(await measure());
  return { suite: 'maintenance', cases };
}

/** Our rewrite of a bin of small files, with its two proofs, beside a copy of the same files by DuckDB's own program. */
async function rewriteCase(quick: boolean): Promise<BenchCase> {
  const each = quick ? QUICK_ROWS_OF_EACH : ROWS_OF_EACH;
  const { folder, warehouse, metadataLocation, paths, bytes } = await tableOfSmallFiles({ count: FILES, rows: each });
  const rows = FILES * each;
  const list = paths.map((path) => `'${path}'`).join(', ');
  const target = `${await freshFolder('duckdb')}/rows.parquet`;
  const statement = `SET threads = 1; COPY (SELECT * FROM read_parquet([${list}])) TO '${target}' (FORMAT parquet, COMPRESSION zstd)`;
  const args = [...NODE_FLAGS, LANE, metadataLocation, folder, warehouse];
  const found = await paired(
    { name: 'rewrite', rows, run: { command: process.execPath, args } },
    { name: 'duckdb cli', rows, run: { command: await peerProgram('duckdb'), args: ['-c', statement] } },
    quick ? QUICK_ROUNDS : ROUNDS,
  );
  const { peer, ours, theirs, ratio, runs } = found;
  return {
    case: 'rewrite',
    note: `${FILES} files with ${Math.round(bytes / 2 ** 20)} MiB in all, copies of one, become one, by one thread on each side. Ours reads rows and checksum of all columns before and after, and starts two processes; \`ratio\` is by bytes read for a second of processor time.`,
    ...ours,
    peer: { name: peer, ...theirs },
    ratio,
    bars: [{ figure: 'ratio', least: LEAST_RATIO }],
    runs,
  };
}
