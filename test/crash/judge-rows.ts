import type { Mode } from './cells.ts';

/** `id`, `key` and `generation` of a row. */
export type Row = readonly [number, number, number];

/** What a table may hold: rows up to `at`, of the generation that was read whole or the one before it. */
export interface Wanted {
  readonly mode: Mode;
  /** How many rows the source gave so far, by the checkpoint that is stored. */
  readonly at: number;
  /** Of an overwritten table: how many rows each whole generation has, by its number. */
  readonly generations: Readonly<Record<number, number>>;
}

/**
 * Says what is lost, doubled or foreign in a table; nothing when it is right. Appended: each id once. Merged: of each key
 * the row with the highest id. Overwritten: one generation, whole.
 */
export function judgeRows(rows: readonly Row[], { mode, at, generations }: Wanted): string[] {
  if (mode === 'overwrite') {
    const [generation = -1] = [...new Set(rows.map((row) => row[2]))];
    const count = generations[generation];
    return count === undefined ? [`rows of generation ${generation}`] : differences(rows, range(count), generation);
  }
  return differences(rows, mode === 'merge' ? lastOfKeys(rows, at) : range(at));
}

function range(count: number): number[] {
  return Array.from({ length: count }, (_, id) => id);
}

/** The connector gives keys in turn, so the last ids have each of them once. */
function lastOfKeys(rows: readonly Row[], at: number): number[] {
  const keys = Math.max(0, ...rows.map((row) => row[1])) + 1;
  return range(at).slice(-keys);
}

function differences(rows: readonly Row[], wanted: readonly number[], generation?: number): string[] {
  const seen = new Map<number, number>();
  for (const [id] of rows) seen.set(id, (seen.get(id) ?? 0) + 1);
  const lost = wanted.filter((id) => !seen.has(id));
  const doubled = [...seen].filter(([, times]) => times > 1).map(([id]) => id);
  const known = new Set(wanted);
  const foreign = rows.filter((row) => !known.has(row[0]) || (generation !== undefined && row[2] !== generation));
  const say = (what: string, ids: readonly number[]) =>
    ids.length === 0 ? [] : [`${ids.length} rows ${what}, such as ${ids.slice(0, 3).join(', ')}`];
  return [
    ...say('lost', lost),
    ...say('doubled', doubled),
    ...say(
      'foreign',
      foreign.map(([id]) => id),
    ),
  ];
}
