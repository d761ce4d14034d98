import { getVerification } from '@weir/plugin-sources/contract';
import type { Api } from '../connection/api.ts';
import { waitForRun } from './wait-for-run.ts';
import type { WatchOptions } from './watch-discovery.ts';

/** One verification of one sync, by their runs. */
export interface VerificationKey {
  syncRunId: string;
  runId: string;
}

/** Waits for the end of a verification, showing how it stands. */
export async function watchVerification(api: Api, { syncRunId, runId }: VerificationKey, options: WatchOptions) {
  const { progress, seen, ...limits } = options;
  const asked = { params: { sync_run_id: syncRunId }, query: { verification_run_id: runId } };
  try {
    return await waitForRun({
      ...limits,
      poll: () => api.call(getVerification, asked),
      seen: (state) => {
        seen?.(state);
        progress.show(state.status, [`  ▸ verification ${state.status}`]);
      },
      reattach: `weir runs verify ${syncRunId} begins another one; it changes nothing`,
    });
  } finally {
    progress.end([]);
  }
}
