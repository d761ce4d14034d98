import {
  type DiscoveryStatusView,
  getDiscoveryStatus,
  readDiscoveryLooks,
  type StreamLookView,
  startDiscovery,
} from '@weir/plugin-sources/contract';
import { useEffect, useRef } from 'react';
import { useChange, useRead } from '../../api/queries.ts';
import { configOf, type LoadPlan } from './plan/load-plan.ts';

const PATTERN = 'files';
const LOOK_AGAIN_MS = 500;

/** What a discovery has found, with what it shows of it. */
export interface Looked {
  status: DiscoveryStatusView;
  looks: readonly StreamLookView[];
}

export interface Look {
  /** The newest one that has ended; one of the plan of before while it is looked again. */
  looked: Looked | undefined;
  /** The one that runs, or has failed to start. */
  running: DiscoveryStatusView | undefined;
  isCurrent: boolean;
  error: Error | null;
  retry(): void;
}

/** Looks at what a plan would load. `id` is the discovery that has looked at it; without one another is started. */
export function useLook(plan: LoadPlan, id: string | undefined, onStarted: (id: string) => void): Look {
  const start = useChange(startDiscovery);
  const { mutate } = start;
  const told = useRef(onStarted);
  told.current = onStarted;
  const config = JSON.stringify(configOf(plan));
  const begin = useRef(() => undefined as undefined);
  begin.current = () => {
    const body = { pattern_id: PATTERN, source_config: JSON.parse(config) as Record<string, unknown> };
    mutate({ body }, { onSuccess: ({ run_id }) => told.current(run_id) });
    return undefined;
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: another configuration is another look
  useEffect(() => {
    if (id === undefined) begin.current();
  }, [id, config]);
  const params = { workflow_id: id ?? '' };
  const status = useRead(
    getDiscoveryStatus,
    { params },
    { enabled: id !== undefined, again: (found) => (found?.is_terminal ? false : LOOK_AGAIN_MS) },
  );
  const hasEnded = status.data?.is_terminal === true;
  const looks = useRead(readDiscoveryLooks, { params }, { enabled: id !== undefined && hasEnded });
  const last = useRef<Looked>(undefined);
  const isCurrent = id !== undefined && status.data?.is_terminal === true && looks.data !== undefined;
  if (isCurrent && status.data !== undefined) last.current = { status: status.data, looks: looks.data?.streams ?? [] };
  const error = start.error ?? status.error ?? looks.error;
  const retry = () => void (id === undefined ? begin.current() : status.error ? status.refetch() : looks.refetch());
  return { looked: last.current, running: hasEnded ? undefined : status.data, isCurrent, error, retry };
}
