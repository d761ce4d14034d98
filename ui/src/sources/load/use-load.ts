import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useConnection } from '../../api/connection.ts';
import { readAgain } from '../../api/queries.ts';
import { loadFiles, NOTHING, type Reached, type ToLoad } from './load-files.ts';

export interface Load {
  reached: Reached;
  isRunning: boolean;
  error: Error | undefined;
  /** Goes on from what is reached. */
  resume(): void;
}

/** A load that begins with the component and ends with it; what the platform does by then goes on. */
export function useLoad(toLoad: ToLoad): Load {
  const connection = useConnection();
  const queries = useQueryClient();
  const [reached, setReached] = useState<Reached>(NOTHING);
  const [error, setError] = useState<Error>();
  const [round, setRound] = useState(0);
  const [ended, setEnded] = useState(-1);
  const newest = useRef(reached);
  useEffect(() => {
    const ending = new AbortController();
    const { signal } = ending;
    const reach = (more: Partial<Reached>) => {
      if (signal.aborted) return;
      newest.current = { ...newest.current, ...more };
      setReached(newest.current);
    };
    setError(undefined);
    loadFiles(toLoad, newest.current, { connection, queries, signal, reach })
      .catch((fault: unknown) => {
        if (!signal.aborted) setError(fault instanceof Error ? fault : new Error(String(fault)));
      })
      .finally(() => {
        if (signal.aborted) return;
        setEnded(round);
        void readAgain(queries, 'datasets');
      });
    return () => ending.abort();
  }, [toLoad, connection, queries, round]);
  return { reached, isRunning: ended !== round, error, resume: () => setRound(round + 1) };
}
