import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { READER_FLAGS } from '@weir/connector-runtime';
import type { BenchCase, BenchOptions } from '../bench-result.ts';
import { BENCH_FOLDER, lineFile } from '../lines/line-file.ts';
import { type Command, type Measured, measuredRun } from '../measure/measured-run.ts';
import { pairing } from '../measure/paired.ts';

const RUNS = 5;
const ROWS = 2_000_000;
const QUICK_ROWS = 200_000;
const LEAST_RATIO = 0.8;
const LANE = fileURLToPath(new URL('../write/json-lane.ts', import.meta.url));
const NODE_FLAGS = ['--conditions=@weir/source', '--disable-warning=ExperimentalWarning', ...READER_FLAGS];
const NOTE =
  'The same protocol lines through the same router, spool and stager: ours printed by a connector that the runtime has started, whose own processor time is not counted; the other side read from the file.';

/** What it costs that lines come from another process: rows per processor second beside those of lines in a file. */
export async function lineProtocol({ quick, rows: wanted }: BenchOptions): Promise<BenchCase> {
  const rows = wanted ?? (quick ? QUICK_ROWS : ROWS);
  const file = await lineFile('narrow', rows);
  await mkdir(path.join(BENCH_FOLDER, 'out'), { recursive: true });
  const folder = await mkdtemp(path.join(BENCH_FOLDER, 'out', 'protocol-'));
  const lane = [process.execPath, ...NODE_FLAGS, LANE, 'narrow', folder];
  const printed: Command = { command: lane[0] ?? '', args: [...lane.slice(1), file] };
  const read: Command = { command: 'sh', args: ['-c', 'file=$1; shift; exec "$@" < "$file"', 'lane', file, ...lane] };
  const [own, other]: [Measured[], Measured[]] = [[], []];
  try {
    // The first pair is not counted: it fills caches on both sides.
    for (let run = 0; run < (quick ? 1 : RUNS + 1); run += 1) {
      const pair = [await laneRun(printed), await laneRun(read)] as const;
      if (run === 0 && !quick) continue;
      own.push(pair[0]);
      other.push(pair[1]);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  const { ours, theirs, ratio, runs } = pairing(
    [{ name: 'lines of a connector', rows }, own],
    [{ name: 'lines of a file', rows }, other],
  );
  return {
    ...{ case: 'line_protocol', note: NOTE, ...ours, peer: { name: 'from a file', ...theirs }, ratio, runs },
    bars: [{ figure: 'ratio', least: LEAST_RATIO }],
  };
}

/** A run of the lane, with the processor time that its own process tells. */
async function laneRun(command: Command): Promise<Measured> {
  const measured = await measuredRun(command);
  const { cpu_s } = JSON.parse(measured.stdout) as { cpu_s: number };
  return { ...measured, cpu_s };
}
