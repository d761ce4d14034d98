import type { RunLogLevel, RunLogLineView, RunLogPageView } from '@weir/plugin-platform/contract';
import { readLog } from '@weir/plugin-runs/contract';
import { useEffect, useState } from 'react';
import { ask, type Connection } from '../api/ask.ts';
import { useConnection } from '../api/connection.ts';
import { UnreachableError } from '../api/problem-error.ts';

export interface LogFilter {
  level?: RunLogLevel;
  search?: string;
}

interface LogOf {
  runId: string;
  filter: LogFilter;
  /** The line to read around; the newest lines are read, and followed, without it. */
  around?: number | undefined;
}

export interface LogState {
  lines: readonly RunLogLineView[];
  /** Lines that were let go because too many are held. */
  dropped: number;
  ended: boolean;
  expired: boolean;
  /** All lines of the run by level, once they are known. */
  levels?: RunLogPageView['levels'];
  error?: Error;
  again(): void;
}

const PAGE = 500;
const MAX_HELD = 2_000;
const WAIT_S = 20;
const RETRY_MS = 3_000;

type Told = Pick<LogState, 'ended' | 'expired' | 'levels'> & { lines: RunLogLineView[] };

/** Lines that are read before the one that was asked for. */
const BEFORE = 100;

/** The newest lines of a log that fit a filter, followed until the run has ended. */
export function useRunLog({ runId, filter: { level, search }, around }: LogOf): LogState {
  const connection = useConnection();
  const [round, setRound] = useState(0);
  const [state, setState] = useState<Omit<LogState, 'again'>>({ lines: [], dropped: 0, ended: false, expired: false });
  // biome-ignore lint/correctness/useExhaustiveDependencies: another round reads again
  useEffect(() => {
    const ending = new AbortController();
    setState({ lines: [], dropped: 0, ended: false, expired: false });
    const take = ({ lines, ended, expired, levels }: Told) =>
      setState((before) => {
        const all = [...before.lines, ...lines];
        const over = Math.max(0, all.length - MAX_HELD);
        return {
          lines: all.slice(over),
          dropped: before.dropped + over,
          ended,
          expired,
          levels: levels ?? before.levels ?? null,
        };
      });
    const filter = { ...(level === undefined ? {} : { level }), ...(search === undefined ? {} : { search }) };
    follow(connection, { runId, filter, around }, { take, signal: ending.signal }).catch((error: Error) => {
      if (!ending.signal.aborted) setState((before) => ({ ...before, error }));
    });
    return () => ending.abort();
  }, [connection, runId, level, search, around, round]);
  return { ...state, again: () => setRound(round + 1) };
}

async function follow(
  connection: Connection,
  { runId, filter, around }: LogOf,
  { take, signal }: { take(told: Told): void; signal: AbortSignal },
): Promise<void> {
  const params = { id: runId };
  const read = (query: object) =>
    ask(connection, readLog, { params, query: { limit: PAGE, ...filter, ...query } }, { signal });
  if (around !== undefined) {
    // Only where a reading begins are the levels told.
    const [page, { levels }] = await Promise.all([
      read({ after: Math.max(0, around - BEFORE) }),
      read({ order: '-seq', limit: 1 }),
    ]);
    return take({ ...page, levels, lines: page.items });
  }
  // From the newest backwards: a long log is shown from its end.
  const first = await read({ order: '-seq' });
  take({ ...first, lines: first.items.toReversed() });
  let [after, ended] = [first.items[0]?.seq ?? 0, first.ended];
  while (!ended && !signal.aborted) {
    const page = await read({ after, wait_seconds: WAIT_S }).catch(async (error: unknown) => {
      if (!(error instanceof UnreachableError)) throw error;
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      return undefined;
    });
    if (page === undefined) continue;
    take({ ...page, lines: page.items });
    after = page.items.at(-1)?.seq ?? after;
    ended = page.ended && page.next_page_token === null;
  }
}
