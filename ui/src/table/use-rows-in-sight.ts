import { defaultRangeExtractor, type Range, useVirtualizer } from '@tanstack/react-virtual';
import { type FocusEvent, type KeyboardEvent, useCallback, useEffect, useRef, useState } from 'react';

/** As many rows are all in the page; of more, those in sight. */
const WHOLE_ROWS = 40;
const ROW_PX = 44;
const OVERSCAN = 6;
const FIRST_SIGHT = { width: 0, height: 640 };

/** A row that is an element: where it is, and the empty height before it. */
export interface RowInSight {
  index: number;
  gap: number;
}

/** Which of so many rows are elements, and how the keyboard goes from one to the next. */
export function useRowsInSight(count: number) {
  const view = useRef<HTMLElement>(null);
  const [active, setActive] = useState(-1);
  const [goal, setGoal] = useState<number>();
  const isPart = count > WHOLE_ROWS;
  const rows = useVirtualizer({
    count,
    enabled: isPart,
    getScrollElement: () => view.current,
    estimateSize: () => ROW_PX,
    initialRect: FIRST_SIGHT,
    overscan: OVERSCAN,
    // The row that has the focus stays, and so do those to which a key leads.
    rangeExtractor: useCallback((range: Range) => withNeighbours(range, active), [active]),
  });
  useEffect(() => {
    if (goal === undefined) return;
    view.current?.querySelector<HTMLElement>(`[data-index="${goal}"] [data-row]`)?.focus();
    setGoal(undefined);
  }, [goal]);
  const press = (event: KeyboardEvent) => {
    if (!(event.target as HTMLElement).matches('[data-row]')) return;
    const to = { ArrowDown: active + 1, ArrowUp: active - 1, Home: 0, End: count - 1 }[event.key];
    if (to === undefined || to < 0 || to >= count) return;
    event.preventDefault();
    setActive(to);
    setGoal(to);
  };
  const focus = (event: FocusEvent) => {
    const index = (event.target as HTMLElement).closest<HTMLElement>('[data-index]')?.dataset.index;
    if (index !== undefined) setActive(Number(index));
  };
  const shown = rows.getVirtualItems();
  const inSight: RowInSight[] = isPart
    ? shown.map(({ index, start }, i) => ({ index, gap: start - (shown[i - 1]?.end ?? 0) }))
    : Array.from({ length: count }, (_, index) => ({ index, gap: 0 }));
  return {
    view,
    isPart,
    inSight,
    /** The empty height behind the last row. */
    rest: isPart ? rows.getTotalSize() - (shown.at(-1)?.end ?? 0) : 0,
    measure: isPart ? rows.measureElement : undefined,
    isScrolled: (rows.scrollOffset ?? 0) > 0,
    press,
    focus,
  };
}

function withNeighbours(range: Range, active: number): number[] {
  const kept = [active - 1, active, active + 1].filter((index) => active >= 0 && index >= 0 && index < range.count);
  return [...new Set([...kept, ...defaultRangeExtractor(range)])].sort((a, b) => a - b);
}
