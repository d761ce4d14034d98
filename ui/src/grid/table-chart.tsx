import { runQuery } from '@weir/plugin-transforms/contract';
import { useRead } from '../api/queries.ts';
import { FaultNote } from '../parts/fault-note.tsx';
import { countText } from '../parts/numbers.ts';
import { cellText, type GridColumn } from './cell.ts';
import { MAX_POINTS } from './chart-points.ts';
import { chartStatement } from './chart-statement.ts';
import { type ChartChoice, ChartPanel, chosenChart } from './quick-chart.tsx';

interface TableChartProps {
  datasetId: string;
  /** In decimal digits; null where it is not known. */
  total: string | null;
  columns: readonly GridColumn[];
  choice: ChartChoice;
  choose(change: ChartChoice): void;
}

/** A chart of all rows of a table, which the engine adds up. */
export function TableChart({ datasetId, total, columns, choice, choose }: TableChartProps) {
  const chosen = chosenChart(columns, choice);
  const x = columns[chosen.x];
  const body = { sql: x === undefined ? '' : chartStatement({ datasetId, x, y: columns[chosen.y], how: chosen.how }) };
  const query = useRead(runQuery, { body: { ...body, limit: MAX_POINTS } }, { enabled: x !== undefined, keep: true });
  if (query.error !== null) return <FaultNote error={query.error} retry={() => void query.refetch()} />;
  const points = query.data?.rows.flatMap(([along, value]) => {
    const y = value === null || value === undefined ? Number.NaN : Number(value);
    return Number.isFinite(y) ? [{ x: cellText(along) ?? 'NULL', y }] : [];
  });
  const of = Number(query.data?.rows[0]?.[2] ?? 0);
  const unit = query.data?.rows[0]?.[3];
  const drawn = points && { points, left: Math.max(0, of - MAX_POINTS) };
  return (
    <ChartPanel columns={columns} chosen={chosen} choose={choose} drawn={drawn}>
      {total === null ? 'Of all rows' : `Of all ${countText(Number(total))} rows`}
      {typeof unit === 'string' ? `, by ${unit}` : ''}
    </ChartPanel>
  );
}
