import type { BenchCase, BenchOptions, BenchResult } from '../bench-result.ts';
import { measuredRun } from '../measure/measured-run.ts';
import { type Contender, type Figures, median, type Pairing, paired } from '../measure/paired.ts';
import { dlt, duckdbCli, jsonLane, type MakeContender, pyAirbyte, segmentLane, sling } from './contenders.ts';

const RUNS = 5;
/** A run of so few rows costs what starting costs. */
const START_ROWS = 10;
const START_RUNS = 3;
const QUICK_SHARE = 0.2;

interface Comparison {
  case: string;
  note: string;
  /** Rows of both sides. */
  rows: number;
  ours: MakeContender;
  theirs: MakeContender;
  least?: number;
}

const COMPARISONS: readonly Comparison[] = [
  {
    case: 'json_lane_vs_duckdb_cli',
    note: 'The same protocol lines into Parquet (Zstandard). Ours: a pipe, the router, the spool, tolerant types with `_errors`, `_extra` and meta columns, statistics, a checksum of the rows, fsync. The CLI: the file itself, strict types, none of these.',
    rows: 5_000_000,
    ours: jsonLane('narrow'),
    theirs: duckdbCli('narrow'),
    least: 0.65,
  },
  {
    case: 'json_lane_vs_duckdb_cli_unordered',
    note: 'The same, and the CLI is told that the order of the lines may be lost, as it may in ours.',
    rows: 5_000_000,
    ours: jsonLane('narrow'),
    theirs: duckdbCli('narrow', { ordered: false }),
  },
  {
    case: 'json_lane_vs_dlt',
    note: 'dlt 1.31 reads the same lines with orjson and writes Parquet; it infers the schema.',
    rows: 1_000_000,
    ours: jsonLane('narrow'),
    theirs: dlt('lines'),
    least: 10,
  },
  {
    case: 'json_lane_vs_sling',
    note: 'Sling 1.4.11 reads the bare data objects, fewer bytes than ours, and writes Parquet itself (its DuckDB writer would download a program).',
    rows: 1_000_000,
    ours: jsonLane('narrow'),
    theirs: sling,
    least: 8,
  },
  {
    case: 'json_lane_vs_pyairbyte',
    note: 'PyAirbyte 0.71 reads the same lines from a local source into its own DuckDB file.',
    rows: 1_000_000,
    ours: jsonLane('narrow'),
    theirs: pyAirbyte,
    least: 20,
  },
  {
    case: 'json_lane_wide_vs_duckdb_cli',
    note: 'Sixty columns, 1.1 KB a line.',
    rows: 300_000,
    ours: jsonLane('wide'),
    theirs: duckdbCli('wide'),
  },
  {
    case: 'segment_lane_vs_dlt_on_arrow_tables',
    note: 'A connector that writes Parquet itself, beside dlt that is given the same file as Arrow tables. Ours writes its own file with meta columns, statistics and a checksum, and reads it back.',
    rows: 1_000_000,
    ours: segmentLane,
    theirs: dlt('arrow'),
  },
  {
    case: 'json_lane_vs_dlt_on_arrow_tables',
    note: 'dlt is given typed Arrow tables, so that no JSON is read on its side: a connector that can give those should use the segment lane.',
    rows: 1_000_000,
    ours: jsonLane('narrow'),
    theirs: dlt('arrow'),
  },
  {
    case: 'json_lane_ten_rows_vs_duckdb_cli',
    note: 'What starting costs: ten rows.',
    rows: START_ROWS,
    ours: jsonLane('narrow'),
    theirs: duckdbCli('narrow'),
  },
];

/** Protocol lines into Parquet: our lane beside what others have for it, each pair run in turn. */
export async function write({ quick, rows, only }: BenchOptions): Promise<BenchResult> {
  const cases: BenchCase[] = [];
  for (const comparison of COMPARISONS.filter(({ case: name }) => name.includes(only))) {
    const wanted = Math.max(START_ROWS, Math.round((rows ?? comparison.rows) * (quick ? QUICK_SHARE : 1)));
    const sides = async (count: number) => [await comparison.ours(count), await comparison.theirs(count)] as const;
    const pairing = await paired(
      ...(await sides(comparison.rows === START_ROWS ? START_ROWS : wanted)),
      quick ? 1 : RUNS,
    );
    const started =
      wanted === START_ROWS ? undefined : await starts(...(await sides(START_ROWS)), quick ? 1 : START_RUNS);
    cases.push(caseOf(comparison, pairing, started));
  }
  return { suite: 'write', cases };
}

/** Processor seconds of a run that has next to nothing to do, for each side. */
async function starts(ours: Contender, theirs: Contender, runs: number): Promise<[number, number]> {
  const times: [number[], number[]] = [[], []];
  for (let run = 0; run < runs; run += 1) {
    times[0].push((await measuredRun(ours.run)).cpu_s);
    times[1].push((await measuredRun(theirs.run)).cpu_s);
  }
  return [median(times[0]), median(times[1])];
}

function caseOf(
  { case: name, note, least }: Comparison,
  { ours, theirs: other, peer, ratio, runs }: Pairing,
  started: [number, number] | undefined,
): BenchCase {
  const rate = ({ rows, cpu_s }: Figures, start: number) => rows / (cpu_s - start);
  return {
    case: name,
    note,
    ...ours,
    peer: { name: peer, ...other },
    ratio,
    ...(started === undefined ? {} : { ratio_without_start: rate(ours, started[0]) / rate(other, started[1]) }),
    ...(least === undefined ? {} : { bars: [{ figure: 'ratio', least }] }),
    runs,
  };
}
