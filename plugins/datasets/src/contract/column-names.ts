/** Names of the platform: its columns, when a row was deleted, and by which files are divided while they are written. */
export const RESERVED_COLUMNS: ReadonlySet<string> = new Set([
  '_extracted_at',
  '_run_id',
  '_errors',
  '_extra',
  '_file',
  '_deleted_at',
  '_weir_partition',
]);

const fold = (name: string): string => name.toLowerCase();

/** Whether a name is kept for the platform, in any case of its letters. */
export const isReserved = (name: string): boolean => RESERVED_COLUMNS.has(fold(name));

/** Fields that become columns, and those that no table can have beside them. */
export interface DividedNames {
  readonly columns: readonly string[];
  /** In the order of the fields. */
  readonly refused: readonly string[];
}

/** What goes first where names differ in case alone. */
export interface Precedence {
  /** Columns that the table has. */
  readonly has?: readonly string[];
  /** Fields that have to be columns, such as a key. */
  readonly needed?: readonly string[];
}

/**
 * Which fields become columns. A reserved name is no column in any case of its letters. Of names that differ in case alone
 * one is: that which the table has, else one that is needed, else the one that comes last by its characters (`id` before
 * `Id` before `ID`). Pure.
 */
export function divideNames(names: readonly string[], { has = [], needed = [] }: Precedence = {}): DividedNames {
  const rank = (name: string): number => (has.includes(name) ? 0 : needed.includes(name) ? 1 : 2);
  const taken = new Map(has.map((name) => [fold(name), name]));
  for (const name of [...names].sort((a, b) => rank(a) - rank(b) || (a < b ? 1 : -1))) {
    if (!taken.has(fold(name))) taken.set(fold(name), name);
  }
  const isColumn = (name: string): boolean => name !== '' && !isReserved(name) && taken.get(fold(name)) === name;
  return { columns: names.filter(isColumn), refused: names.filter((name) => !isColumn(name)) };
}

/** Letters of a name that are compared; what is longer is no slip of the fingers. */
const MAX_CHARS = 200;
/** Of so many letters of a name one may be wrong; two of a short one, as when neighbours change places. */
const LETTERS_A_SLIP = 4;
const LEAST_LETTERS = 4;

/** The candidate that is nearest to a name, where it is near enough to be a slip of the fingers. Pure. */
export function nearestName(name: string, candidates: readonly string[]): string | undefined {
  const wanted = name.toLowerCase().slice(0, MAX_CHARS);
  const limit = Math.max(wanted.length < LEAST_LETTERS ? 1 : 2, Math.floor(wanted.length / LETTERS_A_SLIP));
  return candidates
    .filter((candidate) => Math.abs(candidate.length - wanted.length) <= limit)
    .map((candidate) => ({ candidate, distance: edits(wanted, candidate.toLowerCase()) }))
    .filter(({ distance }) => distance <= limit)
    .toSorted(
      (one, other) =>
        one.distance - other.distance ||
        apart(one.candidate, wanted) - apart(other.candidate, wanted) ||
        (one.candidate < other.candidate ? -1 : 1),
    )[0]?.candidate;
}

/** By how much the lengths differ: letters are swapped more often than left out. */
const apart = (candidate: string, wanted: string): number => Math.abs(candidate.length - wanted.length);

/** Letters to insert, delete or replace until one text is the other. */
function edits(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (const [at, letter] of [...one].entries()) {
    const next = [at + 1];
    for (let place = 0; place < other.length; place++) {
      const replaced = (row[place] ?? 0) + (letter === other[place] ? 0 : 1);
      next.push(Math.min(replaced, (row[place + 1] ?? 0) + 1, (next[place] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
