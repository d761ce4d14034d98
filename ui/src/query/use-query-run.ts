import type { Output } from '@weir/kernel/contract';
import { runQuery } from '@weir/plugin-transforms/contract';
import { useEffect, useRef, useState } from 'react';
import { ask } from '../api/ask.ts';
import { useConnection } from '../api/connection.ts';

export type QueryResult = Output<typeof runQuery>;

interface QueryRun {
  result?: QueryResult;
  error?: Error;
  /** The statement that was run last. */
  sql?: string;
  isRunning: boolean;
  /** When the answer came, in milliseconds since it was asked for. */
  tookMs?: number;
}

/** Runs one statement at a time; another one, or leaving the page, ends the wait for the last. */
export function useQueryRun() {
  const connection = useConnection();
  const [state, setState] = useState<QueryRun>({ isRunning: false });
  const ending = useRef<AbortController>(undefined);
  useEffect(() => () => ending.current?.abort(), []);
  const run = async (sql: string, limit: number): Promise<QueryRun> => {
    ending.current?.abort();
    const own = new AbortController();
    ending.current = own;
    setState((before) => ({ ...before, isRunning: true }));
    const begun = performance.now();
    const next: QueryRun = await ask(connection, runQuery, { body: { sql, limit } }, { signal: own.signal }).then(
      (result) => ({ result, sql, isRunning: false, tookMs: performance.now() - begun }),
      (error: Error) => ({ error, sql, isRunning: false }),
    );
    if (!own.signal.aborted) setState(next);
    return next;
  };
  const cancel = () => {
    ending.current?.abort();
    setState(({ result, tookMs }) => ({
      isRunning: false,
      ...(result === undefined ? {} : { result }),
      ...(tookMs === undefined ? {} : { tookMs }),
    }));
  };
  return { ...state, run, cancel };
}
