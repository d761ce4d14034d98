import { judge } from './check.ts';

/**
 * What still breaks a limit, with its number of today. It only gets smaller: an entry that is better than its number, or
 * that nothing needs any more, is a fault too.
 */
export type Exceptions = Readonly<Record<string, number>>;

/** By package: folders and root files that import each other in a circle. */
export const CIRCLES: Exceptions = {};

/** By folder of `src`: files. */
export const FOLDER_SIZES: Exceptions = {
  'connectors/files/src': 36,
  'connectors/http/src/request': 16,
  'connectors/postgres/src': 28,
  'connectors/runtime/src': 27,
  'connectors/runtime/src/container': 22,
  'connectors/sdk/src': 16,
};

/** By file and function: own lines. */
export const FUNCTION_SIZES: Exceptions = {
  'cli/test/connectors-prove.soak.ts a proof goes through workers, discovery, a sync that the restart interrupts, and its rows in the table': 67,
  'connectors/http/test/credentials.test.ts each kind of credentials goes where it belongs': 80,
  'connectors/postgres/test/full.test.ts a function': 62,
  'connectors/postgres/test/product.test.ts a Postgres database arrives in tables of the platform, by each way to read it': 67,
  'connectors/runtime/test/create-options.test.ts the engine is told exactly this, and nothing else': 78,
  'lakehouse/test/arrow.test.ts the Arrow form': 62,
};

/** Files of `src` that are short, and have one importer, which lies in the same folder: one of them could hold both. */
export const SMALL_FILES = 116;

/** How far a count may be below its number before the number has to follow: work beside each other changes it by a few. */
const SLACK = 0.05;

/** What is wrong with a count that may only fall; `where` are lines that show what is counted. */
export function countFaults(
  { name, most, at }: { name: string; most: number; at: string },
  number: number,
  where: readonly string[] = [],
): string[] {
  if (number > most) return [`${name}: ${number}, at most ${most}`, ...where];
  return number < most * (1 - SLACK) ? [`${name}: lower its number to ${number} in ${at}`] : [];
}

export interface Measured {
  readonly number: number;
  /** The number in words. */
  readonly words: string;
  /** Where it comes from, a line each. */
  readonly lines?: readonly string[];
}

/** Judges what was measured by a limit and the exceptions from it; `word` when nothing is wrong. */
export function judgeLimit(
  measured: ReadonlyMap<string, Measured>,
  limit: number,
  exceptions: Exceptions,
  word: string,
): string {
  const above = [...measured].flatMap(([place, { number, words, lines = [] }]) => {
    const allowed = exceptions[place] ?? limit;
    if (number <= limit || number <= allowed) return [];
    return [[`${place}: ${words}, at most ${allowed}`, ...lines.map((line) => `  ${line}`)].join('\n')];
  });
  const loose = Object.entries(exceptions).flatMap(([place, allowed]) => {
    const number = measured.get(place)?.number ?? 0;
    if (number <= limit) return [`${place}: remove its exception in test/checks/exceptions.ts`];
    return number < allowed ? [`${place}: lower its exception to ${number} in test/checks/exceptions.ts`] : [];
  });
  const excepted = Object.keys(exceptions).length;
  return judge([...above, ...loose], excepted === 0 ? word : `${word}; ${excepted} exceptions`);
}
