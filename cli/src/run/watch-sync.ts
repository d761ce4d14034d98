import { getSyncStatus, type SyncRunDetailView } from '@weir/plugin-sources/contract';
import { CliError } from '../cli-error.ts';
import type { Api } from '../connection/api.ts';
import { megabytes, phaseText } from './phase-text.ts';
import { countText } from './progress.ts';
import { waitForRun } from './wait-for-run.ts';
import type { WatchOptions } from './watch-discovery.ts';

/** One sync of one source. */
export interface SyncKey {
  sourceId: string;
  runId: string;
}

/** Waits for the end of a sync, showing rows read and committed of each stream. */
export async function watchSync(
  api: Api,
  { sourceId, runId }: SyncKey,
  options: WatchOptions,
): Promise<SyncRunDetailView> {
  const { progress, seen, ...limits } = options;
  const secondsOf = readingClock();
  try {
    return await waitForRun({
      ...limits,
      async poll() {
        const { run } = await api.call(getSyncStatus, { params: { source_id: sourceId }, query: { run_id: runId } });
        if (run === null) throw new CliError('notFound', `Run ${runId} is gone.`, { code: 'not_found' });
        return run;
      },
      seen: (run) => {
        seen?.(run);
        progress.show(`${run.status} ${run.phase}`, syncLines(run, secondsOf(run.rows_read)));
      },
      reattach: `weir sources history ${sourceId}; to wait again: weir runs wait ${runId}; to end it: weir sources cancel ${runId}`,
    });
  } finally {
    progress.end([]);
  }
}

/** Seconds from the start of the watch to the last time that rows had come: a rate does not fall while none are read. */
export function readingClock(now: () => number = () => performance.now()): (rows: number) => number {
  const started = now();
  let [seen, at] = [0, started];
  return (rows) => {
    if (rows > seen) [seen, at] = [rows, now()];
    return (at - started) / 1_000;
  };
}

/** A sync as lines for people: one for the whole, one for each stream. */
export function syncLines(run: SyncRunDetailView, seconds: number): string[] {
  const rate = seconds > 0 ? `${countText(Math.round(run.rows_read / seconds))} rows/s` : '';
  const width = Math.max(0, ...run.streams.map((stream) => stream.name.length));
  return [
    `  ▸ sync ${phaseText(run)} ${countText(run.rows_read)} rows read, ${countText(run.rows_written)} committed, ${megabytes(run.bytes_read)} of JSON ${rate}`,
    ...run.streams.map(
      (stream) =>
        `    ${stream.name.padEnd(width)}  ${stream.status}  ${countText(stream.rows_read)} read  ${countText(stream.rows_written)} committed`,
    ),
  ];
}
