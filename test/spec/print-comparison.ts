import type { Comparison, Row } from './specification.ts';

const absentOf = (rows: readonly Row[]): readonly Row[] => rows.filter(({ implemented }) => !implemented);

/** The verdict in one line: `implemented N, absent M (by owner), unplanned K`. */
export function summaryLine({ rows, unplanned }: Comparison): string {
  const absent = absentOf(rows);
  const owners = Map.groupBy(absent, ({ owner }) => owner);
  const parts = [...owners].map(([owner, list]) => `${owner} ${list.length}`).join(', ');
  const detail = absent.length === 0 ? '' : ` (${parts})`;
  return `implemented ${rows.length - absent.length}, absent ${absent.length}${detail}, unplanned ${unplanned.length}`;
}

/** A Markdown table with a line for each area and owner, then what is absent, unplanned and misplaced by name. */
export function comparisonTable(comparison: Comparison): string {
  const groups = Map.groupBy(comparison.rows, ({ area, owner }) => `${area} | ${owner}`);
  const lines = [...groups].map(([key, rows]) => {
    const absent = absentOf(rows).length;
    return `| ${key} | ${rows.length - absent} | ${absent} |`;
  });
  const list = (title: string, names: readonly string[]) =>
    names.length === 0 ? [] : ['', `## ${title}`, '', ...names.map((name) => `- ${name}`)];
  return [
    '| area | owner | implemented | absent |',
    '|---|---|---:|---:|',
    ...lines,
    '',
    summaryLine(comparison),
    ...list(
      'Absent',
      absentOf(comparison.rows).map(({ kind, name, owner }) => `${kind} \`${name}\` (${owner})`),
    ),
    ...list('Unplanned', comparison.unplanned),
    ...list('Misplaced', comparison.misplaced),
  ].join('\n');
}
