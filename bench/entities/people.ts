import type { Row } from '../../plugins/identity/test/entity-kit.ts';

/** One in so many rows stands for a person who has a row already. */
const DUPLICATES = 5;
const MOST_CHANGES = 3;
const DAYS = 30_000;
const DAY_MS = 86_400_000;
const FIRST_DAY = Date.UTC(1920, 0, 1);
const LETTERS = 'abcdefghijklmnopqrstuvwxyz';
const CHANGED = ['given_name', 'surname', 'address_1', 'suburb', 'postcode', 'date_of_birth', 'soc_sec_id'] as const;

/**
 * So many people and duplicates of some, in the manner of FEBRL: each part of a person is drawn from the rows of `pool` with
 * the frequency that it has there, days and numbers at will, and a duplicate has one to three values with a typo, or none
 * at all. The same rows for the same numbers.
 */
export function* people(pool: readonly Row[], rows: number): Generator<Row> {
  const random = mulberry32(rows);
  const pick = (length: number): number => Math.floor(random() * length);
  const drawn = (...names: string[]): Row => {
    const row = pool[pick(pool.length)];
    return Object.fromEntries(names.map((name) => [name, row?.[name] ?? null]));
  };
  const typo = (text: string): string | null => {
    const at = pick(text.length);
    const letter = LETTERS[pick(LETTERS.length)] ?? '';
    const kinds = [
      null,
      text.slice(0, at) + letter + text.slice(at),
      text.slice(0, at) + text.slice(at + 1),
      text.slice(0, at) + letter + text.slice(at + 1),
      text.slice(0, at) +
        text
          .slice(at, at + 2)
          .split('')
          .toReversed()
          .join('') +
        text.slice(at + 2),
    ];
    return kinds[pick(kinds.length)] ?? null;
  };
  let last: Row = {};
  for (let made = 0; made < rows; made += 1) {
    if (made % DUPLICATES === DUPLICATES - 1) {
      const copy: Record<string, string | null> = { ...last, rec_id: String(last.rec_id).replace('org', 'dup-0') };
      for (let change = pick(MOST_CHANGES); change >= 0; change -= 1) {
        const name = CHANGED[pick(CHANGED.length)] ?? 'surname';
        copy[name] = typo(copy[name] ?? '');
      }
      yield copy;
      continue;
    }
    last = {
      rec_id: `rec-${made}-org`,
      ...drawn('given_name'),
      ...drawn('surname'),
      ...drawn('street_number'),
      ...drawn('address_1'),
      ...drawn('address_2'),
      ...drawn('suburb', 'postcode'),
      date_of_birth: new Date(FIRST_DAY + pick(DAYS) * DAY_MS).toISOString().slice(0, 10).replaceAll('-', ''),
      soc_sec_id: String(pick(900_000_000) + 100_000_000),
    };
    yield last;
  }
}

/** Numbers from 0 to 1 that look random, the same for one seed (mulberry32, T. Ettinger, public domain). */
function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
