import type { EntityResolutionDocumentBody } from '../contract/entity-resolution.ts';

export type Comparison = EntityResolutionDocumentBody['comparisons'][number];
type Level = Comparison['levels'][number];

/** What a comparison found where it is no level: no value, the value of one record alone, two values that no level fits. */
export const OUTCOMES = { none: '-', one: 'o', otherwise: 'x' } as const;

/** The columns of a record that a comparison reads: its text, and the text as a number or a date where a level needs it. */
export function comparedColumns({ levels }: Comparison, text: string): [suffix: string, sql: string][] {
  const has = (op: Level['op']): boolean => levels.some((level) => level.op === op);
  return [
    ...(has('numeric') ? [['n', `try_cast(${text} AS DOUBLE)`] as [string, string]] : []),
    ...(has('date') ? [['d', `try_cast(${text} AS DATE)`] as [string, string]] : []),
  ];
}

/** The weight of a comparison between the records `a` and `b`, whose column is `name`. */
export function weightSql(comparison: Comparison, name: string): string {
  const { levels, otherwise = 0 } = comparison;
  return caseSql(levels, name, {
    missing: () => '0',
    level: (at) => real(levels[at]?.weight ?? 0),
    otherwise: real(otherwise),
  });
}

/** One character that tells what a comparison found: the place of the level, or one of `OUTCOMES`. */
export function levelSql({ levels }: Comparison, name: string): string {
  return caseSql(levels, name, {
    missing: (both) => `CASE WHEN ${both} THEN '${OUTCOMES.none}' ELSE '${OUTCOMES.one}' END`,
    level: (at) => `'${at}'`,
    otherwise: `'${OUTCOMES.otherwise}'`,
  });
}

function caseSql(
  levels: readonly Level[],
  name: string,
  answer: { missing(both: string): string; level(at: number): string; otherwise: string },
): string {
  const fits = levels.map((level, at) => `WHEN ${fitSql(level, name)} THEN ${answer.level(at)}`);
  const missing = answer.missing(`a.${name} IS NULL AND b.${name} IS NULL`);
  return `CASE WHEN a.${name} IS NULL OR b.${name} IS NULL THEN ${missing} ${fits.join(' ')} ELSE ${answer.otherwise} END`;
}

function fitSql(level: Level, name: string): string {
  switch (level.op) {
    case 'exact':
      return `a.${name} = b.${name}`;
    case 'jaro_winkler':
      return `jaro_winkler_similarity(a.${name}, b.${name}, ${real(level.threshold)}) >= ${real(level.threshold)}`;
    case 'levenshtein':
      // Strings that differ by more in length than in edits cannot be near, and need no look.
      return `(abs(strlen(a.${name}) - strlen(b.${name})) <= ${real(level.threshold)} AND levenshtein(a.${name}, b.${name}) <= ${real(level.threshold)})`;
    case 'numeric':
      return `abs(a.${name}n - b.${name}n) <= ${real(level.threshold)}`;
    default:
      return `abs(date_diff('day', a.${name}d, b.${name}d)) <= ${real(level.threshold)}`;
  }
}

/** A number as an SQL double, digit for digit. */
export function real(value: number): string {
  return `CAST('${value}' AS DOUBLE)`;
}
