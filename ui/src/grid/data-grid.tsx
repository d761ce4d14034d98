// biome-ignore-all lint/a11y/useSemanticElements: a table element cannot leave out what is not in sight
import { Button, Code, CopyButton, Group, Stack, Text } from '@mantine/core';
import { useVirtualizer, type VirtualItem } from '@tanstack/react-virtual';
import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from 'react';
import { Dialog } from '../parts/dialog.tsx';
import { cellText, columnWidth, csvOf, type GridColumn, isNumeric } from './cell.ts';
import './grid.css';

const ROW_PX = 30;
const HEAD_PX = 48;
const GUTTER_PX = 58;
const PAGE_ROWS = 12;
/** So many rows before the last one more are asked for. */
const AHEAD_ROWS = 20;

interface DataGridProps {
  label: string;
  columns: readonly GridColumn[];
  rows: readonly unknown[][];
  maxHeight?: number;
  /** Asks for more rows, where there are any. */
  onEnd?: (() => void) | undefined;
}

interface Place {
  row: number;
  column: number;
}

/** Typed rows of which only those in sight are elements, in both directions. The arrows move from cell to cell. */
export function DataGrid({ label, columns, rows, maxHeight = 480, onEnd }: DataGridProps) {
  const view = useRef<HTMLDivElement>(null);
  const id = useId();
  const [active, setActive] = useState<Place>({ row: 0, column: 0 });
  const [isOpen, setOpen] = useState(false);
  const { lines, across } = useSight({ view, columns, rows });
  const items = lines.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  useEffect(() => {
    if (last >= rows.length - AHEAD_ROWS) onEnd?.();
  }, [last, rows.length, onEnd]);
  const go = (place: Place) => {
    setActive(place);
    lines.scrollToIndex(place.row);
    across.scrollToIndex(place.column);
  };
  const press = (event: KeyboardEvent) => {
    const next = moved(event, active, { rows: rows.length, columns: columns.length });
    if (next !== undefined) go(next);
    else if (event.key === 'Enter') setOpen(true);
    else if (event.key === 'c' && (event.ctrlKey || event.metaKey) && getSelection()?.isCollapsed !== false)
      void navigator.clipboard.writeText(cellText(rows[active.row]?.[active.column]) ?? '');
    else return;
    event.preventDefault();
  };
  const width = across.getTotalSize();
  return (
    <>
      <div
        ref={view}
        className="panel data-grid"
        role="grid"
        tabIndex={0}
        aria-label={label}
        aria-rowcount={rows.length + 1}
        aria-colcount={columns.length + 1}
        aria-activedescendant={rows.length === 0 ? undefined : `${id}-${active.row}-${active.column}`}
        style={{ height: Math.min(maxHeight, HEAD_PX + rows.length * ROW_PX + 18) }}
        onKeyDown={press}
      >
        <Head columns={columns} items={across.getVirtualItems()} width={width} />
        <div role="rowgroup" style={{ height: lines.getTotalSize() - HEAD_PX, width }}>
          {items.map((line) => (
            <Row
              key={line.key}
              id={id}
              line={line}
              width={width}
              cells={across.getVirtualItems()}
              columns={columns}
              values={rows[line.index] ?? []}
              active={active.row === line.index ? active.column : undefined}
              choose={(column) => {
                setActive({ row: line.index, column });
                view.current?.focus({ preventScroll: true });
              }}
              open={() => setOpen(true)}
            />
          ))}
        </div>
      </div>
      {isOpen ? (
        <CellDialog
          column={columns[active.column]}
          row={csvOf(columns, [rows[active.row] ?? []])}
          value={rows[active.row]?.[active.column]}
          onClose={() => setOpen(false)}
        />
      ) : null}
    </>
  );
}

interface SightOf extends Pick<DataGridProps, 'columns' | 'rows'> {
  view: { current: HTMLDivElement | null };
}

