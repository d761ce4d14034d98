import { type DiscoveryStatusView, type DiscoveryWarningView, getDiscoveryStatus } from '@weir/plugin-sources/contract';
import type { Api } from '../connection/api.ts';
import { phaseText } from './phase-text.ts';
import { countOf, type Progress } from './progress.ts';
import { waitForRun } from './wait-for-run.ts';

/** Where a wait ends without its run, and how it is shown meanwhile. */
export interface WatchOptions {
  timeoutMs: number;
  interrupted: AbortSignal;
  progress: Progress;
  /** Told every state that was seen. */
  seen?: (state: object) => void;
}

/** Waits for the end of a discovery, showing how it stands and what it warns of, but for the codes that the caller tells. */
export async function watchDiscovery(
  api: Api,
  workflowId: string,
  options: WatchOptions & { isToldByCaller?(code: string): boolean },
): Promise<DiscoveryStatusView> {
  const { progress, seen, isToldByCaller = () => false, ...limits } = options;
  let last: string[] = [];
  try {
    const ended = await waitForRun({
      ...limits,
      poll: () => api.call(getDiscoveryStatus, { params: { workflow_id: workflowId } }),
      seen: (state) => {
        seen?.(state);
        const found = state.streams === null ? '' : `, ${countOf(state.streams.length, 'stream')}`;
        const what = state.waits_for === null ? '' : `: ${state.waits_for}`;
        const where = state.is_terminal ? '' : ` ${phaseText(state)}${what}`;
        progress.show(`${state.status} ${state.phase}`, [`  ▸ discovery ${state.status}${where}${found}`]);
      },
      reattach: `weir sources discovery get ${workflowId}`,
    });
    last = ended.warnings.filter(({ code }) => !isToldByCaller(code)).map(warningLine);
    return ended;
  } finally {
    progress.end(last);
  }
}

/** A stream that is not as it should be, with its sentence. */
function warningLine({ name, namespace, code, detail, hint }: DiscoveryWarningView): string {
  const label = namespace === null ? name : `${namespace}.${name}`;
  return `  ! ${label}: ${detail}${hint === null ? '' : ` ${hint}`} (${code})`;
}
