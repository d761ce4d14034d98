// biome-ignore-all lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
import { Group, Table, type TableTrProps, Text } from '@mantine/core';
import { useViewportSize } from '@mantine/hooks';
import { type Key, type MouseEvent, type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { MoreButton, type Pages } from './more-button.tsx';
import { useRowsInSight } from './use-rows-in-sight.ts';
import './long-table.css';

/** So many rows before the last one more are asked for. */
const AHEAD_ROWS = 10;

interface LongTableProps<R> {
  label: string;
  /** Narrower than this the table scrolls by itself. */
  minWidth: number;
  /** The heads of the columns. */
  head: ReactNode;
  rows: readonly R[];
  keyOf(row: R, index: number): Key;
  /** The cells of a row. */
  children(row: R, index: number): ReactNode;
  rowProps?(row: R): TableTrProps & { 'data-chosen'?: boolean };
  spacing?: number | 'xs' | 'sm';
  /** What is said of the rows below them. */
  foot?: string;
  /** Where the rows are read page by page. */
  pages?: Pages;
  moreWords?: string;
}

/** A table of any length. Of many rows only those in sight are elements; the head stays, the arrows go from row to row. */
export function LongTable<R>({ label, minWidth, head, rows, keyOf, children, ...more }: LongTableProps<R>) {
  const { rowProps, spacing = 'xs', foot, pages, moreWords } = more;
  const sight = useRowsInSight(rows.length);
  const { table, steady } = useSteadyColumns(sight.isPart);
  useReadAhead({ last: sight.inSight.at(-1)?.index ?? 0, count: rows.length, isScrolled: sight.isScrolled, pages });
  return (
    <div className="panel">
      <section ref={sight.view} className="long-box" data-part={sight.isPart} tabIndex={0} aria-label={label}>
        <Table
          ref={table}
          miw={Math.max(minWidth, steady?.width ?? 0)}
          layout={steady === undefined ? 'auto' : 'fixed'}
          data-steady={steady !== undefined}
          verticalSpacing={spacing}
          aria-rowcount={pages?.hasNextPage ? -1 : rows.length + 1}
          onKeyDown={sight.press}
          onFocus={sight.focus}
        >
          {steady === undefined ? null : (
            <colgroup>
              {steady.shares.map((share, i) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: a column is its place
                <col key={i} style={{ width: `${share * 100}%` }} />
              ))}
            </colgroup>
          )}
          <Table.Thead>
            <Table.Tr aria-rowindex={1}>{head}</Table.Tr>
          </Table.Thead>
          <Table.Tbody onClick={openRow}>
            {sight.inSight.flatMap(({ index, gap }) => {
              const row = rows[index];
              if (row === undefined) return [];
              const key = keyOf(row, index);
              return [
                ...(gap > 0 ? [<Gap key={`before ${key}`} height={gap} />] : []),
                <Table.Tr
                  key={key}
                  ref={sight.measure}
                  data-index={index}
                  aria-rowindex={index + 2}
                  {...rowProps?.(row)}
                >
                  {children(row, index)}
                </Table.Tr>,
              ];
            })}
            {sight.rest > 0 ? <Gap height={sight.rest} /> : null}
          </Table.Tbody>
        </Table>
      </section>
      {foot === undefined && !pages?.hasNextPage ? null : (
        <Group p="sm" gap="sm" justify="space-between">
          <Text size="sm" c="dimmed" role="status">
            {foot}
            {rows.length > 0 && pages?.hasNextPage ? ' so far' : ''}
          </Text>
          {pages === undefined ? null : <MoreButton pages={pages} words={moreWords} />}
        </Group>
      )}
    </div>
  );
}

/** Follows the link of a row, unless the click was for something else in it or marked a text. */
function openRow({ target, ctrlKey, metaKey, shiftKey }: MouseEvent<HTMLTableSectionElement>): void {
  if (!(target instanceof Element) || target.closest('a, button, input, label') || `${getSelection()}` !== '') return;
  const click = { bubbles: true, cancelable: true, ctrlKey, metaKey, shiftKey };
  target.closest('tr')?.querySelector('a[data-row]')?.dispatchEvent(new globalThis.MouseEvent('click', click));
}

/** The place of rows that are not in sight. */
function Gap({ height }: { height: number }) {
  return (
    // biome-ignore lint/a11y/noAriaHiddenOnFocusable: a row of a table takes no focus
    <tr aria-hidden="true">
      <td style={{ height, padding: 0 }} />
    </tr>
  );
}

/** How wide the rows in sight made the table and each column, as shares: other rows would move them. Anew for another window. */
function useSteadyColumns(isPart: boolean) {
  const table = useRef<HTMLTableElement>(null);
  const { width: windowWidth } = useViewportSize();
  const [steady, setSteady] = useState<{ width: number; shares: readonly number[] }>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: measured anew in another window
  useLayoutEffect(() => setSteady(undefined), [isPart, windowWidth]);
  useLayoutEffect(() => {
    const { offsetWidth: width = 0, tHead } = table.current ?? {};
    const heads = [...(tHead?.rows[0]?.cells ?? [])];
    if (!isPart || steady !== undefined || width === 0) return;
    setSteady({ width, shares: heads.map(({ offsetWidth }) => offsetWidth / width) });
  }, [isPart, steady]);
  return { table, steady };
}

interface ReadAhead {
  last: number;
  count: number;
  isScrolled: boolean;
  pages: Pages | undefined;
}

/** Reads the next page when the last rows come in sight. */
function useReadAhead({ last, count, isScrolled, pages }: ReadAhead): void {
  const isWanted = isScrolled && last >= count - AHEAD_ROWS && pages?.hasNextPage === true && !pages.isFetchingNextPage;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each page that is wanted
  useEffect(() => {
    if (isWanted) void pages?.fetchNextPage();
  }, [isWanted, count]);
}