/** Which rows and columns are in sight. */
function useSight({ view, columns, rows }: SightOf) {
  // Widths come of the first rows, and stay as more come.
  const first = rows[0];
  // biome-ignore lint/correctness/useExhaustiveDependencies: the first row stands for the page it came with
  const widths = useMemo(() => columns.map((column, i) => columnWidth(column, i, rows)), [columns, first]);
  const lines = useVirtualizer({
    count: rows.length,
    getScrollElement: () => view.current,
    estimateSize: () => ROW_PX,
    paddingStart: HEAD_PX,
    scrollPaddingStart: HEAD_PX,
    overscan: 6,
  });
  const across = useVirtualizer({
    horizontal: true,
    count: columns.length,
    getScrollElement: () => view.current,
    estimateSize: (i) => widths[i] ?? GUTTER_PX,
    paddingStart: GUTTER_PX,
    scrollPaddingStart: GUTTER_PX,
    overscan: 2,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: other widths move every column
  useEffect(() => across.measure(), [widths]);
  return { lines, across };
}

/** Where a key leads; undefined for a key that leads nowhere. */
function moved({ key, ctrlKey }: KeyboardEvent, { row, column }: Place, size: { rows: number; columns: number }) {
  const steps: Readonly<Record<string, Place>> = {
    ArrowDown: { row: row + 1, column },
    ArrowUp: { row: row - 1, column },
    ArrowRight: { row, column: column + 1 },
    ArrowLeft: { row, column: column - 1 },
    PageDown: { row: row + PAGE_ROWS, column },
    PageUp: { row: row - PAGE_ROWS, column },
    Home: { row: ctrlKey ? 0 : row, column: 0 },
    End: { row: ctrlKey ? size.rows - 1 : row, column: size.columns - 1 },
  };
  const to = steps[key];
  if (to === undefined || size.rows === 0) return undefined;
  const within = (at: number, count: number) => Math.min(count - 1, Math.max(0, at));
  return { row: within(to.row, size.rows), column: within(to.column, size.columns) };
}

function Head({
  columns,
  items,
  width,
}: {
  columns: readonly GridColumn[];
  items: readonly VirtualItem[];
  width: number;
}) {
  return (
    <div role="rowgroup" className="data-head" style={{ width }}>
      <div role="row" aria-rowindex={1} tabIndex={-1}>
        <span role="columnheader" tabIndex={-1} aria-colindex={1} className="data-gutter">
          <span className="unseen">Row</span>
        </span>
        {items.map(({ index, start, size }) => {
          const column = columns[index];
          if (column === undefined) return null;
          return (
            <span
              key={column.name}
              role="columnheader"
              tabIndex={-1}
              aria-colindex={index + 2}
              className="data-name"
              data-number={isNumeric(column)}
              style={{ left: start, width: size }}
              title={`${column.name} ${column.type}`}
            >
              <span className="ellipsis">{column.name}</span>
              <span className="ellipsis data-type">{column.type}</span>
            </span>
          );
        })}
      </div>
    </div>
  );
}

interface RowProps {
  id: string;
  line: VirtualItem;
  width: number;
  cells: readonly VirtualItem[];
  columns: readonly GridColumn[];
  values: readonly unknown[];
  active: number | undefined;
  choose(column: number): void;
  open(): void;
}

function Row({ id, line, width, cells, columns, values, active, choose, open }: RowProps) {
  return (
    <div
      role="row"
      tabIndex={-1}
      aria-rowindex={line.index + 2}
      className="data-row"
      style={{ width, transform: `translateY(${line.start}px)` }}
    >
      <span role="rowheader" tabIndex={-1} aria-colindex={1} className="data-gutter">
        {line.index + 1}
      </span>
      {cells.map(({ index, start, size }) => {
        const column = columns[index];
        const text = cellText(values[index]);
        if (column === undefined) return null;
        return (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the grid takes the keys
          <span
            key={column.name}
            id={`${id}-${line.index}-${index}`}
            role="gridcell"
            tabIndex={-1}
            aria-colindex={index + 2}
            className="data-cell ellipsis"
            data-active={active === index}
            data-number={isNumeric(column)}
            data-null={text === undefined}
            style={{ left: start, width: size }}
            onClick={() => choose(index)}
            onDoubleClick={open}
          >
            {text ?? 'NULL'}
          </span>
        );
      })}
    </div>
  );
}

interface CellDialogProps {
  column: GridColumn | undefined;
  value: unknown;
  /** The whole row as CSV, under its names. */
  row: string;
  onClose(): void;
}

/** One value in full. */
function CellDialog({ column, value, row, onClose }: CellDialogProps) {
  const text = typeof value === 'object' && value !== null ? JSON.stringify(value, undefined, 2) : cellText(value);
  return (
    <Dialog title={column?.name ?? ''} size="lg" onClose={onClose}>
      <Stack gap="sm" align="flex-start">
        <Text size="sm" c="dimmed">
          {column?.type}
        </Text>
        {text === undefined ? (
          <Text fs="italic">NULL</Text>
        ) : (
          <Code block w="100%" mah="60vh" className="cell-text" tabIndex={0}>
            {text}
          </Code>
        )}
        <Group gap="xs">
          <Copy text={text ?? ''} words="Copy" />
          <Copy text={row} words="Copy the row as CSV" />
        </Group>
      </Stack>
    </Dialog>
  );
}

function Copy({ text, words }: { text: string; words: string }) {
  return (
    <CopyButton value={text}>
      {({ copied, copy }) => (
        <Button size="xs" variant="default" onClick={copy}>
          {copied ? 'Copied' : words}
        </Button>
      )}
    </CopyButton>
  );
}
