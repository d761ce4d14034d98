import type { GridColumn } from './cell.ts';
import { isNumeric } from './cell.ts';
import { type ChartHow, MAX_POINTS } from './chart-points.ts';

/** Widths of time, with the days that a chart may span to have them. */
const UNITS = [
  ['hour', 3],
  ['day', 130],
  ['week', 900],
  ['month', 3_700],
] as const;
const AGGREGATES: Readonly<Record<ChartHow, string>> = { sum: 'sum', average: 'avg', count: 'count' };

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
/** A dataset id as a statement names it. */
const tableOf = (datasetId: string): string => datasetId.split('.').map(quoted).join('.');

interface ChartOf {
  datasetId: string;
  x: GridColumn;
  /** Undefined to count rows. */
  y: GridColumn | undefined;
  how: ChartHow;
}

/**
 * The statement of a chart over all rows of a table: times by the width that their span asks for, numbers in their order, words
 * by what they come to. Its columns are `x`, `y`, `n`, the number of points
 * that there are, and `unit`, the width of times.
 */
export function chartStatement({ datasetId, x, y, how }: ChartOf): string {
  const value = y === undefined ? 'count(*)' : `${AGGREGATES[how]}(r.${quoted(y.name)})`;
  const table = tableOf(datasetId);
  const along = `r.${quoted(x.name)}`;
  const order = isNumeric(x) || isTime(x) ? '1 nulls last' : '2 desc, 1 nulls last';
  const rows = isTime(x) ? timed(table, along, x) : `from ${table} r`;
  const unit = isTime(x) ? 'any_value(w.unit)' : 'null';
  const key = isTime(x) ? bucket(along) : along;
  return `select ${key} as x, ${value} as y, count(*) over () as n, ${unit} as unit\n${rows}\ngroup by 1\norder by ${order}\nlimit ${MAX_POINTS}`;
}

const isTime = ({ type }: GridColumn): boolean => /^(date|timestamp)/i.test(type);

/** The begin of the width that a time is in, as text. */
function bucket(along: string): string {
  const begin = `date_trunc(w.unit, ${along})`;
  return `if(w.unit = 'hour', strftime(${begin}, '%Y-%m-%d %H:00'), strftime(${begin}, '%Y-%m-%d'))`;
}

function timed(table: string, along: string, { type }: GridColumn): string {
  const days = `date_diff('day', min(${along}), max(${along}))`;
  const cases = UNITS.map(([unit, most]) => `when days <= ${most} then '${unit}'`).join(' ');
  const first = /^date$/i.test(type) ? cases.replace(`then 'hour'`, `then 'day'`) : cases;
  return `from ${table} r, (select case ${first} else 'year' end as unit from (select ${days} as days from ${table} r)) w`;
}
