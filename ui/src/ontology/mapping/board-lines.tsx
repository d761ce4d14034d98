import { type RefObject, useCallback, useEffect, useState } from 'react';

/** A line from a column to what it fills, by the values of `data-end`. */
export interface Line {
  from: string;
  to: string;
  isDoubtful: boolean;
}

interface Drawn extends Line {
  path: string;
}

/** Lines over two lists; who cannot see them hears the same from the rows. */
export function BoardLines({ board, lines }: { board: RefObject<HTMLElement | null>; lines: readonly Line[] }) {
  const [{ drawn, height }, setDrawn] = useState<{ drawn: Drawn[]; height: number }>({ drawn: [], height: 0 });
  const draw = useCallback(() => {
    const element = board.current;
    if (element === null) return;
    const origin = element.getBoundingClientRect();
    const top = origin.top - element.scrollTop;
    const ends = new Map(
      [...element.querySelectorAll<HTMLElement>('[data-end]')].map((end) => [
        end.dataset.end,
        end.getBoundingClientRect(),
      ]),
    );
    const next = lines.flatMap((line) => {
      const [from, to] = [ends.get(line.from), ends.get(line.to)];
      // In a narrow window the list of columns is not shown.
      if (from === undefined || to === undefined || from.width === 0) return [];
      const [x1, y1] = [from.right - origin.left, from.top + from.height / 2 - top];
      const [x2, y2] = [to.left - origin.left, to.top + to.height / 2 - top];
      const bend = (x1 + x2) / 2;
      return [{ ...line, path: `M ${x1} ${y1} C ${bend} ${y1}, ${bend} ${y2}, ${x2} ${y2}` }];
    });
    const height = Math.max(...[...element.querySelectorAll('.board-list')].map((list) => list.clientHeight));
    setDrawn({ drawn: next, height });
  }, [board, lines]);
  // Not before the layout: the board is known once its parts are.
  useEffect(() => {
    draw();
    const element = board.current;
    if (element === null) return undefined;
    const seen = new ResizeObserver(draw);
    for (const part of [element, ...element.querySelectorAll('.board-list')]) seen.observe(part);
    return () => seen.disconnect();
  }, [board, draw]);
  return (
    <svg className="board-lines" height={height} aria-hidden="true">
      {drawn.map(({ from, to, path, isDoubtful }) => (
        <path key={`${from} ${to}`} d={path} className="board-line" data-doubtful={isDoubtful} />
      ))}
    </svg>
  );
}
