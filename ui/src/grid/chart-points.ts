import { cellText, type GridColumn, isNumeric } from './cell.ts';

export const CHART_HOWS = ['sum', 'average', 'count'] as const;
export type ChartHow = (typeof CHART_HOWS)[number];

/** More would be a smear. */
export const MAX_POINTS = 120;

export interface ChartPoint {
  x: string;
  y: number;
}

/** One point for each value of a column, from rows that are shown; NULL is a value of its own. */
export function chartPoints(
  rows: readonly unknown[][],
  { x, y, how }: { x: number; y: number; how: ChartHow },
): { points: ChartPoint[]; left: number } {
  const groups = Map.groupBy(rows, (row) => cellText(row[x]) ?? 'NULL');
  const all = [...groups].flatMap(([name, members]) => {
    if (how === 'count') return [{ x: name, y: members.length }];
    const values = members.map((row) => row[y]).filter((value) => value !== null && value !== undefined);
    const numbers = values.map(Number).filter(Number.isFinite);
    if (numbers.length === 0) return [];
    const sum = numbers.reduce((total, value) => total + value, 0);
    return [{ x: name, y: how === 'sum' ? sum : sum / numbers.length }];
  });
  return { points: all.slice(0, MAX_POINTS), left: Math.max(0, all.length - MAX_POINTS) };
}

/** The first columns that make a chart: one to read along, and another that counts. */
export function firstChoice(columns: readonly GridColumn[]): { x: string; y: string } {
  // Columns of the platform come last.
  const own = columns.filter(({ name }) => !name.startsWith('_'));
  const time = own.find(({ type }) => /^(date|time)/i.test(type));
  const words = own.find((column) => !isNumeric(column));
  const x = time ?? words ?? columns[0];
  const y = own.find((column) => isNumeric(column) && column !== x);
  return { x: x?.name ?? '', y: y?.name ?? '' };
}
