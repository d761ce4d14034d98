import type { Row } from '../answer/row.ts';
import type { Dictionary } from '../template/value.ts';
import type { ParentPage } from './router.ts';

type ReadParent = (reading: {
  readonly state: unknown;
  readonly signal: AbortSignal;
  readonly onRows: (rows: readonly Row[], partition: Dictionary) => Promise<void>;
  readonly onState: (state: Dictionary) => Promise<void>;
}) => Promise<void>;

/** The records of a parent, page by page, each asked for when its partitions are wanted. */
export async function* parentPages(
  read: ReadParent,
  state: unknown,
  signal: AbortSignal,
  onState: (state: Dictionary) => void,
): AsyncGenerator<ParentPage> {
  const waiting: ParentPage[] = [];
  let wake: () => void = () => undefined;
  let free: () => void = () => undefined;
  let isDone = false;
  const stop = new AbortController();
  const reading = read({
    state,
    signal: AbortSignal.any([signal, stop.signal]),
    onState: async (at) => onState(at),
    async onRows(rows, partition) {
      waiting.push({ rows, partition });
      wake();
      await new Promise<void>((resolve) => {
        free = resolve;
      });
    },
  });
  const ended = reading.finally(() => {
    isDone = true;
    wake();
  });
  ended.catch(() => undefined);
  try {
    for (;;) {
      const page = waiting.shift();
      if (page !== undefined) {
        yield page;
        free();
      } else if (isDone) {
        await ended;
        return;
      } else
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    }
  } finally {
    stop.abort();
    free();
  }
}
