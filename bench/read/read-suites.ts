import type { BenchCase, BenchOptions, BenchResult } from '../bench-result.ts';
import { withLake } from '../lake.ts';
import { median } from '../measure/paired.ts';
import { percentile } from '../measure/percentile.ts';
import { startIcebergPeer } from '../peers/iceberg-peer.ts';
import { benchStore } from './bench-store.ts';
import { contestOf } from './contest.ts';
import { peopleTable, TABLE_FILES } from './people-table.ts';
import { PREVIEW_SHAPE, type ReadContest, type ReadShape, SCAN_SHAPES } from './read-shapes.ts';

const ROWS = 5_000_000;
const QUICK_ROWS = 50_000;
const ROUNDS = 60;
const QUICK_ROUNDS = 3;
const MOST_MS = { local: 150, s3: 300 } as const;
const LEAST_RATIO = 3;
const WARM_UPS = 3;

type Place = keyof typeof MOST_MS;

/** The first hundred rows of five million, through the API, from a folder and from S3. */
export async function preview(options: BenchOptions): Promise<BenchResult> {
  const cases = [
    ...(await readCases('local', [PREVIEW_SHAPE], options)),
    ...(await readCases('s3', [PREVIEW_SHAPE], options)),
  ];
  return { suite: 'preview', cases };
}

/** Rows found by value, a range pruned by bounds, rows counted by a column: through the API, of five million. */
export async function scan(options: BenchOptions): Promise<BenchResult> {
  return { suite: 'scan', cases: await readCases('local', SCAN_SHAPES, options) };
}

async function readCases(place: Place, shapes: readonly ReadShape[], options: BenchOptions): Promise<BenchCase[]> {
  const rows = options.rows ?? (options.quick ? QUICK_ROWS : ROWS);
  const rounds = options.quick ? QUICK_ROUNDS : ROUNDS;
  const store = place === 's3' ? await benchStore() : undefined;
  try {
    return await withLake(store?.settings ?? {}, async (lake, t) => {
      const { metadataLocation } = await peopleTable(lake, rows);
      const contest = await contestOf(lake, t, { rows, metadataLocation, environment: store?.environment ?? {} });
      const peer = await startIcebergPeer({ extensions: ['avro', 'httpfs', 'iceberg'], ...store?.peer });
      t.teardown(() => peer.stop());
      const cases: BenchCase[] = [];
      for (const shape of shapes) {
        const theirs = (engine: string, round: number) =>
          peer.act({ action: engine, metadata: metadataLocation, ...shape.theirs(contest, round) });
        cases.push(caseOf(place, shape, rows, await roundsOf(shape, contest, { theirs, rounds })));
      }
      return cases;
    });
  } finally {
    await store?.stop();
  }
}

interface Rounds {
  first: number;
  ours: number[];
  pyiceberg: number[];
  duckdb: number[];
}

/** One read of each side in turn; the first of ours is told apart, the other warm-ups are not counted. */
async function roundsOf(
  shape: ReadShape,
  contest: ReadContest,
  { theirs, rounds }: { theirs(engine: string, round: number): Promise<{ ms: number; rows: number }>; rounds: number },
): Promise<Rounds> {
  const found: Rounds = { first: 0, ours: [], pyiceberg: [], duckdb: [] };
  for (let round = -WARM_UPS; round < rounds; round += 1) {
    const begun = performance.now();
    const rows = await shape.ours(contest, round + WARM_UPS);
    const ours = performance.now() - begun;
    if (round === -WARM_UPS) found.first = ours;
    const others = [await theirs('pyiceberg', round + WARM_UPS), await theirs('duckdb', round + WARM_UPS)] as const;
    if (others.some((other) => other.rows !== rows)) {
      throw new Error(`${shape.case}: ${rows} rows, and ${others.map((other) => other.rows)} of the others`);
    }
    if (round < 0) continue;
    found.ours.push(ours);
    found.pyiceberg.push(others[0].ms);
    found.duckdb.push(others[1].ms);
  }
  return found;
}

function caseOf(place: Place, shape: ReadShape, rows: number, { first, ours, pyiceberg, duckdb }: Rounds): BenchCase {
  const preview = shape === PREVIEW_SHAPE;
  return {
    case: `${shape.case}_${place}`,
    note: `${rows.toLocaleString('en')} rows in ${TABLE_FILES} files. ${shape.note}`,
    rows,
    marks_ms: {
      p50: percentile(ours, 0.5),
      p95: percentile(ours, 0.95),
      first,
      'p50 pyiceberg': percentile(pyiceberg, 0.5),
      'p95 pyiceberg': percentile(pyiceberg, 0.95),
      'p50 duckdb': percentile(duckdb, 0.5),
      'p95 duckdb': percentile(duckdb, 0.95),
    },
    ratio: median(ours.map((ms, round) => (pyiceberg[round] ?? Number.NaN) / ms)),
    ...(preview
      ? {
          bars: [
            { figure: 'p95', most: MOST_MS[place] },
            { figure: 'ratio', least: LEAST_RATIO },
          ],
        }
      : {}),
    runs: ours.length,
  };
}
