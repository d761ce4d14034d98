import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type DiscoveredStreamView, startSync } from '@weir/plugin-sources/contract';
import { ask, newIdempotencyKey } from '../../api/ask.ts';
import { useConnection } from '../../api/connection.ts';
import { makeSource } from '../create/make-source.ts';
import { configOf, type LoadPlan } from './plan/load-plan.ts';

const PATTERN = 'files';
/** What was loaded before stays, and a file that cannot be read holds up no other. */
const NEW_ONLY = { sync_mode: 'incremental', write_mode: 'append' } as const;

export interface ToLoad {
  plan: LoadPlan;
  discovery: string;
  found: readonly DiscoveredStreamView[];
}

export type StartLoad = ReturnType<typeof useStartLoad>;

/** Makes a source of a plan and starts the sync that loads it. A source whose sync did not start is kept. */
export function useStartLoad(reached: { onMade(source: string): void; onStarted(run: string): void }) {
  const connection = useConnection();
  const queries = useQueryClient();
  const start = useMutation({
    mutationFn: (source_id: string) =>
      ask(connection, startSync, { params: { source_id } }, { headers: { 'idempotency-key': newIdempotencyKey() } }),
    onSuccess: ({ run_id }) => reached.onStarted(run_id),
  });
  const make = useMutation({
    mutationFn: ({ plan, discovery, found: seen }: ToLoad) => {
      // The one table of all files is called as the source is, whatever that was when it was looked at.
      const found = plan.tables === 'one' ? seen.map((stream) => ({ ...stream, name: plan.name })) : seen;
      const chosen = new Set(found.map(({ name }) => name));
      const { name } = plan;
      const made = {
        name,
        patternId: PATTERN,
        config: configOf(plan),
        discovery,
        hasCredentials: false,
        found,
        chosen,
      };
      return makeSource(connection, queries, { ...made, settings: NEW_ONLY });
    },
    onSuccess: ({ source_id }) => {
      reached.onMade(source_id);
      start.mutate(source_id);
    },
  });
  return { make, start };
}
