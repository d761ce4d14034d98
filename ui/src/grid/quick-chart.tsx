import { Group, NativeSelect, SegmentedControl, Skeleton, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { counted, countText } from '../parts/numbers.ts';
import { type GridColumn, isNumeric } from './cell.ts';
import { CHART_HOWS, type ChartHow, type ChartPoint, chartPoints, firstChoice, MAX_POINTS } from './chart-points.ts';
import './grid.css';

const WIDTH = 900;
const HEIGHT = 260;
const LEFT = 64;
const FOOT = 24;
const TOP = 12;
const MAX_LABELS = 7;
const MAX_BAR = 56;

export interface ChartChoice {
  x?: string | undefined;
  y?: string | undefined;
  how?: string | undefined;
  kind?: string | undefined;
}

/** The columns that a chart is drawn of, and how. */
export interface ChosenChart {
  /** Places in the list of columns; `y` is -1 where rows are counted. */
  x: number;
  y: number;
  how: ChartHow;
  kind: 'bar' | 'line';
}

/** What a choice means for these columns: what it does not say, or what is not there, is chosen for it. */
export function chosenChart(columns: readonly GridColumn[], choice: ChartChoice): ChosenChart {
  const first = firstChoice(columns);
  const placeIn = (from: readonly GridColumn[], ...names: (string | undefined)[]) => {
    const column = names.map((name) => from.find((one) => one.name === name)).find((found) => found !== undefined);
    return column === undefined ? -1 : columns.indexOf(column);
  };
  const y = choice.how === 'count' ? -1 : placeIn(columns.filter(isNumeric), choice.y, first.y);
  const how: ChartHow = y < 0 ? 'count' : (CHART_HOWS.find((one) => one === choice.how) ?? 'sum');
  const x = Math.max(0, placeIn(columns, choice.x, first.x));
  return { x, y, how, kind: choice.kind === 'line' ? 'line' : 'bar' };
}

interface QuickChartProps {
  columns: readonly GridColumn[];
  rows: readonly unknown[][];
  choice: ChartChoice;
  choose(change: ChartChoice): void;
}

/** A chart of the rows that are shown, chosen by columns; the rows themselves are the table of it. */
export function QuickChart({ columns, rows, choice, choose }: QuickChartProps) {
  const chosen = chosenChart(columns, choice);
  const drawn = chartPoints(rows, chosen);
  return (
    <ChartPanel columns={columns} chosen={chosen} choose={choose} drawn={drawn}>
      Of the {counted(rows.length, 'row')} that this page holds
    </ChartPanel>
  );
}

interface ChartPanelProps {
  columns: readonly GridColumn[];
  chosen: ChosenChart;
  choose(change: ChartChoice): void;
  /** Undefined until they are here. */
  drawn: { points: ChartPoint[]; left: number } | undefined;
  /** Which rows they are of. */
  children: ReactNode;
}

/** What a chart is drawn of, to be chosen, and the chart. */
export function ChartPanel({ columns, chosen: { x, y, how, kind }, choose, drawn, children }: ChartPanelProps) {
  const numbers = columns.filter(isNumeric).map(({ name }) => name);
  return (
    <Stack gap="sm" p="md" className="panel">
      <Group gap="sm" align="flex-end">
        <NativeSelect
          label="Along"
          size="xs"
          data={columns.map(({ name }) => name)}
          value={columns[x]?.name ?? ''}
          onChange={(event) => choose({ x: event.currentTarget.value })}
        />
        <NativeSelect
          label="Show"
          size="xs"
          data={numbers.length === 0 ? ['count'] : [...CHART_HOWS]}
          value={how}
          onChange={(event) => choose({ how: event.currentTarget.value })}
        />
        {how === 'count' ? null : (
          <NativeSelect
            label="Of"
            size="xs"
            data={numbers}
            value={columns[y]?.name ?? ''}
            onChange={(event) => choose({ y: event.currentTarget.value })}
          />
        )}
        <SegmentedControl
          size="xs"
          aria-label="Kind of chart"
          data={[
            { value: 'bar', label: 'Bars' },
            { value: 'line', label: 'Line' },
          ]}
          value={kind}
          onChange={(value) => choose({ kind: value })}
        />
      </Group>
      {drawn === undefined ? <Skeleton h={HEIGHT} /> : null}
      {drawn?.points.length === 0 ? <Text size="sm">These rows hold no number to draw.</Text> : null}
      {drawn === undefined || drawn.points.length === 0 ? null : (
        <Drawing points={drawn.points} kind={kind} title={`${how} of ${columns[y]?.name ?? 'rows'}`} />
      )}
      <Text size="sm" c="dimmed">
        {children}
        {drawn !== undefined && drawn.left > 0
          ? `; the first ${MAX_POINTS} values are drawn, ${countText(drawn.left)} are left out`
          : ''}
        .
      </Text>
    </Stack>
  );
}

const short = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

function Drawing({ points, kind, title }: { points: ChartPoint[]; kind: 'bar' | 'line'; title: string }) {
  const high = Math.max(0, ...points.map(({ y }) => y));
  const low = Math.min(0, ...points.map(({ y }) => y));
  const step = (WIDTH - LEFT) / points.length;
  const at = (y: number) => TOP + ((high - y) / (high - low || 1)) * (HEIGHT - TOP - FOOT);
  const middle = (i: number) => LEFT + step * (i + 0.5);
  const every = Math.ceil(points.length / MAX_LABELS);
  const most = points.reduce((best, point) => (point.y > best.y ? point : best));
  return (
    <svg
      className="chart"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      role="img"
      aria-label={`${title}: ${points.length} values, from ${short.format(low)} to ${short.format(high)}, most at ${most.x}`}
    >
      {[high, (high + low) / 2, low].map((value) => (
        <g key={value}>
          <line className="rule" x1={LEFT} x2={WIDTH} y1={at(value)} y2={at(value)} />
          <text x={LEFT - 8} y={at(value) + 4} textAnchor="end">
            {short.format(value)}
          </text>
        </g>
      ))}
      {kind === 'line' ? (
        <polyline className="line" points={points.map(({ y }, i) => `${middle(i)},${at(y)}`).join(' ')} />
      ) : null}
      {points.map(({ x, y }, i) => (
        <g key={x}>
          <Mark kind={kind} x={middle(i)} y={at(y)} zero={at(0)} width={step} words={`${x}: ${y}`} />
          {i % every === 0 ? (
            <text x={middle(i)} y={HEIGHT - 6} textAnchor="middle">
              {x.length > 14 ? `${x.slice(0, 13)}…` : x}
            </text>
          ) : null}
        </g>
      ))}
    </svg>
  );
}

interface MarkProps {
  kind: 'bar' | 'line';
  x: number;
  y: number;
  zero: number;
  width: number;
  words: string;
}

function Mark({ kind, x, y, zero, width, words }: MarkProps) {
  if (kind === 'line')
    return (
      <circle className="mark" cx={x} cy={y} r={2.5}>
        <title>{words}</title>
      </circle>
    );
  const bar = Math.max(1, Math.min(MAX_BAR, width * 0.8));
  return (
    <rect
      className="mark"
      x={x - bar / 2}
      y={Math.min(y, zero)}
      width={bar}
      height={Math.max(1, Math.abs(zero - y))}
      rx={Math.min(2, bar / 4)}
    >
      <title>{words}</title>
    </rect>
  );
}
