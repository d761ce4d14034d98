/** How much may wait, and how much may pass in all. */
export interface LineBounds {
  /** What may wait to be taken. */
  readonly waiting: { readonly lines: number; readonly bytes: number };
  /** What may pass in all; beyond it only the last lines are kept, until the end. */
  readonly total: { readonly lines: number; readonly bytes: number };
  /** The last lines that are kept of what does not pass. */
  readonly last: { readonly lines: number; readonly bytes: number };
}

/** A queue of lines that never blocks its writer and never grows beyond its bounds: it leaves out the middle, and says so. */
export interface BoundedLines<T> {
  push(line: T): void;
  /** What waits, in order, with a marker where lines were left out. */
  take(): T[];
  /** Everything that is left, the last lines of what did not pass included. */
  rest(): T[];
}

/** Makes a queue; `marker` makes the line that tells how many were dropped. */
export function boundedLines<T>(
  bounds: LineBounds,
  { sizeOf, marker }: { sizeOf(line: T): number; marker(dropped: number): T },
): BoundedLines<T> {
  const waiting = counted<T>();
  const last = counted<T>();
  const passed = { lines: 0, bytes: 0 };
  let dropped = 0;
  const mayPass = (size: number): boolean =>
    passed.lines < bounds.total.lines && passed.bytes + size <= bounds.total.bytes;
  const pass = (line: T, size: number): void => {
    waiting.add(line, size);
    passed.lines += 1;
    passed.bytes += size;
  };
  const takeAll = (): T[] => waiting.clear();
  const lastOnes = (): T[] => {
    const marked = dropped > 0 ? [marker(dropped)] : [];
    dropped = 0;
    return [...marked, ...last.clear()];
  };
  return {
    push(line) {
      const size = sizeOf(line);
      const isRoom = waiting.lines() < bounds.waiting.lines && waiting.bytes() + size <= bounds.waiting.bytes;
      if (last.lines() === 0 && dropped === 0 && isRoom && mayPass(size)) return pass(line, size);
      last.add(line, size);
      while (last.lines() > bounds.last.lines || last.bytes() > bounds.last.bytes) {
        last.shift();
        dropped += 1;
      }
    },
    take() {
      const taken = takeAll();
      // What could not wait only because too much did goes on with the next batch.
      if (mayPass(last.bytes())) for (const line of lastOnes()) pass(line, sizeOf(line));
      return taken;
    },
    rest: () => [...takeAll(), ...lastOnes()],
  };
}

function counted<T>() {
  let kept: { line: T; size: number }[] = [];
  let bytes = 0;
  return {
    lines: () => kept.length,
    bytes: () => bytes,
    add(line: T, size: number) {
      kept.push({ line, size });
      bytes += size;
    },
    shift() {
      bytes -= kept.shift()?.size ?? 0;
    },
    clear(): T[] {
      const lines = kept.map(({ line }) => line);
      kept = [];
      bytes = 0;
      return lines;
    },
  };
}
