import { getRun } from '@weir/plugin-runs/contract';
import type { Api } from '../connection/api.ts';
import { waitForRun } from './wait-for-run.ts';
import type { WatchOptions } from './watch-discovery.ts';

/** Waits for the end of a run of any kind, showing how it stands. */
export async function watchRun(api: Api, runId: string, options: WatchOptions) {
  const { progress, seen, ...limits } = options;
  try {
    return await waitForRun({
      ...limits,
      waits: true,
      poll: (wait) => api.call(getRun, { params: { id: runId }, query: { wait } }),
      seen: (state) => {
        seen?.(state);
        progress.show(state.status, [`  ▸ ${state.kind} ${state.subject.name ?? state.subject.id} ${state.status}`]);
      },
      reattach: `weir runs wait ${runId}`,
    });
  } finally {
    progress.end([]);
  }
}
