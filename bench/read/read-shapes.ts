import { createQueryPool, createScanner, currentSchema, openStore, planRead, type QueryPool } from '@weir/lakehouse';

/** What reads are asked of. */
export interface ReadContest {
  /** Reads one page of the table through the API and answers with its rows. */
  page(query: readonly [name: string, value: string][]): Promise<number>;
  /** The values of a column with their rows, counted by the pool that the API reads with. */
  countBy(column: string): Promise<number>;
  /** Rows of the table. */
  rows: number;
}

/** One kind of read, as each side does it. `ours` answers how many rows it found. */
export interface ReadShape {
  case: string;
  note: string;
  ours(contest: ReadContest, round: number): Promise<number>;
  /** What the peers are asked for, beside the metadata file. */
  theirs(contest: ReadContest, round: number): Record<string, unknown>;
}

const PREVIEW_ROWS = 100;
/** A page holds at most so many, so the range of ours ends there and that of the others does not go further. */
const RANGE_ROWS = 500;

/** Another row in each round, spread over the table. */
const idOf = (rows: number, round: number): number =>
  1 + Math.floor((((round * 7919) % 1000) / 1000) * (rows - RANGE_ROWS));

export const PREVIEW_SHAPE: ReadShape = {
  case: 'preview_100_rows',
  note: 'The first 100 rows, all columns. Ours: a request over HTTP with token, tenant and row security, to JSON. The others: in their own process, to Arrow.',
  ours: ({ page }) => page([['limit', String(PREVIEW_ROWS)]]),
  theirs: () => ({ shape: 'preview', limit: PREVIEW_ROWS }),
};

export const SCAN_SHAPES: readonly ReadShape[] = [
  {
    case: 'point_lookup',
    note: 'One row by its number, all columns; ours over HTTP.',
    ours: ({ page, rows }, round) => page([['filter', `id:eq:${idOf(rows, round)}`]]),
    theirs: ({ rows }, round) => ({ shape: 'point', id: idOf(rows, round) }),
  },
  {
    case: 'range_pruned_by_bounds',
    note: '500 rows by a range of their numbers, two columns; ours over HTTP.',
    ours: ({ page, rows }, round) => {
      const from = idOf(rows, round);
      const bounds = [`id:ge:${from}`, `id:lt:${from + RANGE_ROWS}`].map((rule): [string, string] => ['filter', rule]);
      return page([['columns', 'id,name'], ['limit', String(RANGE_ROWS)], ...bounds]);
    },
    theirs: ({ rows }, round) => ({ shape: 'range', id: idOf(rows, round), rows: RANGE_ROWS }),
  },
  {
    case: 'group_by_column',
    note: 'All rows counted by one column of text; ours in the pool of processes that the API reads with, without HTTP.',
    ours: ({ countBy }) => countBy('city'),
    theirs: () => ({ shape: 'group' }),
  },
];

/** Counts rows by a column as the platform would, with the files of the newest snapshot. */
export function columnCounter(metadataLocation: string): {
  countBy(column: string): Promise<number>;
  close(): Promise<void>;
} {
  const io = openStore({ warehouse: '/', scratch: '/' });
  const scanner = createScanner({ io });
  const pool: QueryPool = createQueryPool({ io });
  return {
    async countBy(column) {
      const metadata = await scanner.metadata(metadataLocation);
      const live = await scanner.files(metadata);
      const files = planRead(live, { limit: Number.MAX_SAFE_INTEGER, conditions: [], sorted: true, after: undefined });
      const schema = currentSchema(metadata);
      return (await pool.count({ files, schema, table: metadata, column, limit: 1_000 })).length;
    },
    close: () => pool.close(),
  };
}
